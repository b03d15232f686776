const shared = require('../e2e/jest.config.js');

/** Against a real n8n in queue mode: four processes, PostgreSQL and Redis, which dev/n8n starts. */
module.exports = { ...shared, testMatch: ['<rootDir>/test/queue/**/*.test.ts'] };
