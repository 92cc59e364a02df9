import { describe, expect, it } from 'vitest';
import { createToolAnswers, type OnToolCall } from '../../console/call/page-tools.ts';
import { readMessage } from '../../console/call/read-message.ts';

const CALL = {
  type: 'tool_call',
  tool_call_id: 't1',
  name: 'show',
  arguments: { day: 'monday' },
  timeout_ms: 5_000,
} as const;
const answer = (run?: OnToolCall) => createToolAnswers(run)(CALL);

describe('a tool call in the page', () => {
  it.each([
    ['a text', () => 'done', 'done'],
    ['an object, as JSON', () => ({ shown: 3 }), '{"shown":3}'],
    ['a promise', async () => 'later', 'later'],
    ['nothing', () => undefined, ''],
  ])('is answered with %s', async (_, run, result) => {
    expect(await answer(run)).toEqual({ tool_call_id: 't1', result, failed: false });
  });

  it('that throws is a failure, as one without a handler is', async () => {
    const thrown = answer(() => {
      throw new Error('no map');
    });
    expect(await thrown).toEqual({ tool_call_id: 't1', result: 'no map', failed: true });
    expect(await answer()).toMatchObject({ failed: true });
  });

  it('runs once, however often it comes', async () => {
    let runs = 0;
    const answers = createToolAnswers(() => ++runs);
    expect(await Promise.all([answers(CALL), answers(CALL)])).toMatchObject([{ result: '1' }, { result: '1' }]);
    expect(runs).toBe(1);
  });

  it('is read with its arguments', () => {
    expect(readMessage(JSON.stringify(CALL))).toEqual(CALL);
    expect(readMessage(JSON.stringify({ ...CALL, name: 7 }))).toBeNull();
  });
});
