/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** Fails each test that tries to reach another computer. dev/n8n/loopbackOnly.cjs blocks such a connection, and reports its host. */
const hosts: string[] = [];
const note = (host: string) => void hosts.push(host);
const expectNone = () => expect(hosts.splice(0)).toEqual([]);

beforeAll(() => void process.on('leftLoopback' as 'message', note));
afterEach(expectNone);
afterAll(() => {
	process.off('leftLoopback', note);
	expectNone();
});
