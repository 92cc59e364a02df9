import { describe, expect, test } from 'vitest';
import { createHarness } from '../../support/harness.ts';

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
