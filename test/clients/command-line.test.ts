import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../clients/typescript/src/cli/commands.ts';
import { runCli } from '../../clients/typescript/src/cli/run-cli.ts';
import type { Client } from '../support/control-app.ts';
import { type ListeningApi, startListeningApi } from '../support/listening-api.ts';

let api: ListeningApi;
let workspace: Client;
let agentId: string;

beforeAll(async () => {
  api = await startListeningApi();
  workspace = await api.newCallingWorkspace();
  agentId = (await workspace.send('POST', '/agents', { name: 'Receptionist' })).body.id;
});

async function run(words: string[], env: Record<string, string> = {}) {
  const lines: string[] = [];
  const errors: string[] = [];
  const code = await runCli(words, {
    env: { ANTIPHON_URL: api.url, ANTIPHON_API_KEY: workspace.key, ...env },
    print: (text) => lines.push(text),
    printError: (text) => errors.push(text),
    signal: new AbortController().signal,
  });
  return { code, text: lines.join('\n'), error: errors.join('\n') };
}

const placed = async () =>
  (await run(['calls', 'place', agentId, '+919811112222', '--var', 'name=Asha'])).text.slice(0, 32);

it('a list is a table', async () => {
  const { code, text } = await run(['agents', 'list']);
  expect(code).toBe(0);
  expect(text.split('\n')).toEqual([
    expect.stringMatching(/^ID +NAME +STATUS/),
    expect.stringMatching(new RegExp(`^${agentId}  Receptionist  active`)),
  ]);
});

it('--json is what the API answers', async () => {
  const { text } = await run(['agents', 'list', '--json']);
  expect(JSON.parse(text)).toEqual((await workspace.send('GET', '/agents')).body);
});

it('a call is placed with its variables', async () => {
  const { body } = await workspace.send('GET', `/calls/${await placed()}`);
  expect(body).toMatchObject({ to_number: '+919811112222', user_data: { name: 'Asha' } });
});

it('the tail of a call ends with it', async () => {
  const id = await placed();
  expect(await run(['calls', 'hangup', id])).toMatchObject({ code: 0, text: `${id}  canceled` });
  const { text } = await run(['calls', 'tail', id]);
  expect(text.split('\n').map((line) => line.trim().split(/ {2,}/)[1])).toEqual(['call.queued', 'call.ended']);
});

it('listen prints what is said, and where to hear it', async () => {
  const id = await placed();
  await run(['calls', 'hangup', id]);
  const said: [type: string, message: string][] = [
    ['welcome', 'Hello'],
    ['llm.first_token', 'first token'],
    ['user.turn', 'For two people'],
    ['agent.reply', 'For when?'],
  ];
  const common = { workspace_id: workspace.workspace_id, call_id: id, source: 'control', level: 'info', data: {} };
  await api.sql`insert into call_events ${api.sql(
    said.map(([type, message], nth) => ({
      ...{ ...common, id: `evt_${nth}`, seq: nth + 10, type, message, created_at: new Date() },
    })) as never,
  )}`;
  const [address, ...lines] = (await run(['listen', id])).text.split('\n');
  expect(address).toBe(`to hear it: ${api.url}/calls/${id}`);
  expect(lines.map((line) => line.trim().split(/ {2,}/).slice(1))).toEqual([
    ['agent', 'Hello'],
    ['caller', 'For two people'],
    ['agent', 'For when?'],
  ]);
});

it('any operation is run by its id', async () => {
  const { text } = await run(['api', 'getAgent', JSON.stringify({ agent_id: agentId })]);
  expect(JSON.parse(text)).toMatchObject({ id: agentId });
});

it('an error of the API has its request', async () => {
  const { code, error } = await run(['calls', 'get', '0'.repeat(32)]);
  expect([code, error]).toEqual([1, expect.stringMatching(/^404 call not found \(request [0-9a-f]{32}\)$/)]);
});

describe('wrong words', () => {
  it.each([
    [['call', 'list'], /^no such command: call list/],
    [['agents', 'get'], /^antiphon agents get takes <agent_id>$/],
    [['agents', 'list', '--most'], /Unknown option '--most'/],
    [['calls', 'list', '--limit', 'x'], /^--limit takes a whole number$/],
    [['api', 'dance'], /^dance is no operation/],
  ])('%j: how to say it', async (words, expected) => {
    const { code, error } = await run(words);
    expect([code, error]).toEqual([2, expect.stringMatching(expected)]);
  });

  it('no key: where to put it', async () => {
    expect(await run(['agents', 'list'], { ANTIPHON_API_KEY: '' })).toMatchObject({
      code: 2,
      error: expect.stringContaining('ANTIPHON_API_KEY'),
    });
  });
});

it('every command has help with an example of it', async () => {
  for (const name of Object.keys(COMMANDS)) {
    const { code, text } = await run([...name.split(' '), '--help']);
    expect([code, text]).toEqual([0, expect.stringContaining(`Example: antiphon ${name}`)]);
  }
});
