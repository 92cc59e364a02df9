import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../../control/db/connect.ts';
import type { PollingJob } from '../../../control/db/polling-job.ts';
import { createMailTransport, type MailTransport, RejectedEmail } from '../../../control/mail/mail-transport.ts';
import { startOutbox } from '../../../control/mail/outbox.ts';
import { queueEmail } from '../../../control/mail/queue-email.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { createTestDatabase } from '../../support/postgres.ts';

const log = createLogger('test', 'silent');
const FROM = 'Service <no-reply@svc.example.com>';
const MINUTE_MS = 60_000;
let sql: Sql;
let ahead = 0;
const clock = { ...systemClock, wall: () => Date.now() + ahead };

beforeAll(async () => {
  sql = (await createTestDatabase()).sql;
});
beforeEach(async () => {
  await sql`delete from mail_outbox`;
});

const write = (to = 'a@example.com', subject = 'Hello', text = 'Dear A,\n\n.\nlink: https://x/?token=abc') =>
  sql.begin((tx) => queueEmail(tx, { to, subject, text }, clock.wall()));

const rows = () => sql`
  select recipient, body, attempts, sent_at is not null as sent, failed_at is not null as failed, last_error,
    next_attempt_at
  from mail_outbox order by id`;

/** Runs until the condition holds, then stops. */
async function running(send: MailTransport, until: () => Promise<unknown>, wanted: unknown = true): Promise<void> {
  const outbox: PollingJob = startOutbox({ sql, clock, log, send });
  try {
    const look = () => {
      outbox.wake();
      return until();
    };
    await expect.poll(look).toEqual(wanted);
  } finally {
    await outbox.stop();
  }
}

describe('an email', () => {
  it('is queued with the change it is about, or not at all', async () => {
    const failing = sql.begin(async (tx) => {
      await queueEmail(tx, { to: 'a@example.com', subject: 'x', text: 'x' }, clock.wall());
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await rows()).toHaveLength(0);
  });

  it('is sent once, and its text is deleted', async () => {
    await write();
    const sent: string[] = [];
    await running(
      async ({ to, subject }) => void sent.push(`${to} ${subject}`),
      async () => (await rows())[0]?.sent,
    );
    expect(sent).toEqual(['a@example.com Hello']);
    expect((await rows())[0]).toMatchObject({ body: '', attempts: 1, sent: true });
  });

  it('is sent by one of two processes', async () => {
    for (let each = 0; each < 30; each++) await write(`p${each}@example.com`);
    const sent: string[] = [];
    const send: MailTransport = async ({ to }) => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      sent.push(to);
    };
    const other = startOutbox({ sql, clock, log, send });
    await running(send, async () => (await rows()).every((row) => row.sent));
    await other.stop();
    expect(new Set(sent).size).toBe(30);
    expect(sent).toHaveLength(30);
  });

  it('is retried later when it could not be sent', async () => {
    await write();
    const failing: MailTransport = async () => Promise.reject(new Error('the server is away'));
    await running(failing, async () => (await rows())[0]?.attempts, 1);
    const [row] = await rows();
    expect(row).toMatchObject({ sent: false, failed: false, last_error: 'the server is away' });
    let early = 0;
    const counting: MailTransport = async () => void early++;
    await write('b@example.com');
    await running(counting, async () => (await rows())[1]?.sent);
    expect(early).toBe(1);
    ahead += MINUTE_MS;
    await running(counting, async () => (await rows())[0]?.sent);
    expect((await rows())[0]).toMatchObject({ attempts: 2, sent: true, last_error: '' });
  });

  it('is given up after a day of retries, or after a permanent rejection', async () => {
    await write();
    const failing: MailTransport = async () => Promise.reject(new Error('the server is away'));
    for (let attempts = 1; attempts <= 9; attempts++) {
      await running(failing, async () => (await rows())[0]?.attempts, attempts);
      ahead += 13 * 60 * MINUTE_MS;
    }
    expect((await rows())[0]).toMatchObject({ failed: true, attempts: 9, body: '' });
    await write('b@example.com');
    const refusing: MailTransport = async () => Promise.reject(new RejectedEmail('no such mailbox'));
    await running(refusing, async () => (await rows())[1]?.failed);
    expect((await rows())[1]).toMatchObject({ attempts: 1, last_error: 'no such mailbox' });
  });

  it('survives the process that was sending it', async () => {
    await write();
    let begun = 0;
    // A process that dies while sending: the transport never returns.
    const dying = startOutbox({
      sql,
      clock,
      log,
      send: () => {
        begun++;
        return new Promise(() => {});
      },
    });
    await expect.poll(() => begun).toBe(1);
    void dying.stop();
    let sent = 0;
    const send: MailTransport = async () => void sent++;
    await write('b@example.com');
    await running(send, async () => (await rows())[1]?.sent);
    expect([sent, (await rows())[0]?.sent]).toEqual([1, false]);
    ahead += 2 * MINUTE_MS;
    await running(send, async () => (await rows())[0]?.sent);
    expect(sent).toBe(2);
  });

  it('behind slow ones is not sent twice', async () => {
    for (let each = 0; each < 8; each++) await write(`s${each}@example.com`);
    const sent: string[] = [];
    const other = startOutbox({ sql, clock, log, send: async ({ to }) => void sent.push(to) });
    // A mail server that takes half a minute for every four emails, while another process polls.
    const slow: MailTransport = async ({ to }) => {
      sent.push(to);
      ahead += MINUTE_MS / 8;
      other.wake();
      await new Promise((resolve) => setTimeout(resolve, 50));
    };
    await running(slow, async () => (await rows()).every((row) => row.sent));
    await other.stop();
    expect(sent.sort()).toEqual(Array.from({ length: 8 }, (_, each) => `s${each}@example.com`));
    expect((await rows()).map(({ attempts }) => attempts)).toEqual(Array(8).fill(1));
  });

  it('that is not being sent waits for the next start when the process stops', async () => {
    for (let each = 0; each < 5; each++) await write(`w${each}@example.com`);
    const arrivals: (() => void)[] = [];
    const send = () => new Promise<void>((resolve) => arrivals.push(resolve));
    const leaving = startOutbox({ sql, clock, log, send });
    await expect.poll(() => arrivals.length).toBe(4);
    const left = leaving.stop();
    for (const arrive of arrivals) arrive();
    await left;
    // Those of one millisecond are in any order.
    const ends = (await rows()).map(({ sent, attempts }) => `${sent} ${attempts}`).sort();
    expect(ends).toEqual(['false 0', ...Array(4).fill('true 1')]);
  });

  it('behind one whose mail server hangs is sent', async () => {
    await write('hangs@example.com');
    await write('b@example.com');
    let arrive = () => {};
    const send: MailTransport = ({ to }) =>
      to === 'b@example.com' ? Promise.resolve() : new Promise((resolve) => (arrive = resolve));
    const outbox = startOutbox({ sql, clock, log, send });
    const isSent = async () => (await rows()).find(({ recipient }) => recipient === 'b@example.com')?.sent;
    await expect.poll(isSent).toBe(true);
    const stopped = outbox.stop();
    arrive();
    await stopped;
  });

  it('cannot get headers injected by its subject', async () => {
    await write('a@example.com', 'Join "x\r\nBcc: b@example.com\u2028y"');
    const [row] = await sql`select subject from mail_outbox`;
    expect(row!.subject).toBe('Join "x Bcc: b@example.com y"');
  });
});

