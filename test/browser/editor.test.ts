/** All in one n8n and one page of the editor, which take long to start. */
import './creator';
import './form';
import './newcomer';
import './panels';
import './runs';
