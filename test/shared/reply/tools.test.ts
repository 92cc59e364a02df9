import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { agentConfigSchema } from '../../../shared/agent.ts';
import { systemClock } from '../../../shared/clock.ts';
import type { ToolCall } from '../../../shared/llm/language-model.ts';
import { createLogger } from '../../../shared/log.ts';
import { createToolRunner, httpToolCaller, toolDefinitions } from '../../../shared/reply/tools.ts';
import { createSafeFetch } from '../../../shared/safe-fetch.ts';
import { until } from '../../support/until.ts';

let base = '';
let requests = 0;
let respond: (response: ServerResponse) => void;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    requests++;
    respond(response);
  });
});

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  requests = 0;
  respond = (response) => response.end('{"free": true}');
});

const parameters = { type: 'object', properties: { guests: { type: 'integer' } }, required: ['guests'] };

function stand() {
  const tool = {
    name: 'find_table',
    description: 'Finds a free table.',
    url: `${base.replace('//', '//ann:secret@')}/tables`,
    parameters,
    pre_call_message: 'One moment, {name}.',
  };
  const bare = { name: 'hours', description: 'Opening hours.', method: 'GET', url: `${base}/hours` };
  const agent = agentConfigSchema.parse({ name: 'a', tools: [tool, bare] });
  let logged = '';
  const log = createLogger(
    'test',
    'trace',
    new Writable({
      write(line, _, done) {
        logged += line;
        done();
      },
    }),
  );
  const safeFetch = createSafeFetch({ allow: ['127.0.0.1'] });
  const values = { name: 'Asha' };
  const callTool = httpToolCaller({ safeFetch, values, clock: systemClock });
  const runner = createToolRunner({ agent, values, callTool, clock: systemClock, log });
  return { agent, runner, logged: () => logged };
}

const book = (fields: Partial<ToolCall> = {}): ToolCall => ({
  id: 'call_1',
  name: 'find_table',
  arguments: '{"guests":4711}',
  ...fields,
});

it("the model gets end_call and the agent's tools", () => {
  const definitions = toolDefinitions(stand().agent);
  expect(definitions.map(({ name }) => name)).toEqual(['end_call', 'find_table', 'hours']);
  expect(definitions[1]).toEqual({ name: 'find_table', description: 'Finds a free table.', parameters });
  expect(definitions[2]!.parameters).toEqual({ type: 'object', properties: {} });
});

it('a call can be announced before it runs', () => {
  expect(stand().runner.announce(book())).toEqual({
    name: 'find_table',
    args: { guests: 4711 },
    url: `${base}/tables`,
    pre_call_message: 'One moment, Asha.',
  });
  expect(requests).toBe(0);
});

it('a successful tool run has level info', async () => {
  const call = book();
  const run = await stand().runner.run(call);
  expect(run).toMatchObject({
    call,
    name: 'find_table',
    args: { guests: 4711 },
    url: `${base}/tables`,
    status: 200,
    result: '{"free":true}',
    level: 'info',
    pre_call_message: 'One moment, Asha.',
  });
  expect(Number.isInteger(run.latency_ms)).toBe(true);
});

describe('level warning and a text for the model come from', () => {
  it.each<[string, Partial<ToolCall>, string]>([
    ['an unknown tool', { name: 'fly' }, 'There is no tool called fly. The tools are: end_call, find_table, hours.'],
    ['arguments that are no JSON', { arguments: '{"guests":' }, 'not valid JSON'],
    ['arguments that do not fit', { arguments: '{"guests":"x"}' }, 'guests must be a whole number'],
  ])('%s, and nothing is sent or said', async (_, fields, words) => {
    const run = await stand().runner.run(book(fields));
    expect(run).toMatchObject({ status: 0, latency_ms: 0, level: 'warning', pre_call_message: '' });
    expect(run.result).toContain(words);
    expect(requests).toBe(0);
  });

  it('a response that is not 2xx', async () => {
    respond = (response) => response.writeHead(503).end('busy');
    const run = await stand().runner.run(book());
    expect(run).toMatchObject({ status: 503, level: 'warning', result: 'The tool answered with status 503: busy' });
  });

  it('a broken connection', async () => {
    respond = (response) => response.destroy();
    expect(await stand().runner.run(book())).toMatchObject({ status: 0, level: 'warning' });
  });
});

describe('a call', () => {
  it('runs once, however often it is requested', async () => {
    const { runner } = stand();
    const runs = await Promise.all([runner.run(book()), runner.run(book())]);
    expect(await runner.run(book())).toBe(runs[0]);
    expect(runs[1]).toBe(runs[0]);
    expect(requests).toBe(1);
  });

  it('with the id of another call, as some servers return, runs as well', async () => {
    const { runner } = stand();
    await runner.run(book());
    await runner.run(book({ arguments: '{"guests":2}' }));
    expect(requests).toBe(2);
  });

  it('that is aborted says so and does not run again', async () => {
    const { runner } = stand();
    respond = () => {};
    const abort = new AbortController();
    const run = runner.run(book(), abort.signal);
    await until(() => requests === 1);
    expect(runner.running()).toBe(1);
    abort.abort();
    expect(await run).toMatchObject({ status: 0, level: 'warning' });
    expect((await run).result).toContain('stopped');
    await runner.run(book());
    expect(requests).toBe(1);
    expect(runner.running()).toBe(0);
  });

  it('ends with the conversation, and none starts after it', async () => {
    const { runner } = stand();
    respond = () => {};
    const runs = [runner.run(book()), runner.run(book({ id: 'call_2' }))];
    await until(() => requests === 2);
    runner.closeAll();
    expect((await Promise.all(runs)).map(({ level }) => level)).toEqual(['warning', 'warning']);
    expect(await runner.run(book({ id: 'call_3' }))).toMatchObject({ status: 0, level: 'warning' });
    expect(requests).toBe(2);
    expect(runner.running()).toBe(0);
  });
});

it('arguments, responses and secrets are not logged', async () => {
  const { runner, logged } = stand();
  await runner.run(book());
  await runner.run(book({ id: 'call_2', name: 'call 4711' }));
  await runner.run(book({ id: 'call_3', arguments: '{"guests":"4711"}' }));
  expect(logged()).toContain('find_table');
  expect(logged()).not.toMatch(/4711|free"|secret/);
});
