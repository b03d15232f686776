import { endEngine } from '../../dev/engine/version';

afterAll(() => endEngine());
