/** All of them in one n8n and one browser, which take long to start: `npm run test:browser -- -t panels` runs a part. */
import './creator';
import './form';
import './newcomer';
import './panels';
import './runs';
