import { beforeEach, describe, expect, test } from 'vitest';
import { createPageTools, type PageTools, withoutPageTools } from '../../../media/call/page-tools.ts';
import type { PageToolCall } from '../../../media/leg/leg.ts';
import { type AgentTool, agentConfigSchema } from '../../../shared/agent.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

const agentWith = (more: object = {}) =>
  agentConfigSchema.parse({
    name: 'Asha',
    tools: [
      {
        ...{ kind: 'client', name: 'show_slots', description: 'Shows slots.', timeout_seconds: 5 },
        parameters: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
        ...more,
      },
      { name: 'book', description: 'Books.', url: 'https://api.example.com/' },
    ],
  });

let clock: VirtualClock;
let asked: PageToolCall[];
let page: PageTools;
let stop: AbortController;

beforeEach(() => {
  clock = createVirtualClock();
  asked = [];
  stop = new AbortController();
  page = createPageTools({ leg: { callTool: (call) => asked.push(call) }, clock });
});

const run = (args = '{"day":"monday"}', tool: AgentTool = agentWith().tools[0]!) =>
  page.callTool(tool, args, stop.signal);
const answer = (result: string, failed = false, at = 0) => page.onResult({ id: asked[at]!.id, result, failed });

describe('a tool of the page', () => {
  test('gets its arguments, and the model what the page answers', async () => {
    const outcome = run();
    expect(asked).toEqual([
      { id: expect.any(String), name: 'show_slots', arguments: { day: 'monday' }, timeoutMs: 5_000 },
    ]);
    await clock.advance(200);
    answer('{"shown":3}');
    expect(await outcome).toMatchObject({ status: 200, latency_ms: 200, result: '{"shown":3}', error: null });
  });

  test('fails with what the page says', async () => {
    const outcome = run();
    answer('no map here', true);
    expect(await outcome).toMatchObject({ status: 500, result: 'The page could not do it: no map here' });
  });

  test('is given up at its time-out, and a late answer is dropped', async () => {
    const outcome = run();
    await clock.advance(5_000);
    answer('late');
    const { status, result } = await outcome;
    expect([status, result]).toEqual([0, expect.stringContaining('Whether it did its work is not known.')]);
  });

  test.each(['the call', 'the tool'])('is given up when %s is over', async (what) => {
    const outcome = run();
    if (what === 'the call') page.close();
    else stop.abort();
    expect(await outcome).toMatchObject({ status: 0, error: 'aborted' });
  });

  test('is not asked with wrong arguments', async () => {
    expect(await run('{}')).toMatchObject({ status: 0, error: 'invalid arguments' });
    expect(asked).toEqual([]);
  });

  test('answers each of two calls at once', async () => {
    const both = [run(), run()];
    answer('two', false, 1);
    answer('one', false, 0);
    expect((await Promise.all(both)).map(({ result }) => result)).toEqual(['one', 'two']);
  });

  test('gives variables of the call their values', async () => {
    const outcome = run(undefined, agentWith({ results: { variables: { slots: 'shown' } } }).tools[0]!);
    answer('{"shown":3}');
    expect(await outcome).toMatchObject({ variables: { slots: 3 } });
  });

  test('is left out where there is no page', () => {
    expect(withoutPageTools(agentWith()).tools.map(({ name }) => name)).toEqual(['book']);
  });
});
