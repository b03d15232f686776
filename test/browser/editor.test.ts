/** Runs all tests of the editor in one n8n and one page, because both take long to start. */
import './creator';
import './form';
import './newcomer';
import './panels';
import './runs';
