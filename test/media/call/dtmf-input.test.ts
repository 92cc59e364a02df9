import { describe, expect, test } from 'vitest';
import { createDtmfInput } from '../../../media/call/dtmf-input.ts';
import { createHarness } from '../../support/harness.ts';
import { startSingleCall } from '../../support/single-call.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

describe('the keys of one input', () => {
  function collect() {
    const clock = createVirtualClock();
    const inputs: string[] = [];
    const keys = createDtmfInput({ waitMs: 2_500, clock, onKey() {}, onDigits: (digits) => inputs.push(digits) });
    const press = (digits: string) => {
      for (const digit of digits) keys.press(digit);
    };
    return { clock, inputs, keys, press };
  }

  test('end with a pause', async () => {
    const { clock, inputs, press } = collect();
    press('12');
    await clock.advance(2_400);
    press('3');
    await clock.advance(2_600);
    expect(inputs).toEqual(['123']);
  });

  test('end at once with a hash, which is one of them', () => {
    const { inputs, press } = collect();
    press('45#6#');
    expect(inputs).toEqual(['45#', '6#']);
  });

  test('may be a hash alone', () => {
    const { inputs, press } = collect();
    press('#');
    expect(inputs).toEqual(['#']);
  });

  test('are at most 64, and no other characters', async () => {
    const { clock, inputs, press } = collect();
    press(`x${'1'.repeat(65)}`);
    await clock.advance(2_500);
    expect(inputs).toEqual(['1'.repeat(64), '1']);
  });

  test('are returned when the call ends before they do', async () => {
    const { clock, inputs, keys, press } = collect();
    press('9');
    expect(keys.close()).toBe('9');
    await clock.advance(5_000);
    expect(inputs).toEqual([]);
  });
});

test('keys are reported, get a reply, and interrupt the agent', async () => {
  const harness = createHarness({ answer: () => 'word '.repeat(30) });
  harness.say('hello', 500);
  await harness.clock.advance(2_500);
  harness.conversation.onKeys('42');
  expect(harness.emitted.find((event) => event.type === 'call.dtmf')?.data).toEqual({ digits: '42' });
  expect(harness.types()).toContain('interrupted');
  await harness.clock.advance(1_000);
  expect(harness.requests[1]!.messages.at(-1)).toEqual({ role: 'user', content: '[pressed 42]' });
});

describe('on a call', () => {
  const silence = (ms: number) => new Int16Array(ms * 8);

  test('the hash reaches timeline and model', async () => {
    const call = startSingleCall({ settings: { dtmf_input: true } });
    for (const digit of '407#') call.digit(digit);
    await call.sendAudio(silence(1_000));
    expect(call.emitted.find(({ type }) => type === 'call.dtmf')?.more.data).toEqual({ digits: '407#' });
    expect(call.requests[0]!.messages.at(-1)!.content).toBe('[pressed 407#]');
    await call.close();
  });

  test('keys that are unfinished when it ends are on the timeline before its end, and in the transcript', async () => {
    const call = startSingleCall({ settings: { dtmf_input: true } });
    for (const digit of '40') call.digit(digit);
    await call.close();
    expect(call.emitted.slice(-2).map(({ type }) => type)).toEqual(['call.dtmf', 'call.ended']);
    expect(call.emitted.at(-2)!.more.data).toEqual({ digits: '40' });
    expect(call.emitted.at(-1)!.more.transcript).toMatchObject([{ role: 'user', text: '[pressed 40]' }]);
    expect(call.requests).toEqual([]);
  });

  test('keys after its end are ignored', async () => {
    const call = startSingleCall({ settings: { dtmf_input: true } });
    await call.close();
    call.digit('1');
    await call.clock.advance(5_000);
    expect(call.emitted.at(-1)!.type).toBe('call.ended');
  });
});
