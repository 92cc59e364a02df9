import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createSocketServer, type Server as SocketServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectDatabase } from '../../control/db/connect.ts';
import { migrate } from '../../control/db/migrate.ts';
import { createWorkspace } from '../../control/operators/workspaces.ts';
import { setRequestsPerMinute } from '../../control/workspaces/plan.ts';
import { startProgram } from '../../dev/child.ts';
import { startNats } from '../../dev/nats.ts';
import { freePort } from '../../dev/ports.ts';
import { startPostgres } from '../../dev/postgres.ts';
import { docxOf, pdfOf } from '../support/documents.ts';
import { HOSTILE_DOCUMENTS } from '../support/hostile-documents.ts';
import { type Answer, ends, HOSTILE_SITES, html } from '../support/hostile-sites.ts';

/**
 * `node test/soak/hostile-knowledge.ts` (6 minutes): control as a program of its own is given every hostile document and site through
 * its API. Each must be refused or end `ready` or `failed` with a reason, and control's memory must stay within 150 MB of what it was
 * after the first harmless documents. Exit code 1 otherwise.
 */

const MAX_GROWTH_MB = 150;
const START_DEADLINE_MS = 60_000;
const DEADLINE_MS = 900_000;
const SAMPLE_INTERVAL_MS = 50;

const folder = mkdtempSync(join(tmpdir(), 'antiphon-hostile-'));
const postgres = await startPostgres({ dataDir: join(folder, 'postgres') });
const nats = await startNats({ dataDir: join(folder, 'nats') });
const sql = connectDatabase({ url: postgres.url, max: 2 });
const servers: (Server | SocketServer)[] = [];
const apiPort = await freePort();
await migrate(sql);
const { workspace_id, api_key } = await createWorkspace({ sql, wallMs: Date.now() }, 'Hostile');
await setRequestsPerMinute(sql, workspace_id, 1_000_000);
const control = await startProgram('control', {
  env: {
    PATH: process.env.PATH,
    ...{ DATABASE_URL: postgres.url, NATS_URL: nats.url, API_PORT: String(apiPort), RECORDINGS_DIR: folder },
    ...{ MEDIA_TOKEN_SECRET: 'a secret of the soak', FETCH_ALLOW: '127.0.0.1', LOG_LEVEL: 'error' },
  },
  logFile: join(folder, 'control.log'),
});

interface Ended {
  what: string;
  status: string;
  error: string;
}

let held = false;
try {
  held = await run();
} finally {
  for (const server of servers) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  }
  await control.stop('SIGTERM', 15_000);
  await sql.end();
  await nats.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(held ? 0 : 1);

async function run(): Promise<boolean> {
  const startDeadlineMs = Date.now() + START_DEADLINE_MS;
  const deadlineMs = Date.now() + DEADLINE_MS;
  while (!(await answers('/readyz'))) {
    if (Date.now() > startDeadlineMs) throw new Error(`control did not start: ${control.tail(5)}`);
    await sleep(100);
  }
  // Modules are loaded with the first document of each kind.
  const harmless = await newBase();
  await upload(harmless, 'a.txt', Buffer.from('Words.'));
  await upload(harmless, 'a.docx', Buffer.from(await docxOf(['Words.'])));
  await upload(harmless, 'a.pdf', Buffer.from(await pdfOf(['Words.'])));
  await finished([harmless], deadlineMs);

  const before = memoryOf(control.pid).now;
  writeFileSync(`/proc/${control.pid}/clear_refs`, '5');
  let sampled = before;
  const sampling = setInterval(() => {
    sampled = Math.max(sampled, memoryOf(control.pid).now);
  }, SAMPLE_INTERVAL_MS);

  const refused: Ended[] = [];
  const names = new Map<string, string>();
  const bases = [await newBase(), await newBase()];
  for (const { what, file_name, make } of HOSTILE_DOCUMENTS) {
    const { status, body } = await upload(bases[0]!, file_name, Buffer.from(await make()));
    if (status === 201) names.set(body.id, what);
    else refused.push({ what, status: String(status), error: JSON.stringify(body.detail) });
  }
  for (const [does, start] of hostileSites()) {
    const url = await start();
    const { status, body } = await request('POST', `/knowledge-bases/${bases[1]}/sources/url`, url);
    if (status === 201) names.set(body.id, `a site that ${does}`);
    else refused.push({ what: `a site that ${does}`, status: String(status), error: JSON.stringify(body.detail) });
  }
  const ended = (await finished(bases, deadlineMs)).map(({ id, status, error }) => {
    return { what: names.get(id)!, status, error };
  });
  clearInterval(sampling);
  const memory = memoryOf(control.pid);
  const peak = Math.max(sampled, memory.peak);
  for (const { what, status, error } of [...refused, ...ended]) console.log(`${status.padEnd(8)} ${what}: ${error}`);
  const count = (wanted: string) => ended.filter(({ status }) => status === wanted).length;
  console.log(`given to it      ${HOSTILE_DOCUMENTS.length} documents, ${hostileSites().length} sites`);
  console.log(`refused          ${refused.length}`);
  console.log(`failed           ${count('failed')}`);
  console.log(`ready            ${count('ready')}`);
  console.log(`control's memory ${before} MB before, ${memory.now} MB after, ${peak} MB at most`);
  const passed =
    ended.every(({ status, error }) => status === 'ready' || (status === 'failed' && error !== '')) &&
    refused.every(({ status }) => status === '415' || status === '422') &&
    refused.length + ended.length === HOSTILE_DOCUMENTS.length + hostileSites().length &&
    peak - before <= MAX_GROWTH_MB;
  console.log(passed ? 'passed' : 'FAILED');
  return passed;
}

