/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A received email, with its text decoded. */
export interface Mail {
	to: string;
	subject: string;
	text: string;
}

/** A mail server on loopback that keeps every email and forwards none. */
export interface Mailbox {
	mails: Mail[];
	/** Values for n8n's credential `smtp`. */
	credential: { host: string; port: number; secure: boolean; disableStartTls: boolean };
	close(): void;
}

/** Starts a mail server. `onMail` receives each email. */
export async function startMailbox(onMail: (mail: Mail) => void): Promise<Mailbox> {
	const mails: Mail[] = [];
	const server = createServer((socket) =>
		serve(socket, (mail) => {
			mails.push(mail);
			onMail(mail);
		}),
	);
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		mails,
		credential: { host: '127.0.0.1', port, secure: false, disableStartTls: true },
		close: () => server.close(),
	};
}

/** Speaks as much SMTP as a client without a login needs. */
function serve(socket: Socket, take: (mail: Mail) => void): void {
	let received = '';
	let isMail = false;
	socket.setEncoding('latin1').write('220 ready\r\n');
	socket.on('error', () => socket.destroy());
	socket.on('data', (text: string) => {
		received += text;
		for (;;) {
			const end = isMail ? '\r\n.\r\n' : '\r\n';
			const at = received.indexOf(end);
			if (at < 0) return;
			const line = received.slice(0, at);
			received = received.slice(at + end.length);
			if (isMail) take(mailOf(line));
			isMail = line === 'DATA';
			socket.write(isMail ? '354 go on\r\n' : '250 good\r\n');
			if (line === 'QUIT') socket.end();
		}
	});
}

function mailOf(raw: string): Mail {
	const header = (name: string) =>
		new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, 'm').exec(raw)?.[1] ?? '';
	const bytes = raw
		.slice(raw.indexOf('\r\n\r\n'))
		.replaceAll('\r\n..', '\r\n.')
		.replace(/=\r\n/g, '')
		.replace(/=([0-9A-F]{2})/g, (_all, code: string) => String.fromCharCode(parseInt(code, 16)));
	return {
		to: header('To'),
		subject: header('Subject'),
		text: Buffer.from(bytes, 'latin1').toString(),
	};
}
