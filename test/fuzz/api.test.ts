import { Agent, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../shared/log.ts';
import { afterFile } from '../support/after-file.ts';
import { startTestApi, type TestApi, type UserClient } from '../support/control-app.ts';
import { nameOf } from '../support/endpoint-list.ts';
import { furnish } from '../support/furnish.ts';
import { type ApiDocument, type NamedOperation, operationsOf } from '../support/openapi-samples.ts';
import { idsOf } from '../support/table-contents.ts';
import { type AnyRequest, anyRequest } from './api-requests.ts';
import { createDraws, type Draws } from './draws.ts';
import { createTally, requestsOf, SEED, type Tally } from './tally.ts';

/**
 * Every group of endpoints over real sockets: no request is a 500, breaks the connection or waits for ever, and no answer
 * shows what lies behind it. SEED, COUNT (requests of each group) and GROUP (a part of its name) choose.
 */

/** The user's lists are filled by what is accepted; a new one keeps them short, and what a request has ended is renewed. */
const REQUESTS_OF_USER = 400;
const ANSWER_WITHIN_MS = 20_000;
/** Users at work at the same time: most of a request is waiting for the database. */
const LANES = 6;

let api: TestApi;
let port: number;
let document: ApiDocument;
const errors: string[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: LANES });

beforeAll(async () => {
  const log = createLogger('control', 'error', { write: (line: string) => void errors.push(line) });
  // Each request may come from an address of its own: limits for an address have their tests.
  api = await startTestApi({}, { TRUSTED_PROXIES: '127.0.0.1' }, { log });
  await api.http.listen({ port: 0, host: '127.0.0.1' });
  ({ port } = api.http.server.address() as AddressInfo);
  document = JSON.parse((await send({ method: 'GET', path: '/openapi.json', headers: {}, body: undefined })).text);
  afterFile(async () => agent.destroy());
});

interface Answer {
  status: number;
  saysWhenToRetry: boolean;
  text: string;
}

function send({ method, path, headers, body }: AnyRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const sent = httpRequest({ agent, host: '127.0.0.1', port, method, path, headers: { ...headers, ...length } });
    const deadline = setTimeout(() => sent.destroy(new Error('no answer')), ANSWER_WITHIN_MS);
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        clearTimeout(deadline);
        const saysWhenToRetry = response.headers['retry-after'] !== undefined;
        resolve({ status: response.statusCode ?? 0, saysWhenToRetry, text: Buffer.concat(chunks).toString() });
      });
    });
    sent.on('error', (error) => {
      clearTimeout(deadline);
      reject(error);
    });
    sent.end(body);
  });
}

interface Caller {
  user: UserClient;
  ids: Map<string, string[]>;
  left: number;
}

let callers = 0;

async function newCaller(): Promise<Caller> {
  const user = await api.asUser('owner');
  const { workspace_id } = user;
  await furnish(api.sql, user, `+91${String(9_000_000_000 + callers++)}`);
  return { user, ids: await idsOf(api.sql, workspace_id), left: REQUESTS_OF_USER };
}

const INSIDE = /node_modules|at file:|\/control\/|PostgresError|syntax error|duplicate key|ECONNREFUSED/;

function wrongIn({ status, saysWhenToRetry, text }: Answer): string | null {
  // A busy machine may have no free connection to the database in time.
  if (status === 503 && saysWhenToRetry) return null;
  // 502 and 504: no third party is available in tests.
  if (status >= 500 && status !== 502 && status !== 504) return `${status} ${text.slice(0, 200)}`;
  if (status >= 400 && INSIDE.test(text)) return `${status} shows the inside: ${text.slice(0, 300)}`;
  return null;
}

const shown = ({ method, path, headers, body }: AnyRequest) =>
  `${method} ${path.slice(0, 400)} ${JSON.stringify(headers).slice(0, 300)} ${body?.toString().slice(0, 500) ?? ''}`;

async function fuzz(group: string, operations: readonly NamedOperation[], total: number): Promise<string[]> {
  const tally = createTally(group, total);
  const lanes = Array.from({ length: LANES }, (_, lane) => {
    return runLane(tally, operations, {
      total: Math.ceil(total / LANES),
      draws: createDraws(SEED + lane),
    });
  });
  await Promise.all(lanes);
  return tally.end();
}

async function runLane(
  tally: Tally,
  operations: readonly NamedOperation[],
  { total, draws }: { total: number; draws: Draws },
): Promise<void> {
  let caller = await newCaller();
  let refused = 0;
  for (let count = 0; count < total; count++) {
    if (caller.left-- <= 0) caller = await newCaller();
    const operation = operations[count % operations.length]!;
    const made = anyRequest(draws, { document, ids: caller.ids }, operation);
    const ownCredential = 'authorization' in made.headers || 'x-api-key' in made.headers;
    if (!ownCredential) made.headers.authorization = `Bearer ${caller.user.token}`;
    made.headers['x-forwarded-for'] ??= `10.${draws.below(256)}.${draws.below(256)}.${draws.below(256)}`;
    const answer = await send(made).catch((error: Error) => error);
    if (answer instanceof Error) {
      tally.found(`${answer.message}: ${nameOf(operation)} ${shown(made)}`);
      continue;
    }
    tally.add(answer.status < 500 ? `${Math.floor(answer.status / 100)}xx` : answer.status);
    const wrong = wrongIn(answer);
    if (wrong) tally.found(`${wrong}: ${shown(made)} ${errors.at(-1) ?? ''}`);
    errors.length = 0;
    if (ownCredential || 'x-workspace-id' in made.headers) continue;
    // The request ended its session, or the workspace itself.
    if (answer.status !== 401) refused = 0;
    else if (++refused === 1) caller.user = await api.asUser('owner', caller.user.workspace_id);
    else caller.left = 0;
  }
}

describe('any request', () => {
  it('is never a 500, and is always answered', async () => {
    const groups = Map.groupBy(operationsOf(document), ({ tags }) => tags?.[0] ?? 'others');
    const found: string[] = [];
    for (const [group, operations] of groups) {
      if (process.env.GROUP && !group.toLowerCase().includes(process.env.GROUP.toLowerCase())) continue;
      found.push(...(await fuzz(group, operations, requestsOf(operations.length * 2))));
    }
    expect(found).toEqual([]);
  }, 86_400_000);
});