/** Each starts its site and returns the source's body. */
function hostileSites(): [does: string, start: () => Promise<{ url: string; max_pages?: number }>][] {
  const links = (of: string) => Array.from({ length: 300 }, (_, n) => `<a href="${of}/${n}">${n}</a>`).join('');
  const maze: Answer = ({ url }, response) => response.writeHead(200, html).end(`<html>Page ${url} ${links(url!)}`);
  const mirror = ends(200, html, `<html>The same words. ${links('')}`);
  const bank = ends(200, html, '<html><link rel="canonical" href="https://bank.example/">Words');
  const words = ends(200, html, '<html>Words');
  return [
    ...HOSTILE_SITES.map(([does, page]) => [does, () => site(page)] as [string, () => Promise<{ url: string }>]),
    ['speaks something else', speaksAnother],
    ['has a robots.txt that fails', () => site(words, ends(503))],
    ['has a robots.txt that never ends', () => site(words, () => {})],
    ['makes a new page for every link', async () => ({ ...(await site(maze)), max_pages: 20 })],
    ['has the same page at every address', async () => ({ ...(await site(mirror)), max_pages: 20 })],
    ['calls all pages of another host canonical', () => site(bank)],
  ];
}

async function site(page: Answer, robots: Answer = ends(404)): Promise<{ url: string }> {
  const server = createServer((incoming, response) => {
    (incoming.url === '/robots.txt' ? robots : page)(incoming, response);
  });
  return { url: await listening(server) };
}

async function speaksAnother(): Promise<{ url: string }> {
  return { url: await listening(createSocketServer((socket) => socket.on('error', () => {}).end('SSH-2.0-x\r\n'))) };
}

async function listening(server: Server | SocketServer): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function answers(path: string): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${apiPort}${path}`).catch(() => null);
  return response?.status === 200;
}

// biome-ignore lint/suspicious/noExplicitAny: responses have the type that the caller expects
async function request(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }> {
  const response = await fetch(`http://127.0.0.1:${apiPort}/api/v1${path}`, {
    method,
    headers: {
      'x-api-key': api_key,
      ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

async function newBase(): Promise<string> {
  return (await request('POST', '/knowledge-bases', { name: 'Hostile' })).body.id;
}

function upload(base: string, fileName: string, content: Buffer) {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(content)]), fileName);
  return request('POST', `/knowledge-bases/${base}/sources/file`, form);
}

/** Resolves with the bases' sources once none of them waits any more, or at the deadline. */
async function finished(bases: readonly string[], deadlineMs: number) {
  for (;;) {
    const found = await Promise.all(bases.map(async (id) => (await request('GET', `/knowledge-bases/${id}`)).body));
    const sources = found.flatMap((base) => base.sources as { id: string; status: string; error: string }[]);
    const over = sources.every(({ status }) => status === 'ready' || status === 'failed');
    if (over || Date.now() > deadlineMs) return sources;
    await sleep(500);
  }
}

/** Resident memory of a process in MB. */
function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1024);
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}
