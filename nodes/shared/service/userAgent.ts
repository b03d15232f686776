import { name, version } from '../../../package.json';

/** Says at Segmind who calls. Only calls to the credential's origins and to Segmind's public lists have it. */
export const USER_AGENT = { 'user-agent': `${name}/${version}` };