describe('an attachment', () => {
  it('is made when its email is sent, again when that failed', async () => {
    const email = { to: 'a@example.com', subject: 's', text: 't', attachment: { kind: 'invoice', id: 'i1' } } as const;
    const [workspace] = await sql<{ id: string }[]>`
      insert into workspaces (id, name, state, created_at) values ('w1', 'Acme', 'active', now()) returning id`;
    await queueEmail(sql, { ...email, workspace_id: workspace!.id }, clock.wall());
    const made: string[] = [];
    const sent: unknown[] = [];
    const outbox = startOutbox({
      ...{ sql, clock, log },
      send: async ({ files }) => void sent.push(files?.map(({ name }) => name)),
      async attach(workspaceId, { id }) {
        made.push(`${workspaceId} ${id}`);
        if (made.length === 1) throw new Error('the database is away');
        return { name: 'x.pdf', content: Buffer.from('%PDF-'), content_type: 'application/pdf' };
      },
    });
    await expect.poll(async () => (await rows())[0]?.last_error).toContain('the database is away');
    ahead += MINUTE_MS;
    outbox.wake();
    await expect.poll(() => sent).toEqual([['x.pdf']]);
    await outbox.stop();
    expect(made).toEqual(['w1 i1', 'w1 i1']);
  });
});

describe('without a mail server', () => {
  it('is a file only its owner may read', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'antiphon-mail-')), 'mail');
    await createMailTransport({ smtpUrl: '', from: FROM, folder })({
      id: 'x1',
      to: 'a@example.com',
      subject: 'Hi',
      text: 'Dear',
      files: [{ name: 'a.pdf', content: Buffer.from('%PDF-'), content_type: 'application/pdf' }],
    });
    expect(readdirSync(folder).sort()).toEqual(['x1-a.pdf', 'x1.txt']);
    const path = join(folder, 'x1.txt');
    expect(readFileSync(path, 'utf8')).toBe(
      `From: ${FROM}\nTo: a@example.com\nSubject: Hi\nAttachment: x1-a.pdf\n\nDear\n`,
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
    rmSync(join(folder, '..'), { recursive: true, force: true });
  });
});

