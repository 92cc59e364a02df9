import { describe, expect, test } from 'vitest';
import { createDtmfInput } from '../../../media/call/dtmf-input.ts';
import { createHarness } from '../../support/harness.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

describe('a silent caller', () => {
  test('is asked once, then the call ends', async () => {
    const harness = createHarness({
      call: {
        check_user_online: true,
        user_online_after_seconds: 4,
        hangup_after_silence_seconds: 8,
        user_online_message: 'Are you there?',
      },
    });
    await harness.clock.advance(4_100);
    expect(harness.emitted.map((event) => [event.type, event.message])).toContainEqual([
      'user.online_check',
      'Are you there?',
    ]);
    await harness.clock.advance(3_000);
    expect(harness.ends).toEqual([]);
    await harness.clock.advance(3_000);
    expect(harness.types().filter((type) => type === 'user.online_check')).toHaveLength(1);
    expect(harness.ends).toEqual([{ hangup_by: 'agent', hangup_reason: 'caller silent' }]);
  });

  test('who replies is asked again only after the next silence', async () => {
    const harness = createHarness({
      call: { check_user_online: true, user_online_after_seconds: 4, hangup_after_silence_seconds: 10 },
    });
    await harness.clock.advance(6_500);
    harness.say('yes i am here', 800);
    await harness.clock.advance(4_000);
    expect(harness.types().filter((type) => type === 'user.online_check')).toHaveLength(1);
    await harness.clock.advance(3_500);
    expect(harness.types().filter((type) => type === 'user.online_check')).toHaveLength(2);
    expect(harness.ends).toEqual([]);
  });

  test('does not count as silent while the agent generates or speaks', async () => {
    const harness = createHarness({
      call: { hangup_after_silence_seconds: 5 },
      firstTokenMs: 5_500,
      answer: () => 'word '.repeat(30),
    });
    harness.say('hello', 500);
    await harness.clock.advance(14_000);
    expect(harness.ends).toEqual([]);
    await harness.clock.advance(8_000);
    expect(harness.ends).toEqual([{ hangup_by: 'agent', hangup_reason: 'caller silent' }]);
  });
});

describe('the hang-up prompt', () => {
  const call = { hangup_on_prompt: true, hangup_prompt: 'Is it over?', hangup_message: 'Goodbye then.' };
  const hangUpReply = (over: string) => (request: { messages: { role: string; content: string }[] }) =>
    request.messages[0]!.content.startsWith('Is it over?') ? over : 'Have a nice day.';

  test('a yes ends the call after the hang-up message', async () => {
    const harness = createHarness({ call, answer: hangUpReply('Yes.') });
    harness.say('that was all', 800);
    await harness.clock.advance(8_000);
    expect(harness.types()).toContain('hangup.prompt');
    expect(harness.transcript().at(-1)).toBe('agent: Goodbye then.');
    expect(harness.ends).toEqual([{ hangup_by: 'agent', hangup_reason: 'hang-up prompt' }]);
  });

  test.each(['No.', 'Well, perhaps', 'नहीं, हाँ', ''])('%j ends nothing', async (over) => {
    const harness = createHarness({ call, answer: hangUpReply(over) });
    harness.say('that was all', 800);
    await harness.clock.advance(8_000);
    expect(harness.types()).not.toContain('hangup.prompt');
    expect(harness.ends).toEqual([]);
  });

  test('a caller who continues cancels the check', async () => {
    const harness = createHarness({ call, answer: hangUpReply('Yes.') });
    harness.say('that was all', 800);
    await harness.clock.advance(2_500);
    harness.say('or wait one thing', 1_000);
    await harness.clock.advance(1_000);
    expect(harness.types()).not.toContain('hangup.prompt');
  });
});

describe('keys', () => {
  test('are collected until a pause, a hash or the maximum length', async () => {
    const clock = createVirtualClock();
    const inputs: string[] = [];
    const keys = createDtmfInput({ waitMs: 2_500, clock, onDigits: (digits) => inputs.push(digits) });
    for (const digit of '12') keys.press(digit);
    await clock.advance(2_400);
    keys.press('3');
    await clock.advance(2_600);
    for (const digit of '45#') keys.press(digit);
    keys.press('x');
    keys.press('9');
    keys.close();
    await clock.advance(5_000);
    expect(inputs).toEqual(['123', '45']);
  });

  test('are reported, get a reply, and interrupt the agent', async () => {
    const harness = createHarness({ answer: () => 'word '.repeat(30) });
    harness.say('hello', 500);
    await harness.clock.advance(2_500);
    harness.conversation.onKeys('42');
    expect(harness.emitted.find((event) => event.type === 'call.dtmf')?.data).toEqual({ digits: '42' });
    expect(harness.types()).toContain('interrupted');
    await harness.clock.advance(1_000);
    expect(harness.requests[1]!.messages.at(-1)).toEqual({ role: 'user', content: '[pressed 42]' });
  });
});
