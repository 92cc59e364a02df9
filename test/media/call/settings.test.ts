import { describe, expect, test } from 'vitest';
import { createDtmfInput } from '../../../media/call/dtmf-input.ts';
import { createHarness } from '../../support/harness.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

describe('a quiet caller', () => {
  test('is asked once, and then hung up on', async () => {
    const stage = createHarness({
      call: {
        check_user_online: true,
        user_online_after_seconds: 4,
        hangup_after_silence_seconds: 8,
        user_online_message: 'Are you there?',
      },
    });
    await stage.clock.advance(4_100);
    expect(stage.told.map((event) => [event.type, event.message])).toContainEqual([
      'user.online_check',
      'Are you there?',
    ]);
    await stage.clock.advance(3_000);
    expect(stage.ends).toEqual([]);
    await stage.clock.advance(3_000);
    expect(stage.types().filter((type) => type === 'user.online_check')).toHaveLength(1);
    expect(stage.ends).toEqual([{ hangup_by: 'agent', hangup_reason: 'caller silent' }]);
  });

  test('who answers is asked again only after the next silence', async () => {
    const stage = createHarness({
      call: { check_user_online: true, user_online_after_seconds: 4, hangup_after_silence_seconds: 10 },
    });
    await stage.clock.advance(6_500);
    stage.say('yes i am here', 800);
    await stage.clock.advance(4_000);
    expect(stage.types().filter((type) => type === 'user.online_check')).toHaveLength(1);
    await stage.clock.advance(3_500);
    expect(stage.types().filter((type) => type === 'user.online_check')).toHaveLength(2);
    expect(stage.ends).toEqual([]);
  });

  test('is not taken for silent while the agent thinks or speaks', async () => {
    const stage = createHarness({
      call: { hangup_after_silence_seconds: 5 },
      firstTokenMs: 5_500,
      answer: () => 'word '.repeat(30),
    });
    stage.say('hello', 500);
    await stage.clock.advance(14_000);
    expect(stage.ends).toEqual([]);
    await stage.clock.advance(8_000);
    expect(stage.ends).toEqual([{ hangup_by: 'agent', hangup_reason: 'caller silent' }]);
  });
});

describe('the hang-up prompt', () => {
  const call = { hangup_on_prompt: true, hangup_prompt: 'Is it over?', hangup_message: 'Goodbye then.' };
  const answering = (over: string) => (request: { messages: { role: string; content: string }[] }) =>
    request.messages[0]!.content.startsWith('Is it over?') ? over : 'Have a nice day.';

  test('a yes ends the call after the hang-up message', async () => {
    const stage = createHarness({ call, answer: answering('Yes.') });
    stage.say('that was all', 800);
    await stage.clock.advance(8_000);
    expect(stage.types()).toContain('hangup.prompt');
    expect(stage.transcript().at(-1)).toBe('agent: Goodbye then.');
    expect(stage.ends).toEqual([{ hangup_by: 'agent', hangup_reason: 'hang-up prompt' }]);
  });

  test.each(['No.', 'Well, perhaps', 'नहीं, हाँ', ''])('%j ends nothing', async (over) => {
    const stage = createHarness({ call, answer: answering(over) });
    stage.say('that was all', 800);
    await stage.clock.advance(8_000);
    expect(stage.types()).not.toContain('hangup.prompt');
    expect(stage.ends).toEqual([]);
  });

  test('a caller who goes on calls it off', async () => {
    const stage = createHarness({ call, answer: answering('Yes.') });
    stage.say('that was all', 800);
    await stage.clock.advance(2_500);
    stage.say('or wait one thing', 1_000);
    await stage.clock.advance(1_000);
    expect(stage.types()).not.toContain('hangup.prompt');
  });
});

describe('keys', () => {
  test('are gathered until a pause, a hash or the longest input', async () => {
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

  test('are told and answered, and interrupt the agent', async () => {
    const stage = createHarness({ answer: () => 'word '.repeat(30) });
    stage.say('hello', 500);
    await stage.clock.advance(2_500);
    stage.conversation.onKeys('42');
    expect(stage.told.find((event) => event.type === 'call.dtmf')?.data).toEqual({ digits: '42' });
    expect(stage.types()).toContain('interrupted');
    await stage.clock.advance(1_000);
    expect(stage.requests[1]!.messages.at(-1)).toEqual({ role: 'user', content: '[pressed 42]' });
  });
});