describe('with a mail server', () => {
  let server: Server;
  let received: string;
  let refuse: Record<string, string> = {};
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
      serveSmtp(socket, refuse, (text) => {
        received = text;
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  beforeEach(() => {
    received = '';
    refuse = {};
  });

  const send = (to = 'a@example.com', subject = 'Grüße') =>
    createMailTransport({
      smtpUrl: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
      from: FROM,
      folder: '',
    })({
      id: 'x1',
      to,
      subject,
      text: 'Dear A,\n.\nlink',
      files: [{ name: 'a.pdf', content: Buffer.from('%PDF-'), content_type: 'application/pdf' }],
    });

  it('is delivered', async () => {
    await send();
    expect(received).toContain('MAIL FROM:<no-reply@svc.example.com>');
    expect(received).toContain('RCPT TO:<a@example.com>');
    expect(received).toContain('Message-ID: <x1@svc.example.com>');
    expect(received).toMatch(/Subject: =\?UTF-8\?/i);
    expect(received).toContain('Dear A,\r\n..\r\nlink');
  });

  it('has its words as HTML too, and its files', async () => {
    await send();
    expect(received).toContain('Content-Type: multipart/alternative');
    expect(received).toMatch(/Content-Type: text\/html/);
    expect(received).toContain('Content-Type: application/pdf; name=a.pdf');
    expect(received).toContain(Buffer.from('%PDF-').toString('base64'));
  });

  it('has one recipient, whatever the address looks like', async () => {
    await send('a@example.com, b@example.com').catch(() => {});
    expect(received.match(/RCPT TO/g)?.length ?? 0).toBeLessThanOrEqual(1);
    expect(received).not.toContain('RCPT TO:<b@example.com>');
  });

  it('is rejected or retried, as the server says', async () => {
    refuse = { RCPT: '550 no such mailbox' };
    await expect(send()).rejects.toBeInstanceOf(RejectedEmail);
    refuse = { RCPT: '451 come back later' };
    const later = await send().catch((error: unknown) => error);
    expect(later).toBeInstanceOf(Error);
    expect(later).not.toBeInstanceOf(RejectedEmail);
    refuse = { MAIL: '454 come back later' };
    expect(await send().catch((error: unknown) => error)).not.toBeInstanceOf(RejectedEmail);
  });

  it('is retried when the server is unreachable', async () => {
    const away = createMailTransport({ smtpUrl: 'smtp://127.0.0.1:1', from: FROM, folder: '' });
    const error = await away({ id: 'x', to: 'a@example.com', subject: 's', text: 't' }).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(RejectedEmail);
  });

  it('never sends a password unencrypted', async () => {
    const { port } = server.address() as AddressInfo;
    // Resolves to this machine, but is not a name known as local.
    const send = createMailTransport({ smtpUrl: `smtp://me:secret@127.0.0.2:${port}`, from: FROM, folder: '' });
    await send({ id: 'x', to: 'a@example.com', subject: 's', text: 't' }).catch(() => {});
    expect(received).toContain('STARTTLS');
    expect(received).not.toContain('AUTH');
  });
});

/** A minimal SMTP server (RFC 5321). */
function serveSmtp(socket: Socket, refuse: Record<string, string>, onText: (text: string) => void): void {
  let all = '';
  let held = '';
  let inData = false;
  socket.write('220 test\r\n');
  socket.on('data', (bytes) => {
    const text = bytes.toString();
    all += text;
    held += text;
    onText(all);
    for (;;) {
      const end = held.indexOf(inData ? '\r\n.\r\n' : '\r\n');
      if (end < 0) return;
      const line = held.slice(0, end);
      held = held.slice(end + (inData ? 5 : 2));
      if (inData) {
        inData = false;
        socket.write('250 taken\r\n');
        continue;
      }
      const verb = line.slice(0, 4).toUpperCase();
      if (refuse[verb]) socket.write(`${refuse[verb]}\r\n`);
      else if (verb === 'EHLO') socket.write('250-test\r\n250 AUTH PLAIN LOGIN\r\n');
      else if (verb === 'STAR') socket.write('502 no\r\n');
      else if (verb === 'DATA') {
        inData = true;
        socket.write('354 go on\r\n');
      } else if (verb === 'QUIT') socket.end('221 bye\r\n');
      else socket.write('250 ok\r\n');
    }
  });
}
