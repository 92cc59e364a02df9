import { describe, expect, test } from 'vitest';
import { createHarness } from '../../support/harness.ts';

const LONG =
  'Let me read that back to you, a table for two people tomorrow evening at seven under your name, by the window.';

describe('taking turns', () => {
  test('the welcome is spoken first and is in the transcript as played out', async () => {
    const harness = createHarness({ welcome: 'Welcome to the house.' });
    harness.conversation.start();
    await harness.clock.advance(3000);
    expect(harness.types()).toEqual(['welcome', 'tts.first_audio']);
    expect(harness.emitted[1]!.data).toMatchObject({ welcome: true });
    harness.say('hello there', 1000);
    await harness.clock.advance(1300);
    expect(harness.transcript()).toEqual(['agent: Welcome to the house.', 'user: hello there']);
  });

  test('a turn gets a reply, whose latency counts from the true end of speech', async () => {
    const harness = createHarness({ answer: () => 'Yes of course.' });
    harness.say('do you have a table', 1000);
    await harness.clock.advance(4000);
    expect(harness.types()).toEqual(['user.turn', 'llm.first_token', 'tts.first_audio', 'agent.reply']);
    const first = harness.emitted.find((event) => event.type === 'tts.first_audio')!;
    // 200 end of turn + 250 first token + 120 first audio, and up to one VAD window.
    expect(first.latency_ms).toBeGreaterThanOrEqual(560);
    expect(first.latency_ms).toBeLessThanOrEqual(610);
    const parts = first.data!.parts as Record<string, number>;
    expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(first.latency_ms!, 0);
    expect(harness.transcript()).toEqual(['user: do you have a table', 'agent: Yes of course.']);
  });

  test('the model gets what was transcribed and what was played out', async () => {
    const harness = createHarness({ answer: () => 'Yes of course.' });
    harness.say('do you have a table', 1000);
    await harness.clock.advance(4000);
    harness.say('for tomorrow', 800);
    await harness.clock.advance(4000);
    expect(harness.requests[1]!.messages.filter((message) => message.role !== 'system')).toEqual([
      { role: 'user', content: 'do you have a table' },
      { role: 'assistant', content: 'Yes of course.' },
      { role: 'user', content: 'for tomorrow' },
    ]);
  });

  test('a caller who continues while the reply is generated gets one reply to all of it', async () => {
    const harness = createHarness({ firstTokenMs: 1500, answer: () => 'Yes of course.' });
    harness.say('do you have a table', 1000);
    await harness.clock.advance(1500);
    harness.say('for tomorrow evening please', 1000);
    await harness.clock.advance(6000);
    expect(harness.types().filter((type) => type === 'agent.reply')).toHaveLength(1);
    expect(harness.requests.at(-1)!.messages.at(-1)).toEqual({
      role: 'user',
      content: 'do you have a table for tomorrow evening please',
    });
  });

  test('without turn detection in the transcriber, VAD, final words and the deadline end the turn', async () => {
    const harness = createHarness({ decidesTurns: false, endpointingMs: 600, answer: () => 'Yes of course.' });
    harness.say('do you have a table', 1000);
    await harness.clock.advance(4000);
    expect(harness.finalizes).toHaveLength(1);
    expect(harness.transcript()).toEqual(['user: do you have a table', 'agent: Yes of course.']);
  });
});

describe('interruptions', () => {
  async function speaking(options: Parameters<typeof createHarness>[0] = {}) {
    const harness = createHarness({ answer: () => LONG, ...options });
    harness.say('tomorrow at seven', 1000);
    await harness.clock.advance(4000);
    expect(harness.types()).toContain('tts.first_audio');
    return harness;
  }

  test('the carrier is cleared at the first words', async () => {
    const harness = await speaking();
    const fromMs = harness.clock.now();
    harness.say('wait make it eight', 1200);
    await harness.clock.advance(140);
    expect(harness.carrier.clears).toHaveLength(1);
    expect(harness.carrier.clears[0]! - fromMs).toBeLessThanOrEqual(140);
  });

  test('only the words played out stay in transcript and history, marked interrupted', async () => {
    const harness = await speaking();
    harness.say('wait make it eight', 1200);
    await harness.clock.advance(4000);
    expect(harness.types()).toContain('interrupted');
    const line = harness.transcript().find((text) => text.endsWith('—'))!;
    expect(LONG.startsWith(line.slice('agent: '.length, -2))).toBe(true);
    expect(line.length).toBeLessThan(LONG.length);
    expect(line.length).toBeGreaterThan(20);
    expect(JSON.stringify(harness.requests[1]!.messages)).not.toContain('by the window');
  });

  test('a quarter of a second of speech pauses the agent before any word', async () => {
    const harness = await speaking({ decidesTurns: false });
    harness.speak(2000);
    await harness.clock.advance(320);
    expect(harness.carrier.clears).toHaveLength(1);
  });

  test('a false interruption: the agent resumes where it paused and says everything once', async () => {
    const harness = await speaking();
    const before = harness.playedFrames.length;
    harness.speak(400);
    await harness.clock.advance(15_000);
    expect(harness.carrier.clears).toHaveLength(1);
    expect(harness.types()).not.toContain('interrupted');
    expect(harness.transcript().at(-1)).toBe(`agent: ${LONG}`);
    expect(harness.playedFrames.length).toBeGreaterThan(before);
    // Played in full, once: about as many frames as the text is long.
    expect(Math.abs(harness.playedFrames.length * 20 - LONG.length * 60)).toBeLessThanOrEqual(60);
  });

  test('a cough does not pause the agent', async () => {
    const harness = await speaking();
    harness.speak(200);
    await harness.clock.advance(15_000);
    expect(harness.carrier.clears).toHaveLength(0);
  });

  test('a backchannel does not interrupt the reply', async () => {
    const harness = await speaking();
    harness.say('okay', 350);
    await harness.clock.advance(15_000);
    expect(harness.types()).not.toContain('interrupted');
    expect(harness.transcript().at(-1)).toBe(`agent: ${LONG}`);
  });

  test('fewer words than interruption_min_words do not interrupt, a command does', async () => {
    const few = await speaking({ call: { interruption_min_words: 3 } });
    few.say('maybe tomorrow', 600);
    await few.clock.advance(15_000);
    expect(few.types()).not.toContain('interrupted');
    const command = await speaking({ call: { interruption_min_words: 3 } });
    command.say('stop', 400);
    await command.clock.advance(2000);
    expect(command.types()).toContain('interrupted');
  });

  test('with allow_interruptions false the agent continues and replies afterwards', async () => {
    const harness = await speaking({ call: { allow_interruptions: false } });
    harness.say('wait make it eight', 1200);
    await harness.clock.advance(2000);
    expect(harness.carrier.clears).toHaveLength(0);
    await harness.clock.advance(15_000);
    expect(harness.requests).toHaveLength(2);
    expect(harness.requests[1]!.messages.at(-1)).toEqual({ role: 'user', content: 'wait make it eight' });
  });

  test('a reply interrupted before its first audio leaves no trace, and the next one is played', async () => {
    const harness = createHarness({ firstAudioMs: 1000, answer: () => 'Yes of course.' });
    harness.say('tomorrow at seven', 1000);
    await harness.clock.advance(1600);
    harness.say('no make it eight please', 1000);
    await harness.clock.advance(8000);
    expect(harness.types().filter((type) => type === 'tts.first_audio')).toHaveLength(1);
    expect(harness.transcript().filter((line) => line.startsWith('agent'))).toEqual(['agent: Yes of course.']);
  });
});

describe('the end of the call', () => {
  test('the goodbye of end_call is played in full before the call ends', async () => {
    const harness = createHarness({ answer: () => ({ text: 'Thank you and goodbye.', tool: 'end_call' }) });
    harness.say('goodbye', 600);
    await harness.clock.advance(1800);
    expect(harness.ends).toEqual([]);
    await harness.clock.advance(3000);
    expect(harness.ends).toEqual([{ hangup_by: 'agent', hangup_reason: 'agent ended the call' }]);
    expect(harness.transcript().at(-1)).toBe('agent: Thank you and goodbye.');
    expect(harness.types()).toContain('tool.call');
  });

  test('words over the goodbye are in the transcript and get no reply', async () => {
    const harness = createHarness({
      answer: () => ({ text: 'Thank you very much for calling us today and goodbye.', tool: 'end_call' }),
    });
    harness.say('goodbye', 600);
    await harness.clock.advance(1500);
    harness.say('bye bye now', 500);
    await harness.clock.advance(8000);
    expect(harness.requests).toHaveLength(1);
    expect(harness.emitted.find((event) => event.data?.after_goodbye)?.message).toBe('bye bye now');
    expect(harness.ends).toHaveLength(1);
  });

  test('end_call without words says the hang-up message, if there is one', async () => {
    const polite = createHarness({ call: { hangup_message: 'Goodbye then.' }, answer: () => ({ tool: 'end_call' }) });
    polite.say('goodbye', 600);
    await polite.clock.advance(6000);
    expect(polite.transcript().at(-1)).toBe('agent: Goodbye then.');
    expect(polite.ends).toHaveLength(1);
    const curt = createHarness({ answer: () => ({ tool: 'end_call' }) });
    curt.say('goodbye', 600);
    await curt.clock.advance(3000);
    expect(curt.ends).toHaveLength(1);
  });

  test('a caller who hangs up during a reply leaves the words played out in the transcript', async () => {
    const harness = createHarness({ answer: () => LONG });
    harness.say('tomorrow at seven', 1000);
    await harness.clock.advance(4000);
    const lines = harness.conversation.close();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ role: 'agent', interrupted: true });
    expect(LONG.startsWith(lines[0]!.text)).toBe(true);
  });

  test('a caller who hangs up in mid-sentence leaves the words so far in the transcript', async () => {
    const harness = createHarness();
    harness.say('do you have a table for two people', 2000);
    await harness.clock.advance(1500);
    expect(harness.conversation.close()).toMatchObject([{ role: 'user', text: 'do you have a table for' }]);
  });

  test('a model that fails for ten seconds ends the call', async () => {
    const harness = createHarness({ answer: () => ({ fail: 'broken', firstTokenMs: 200 }) });
    harness.say('hello', 600);
    await harness.clock.advance(10_900);
    expect(harness.ends).toEqual([]);
    await harness.clock.advance(2_000);
    expect(harness.requests).toHaveLength(9);
    expect(harness.emitted.filter((event) => event.type === 'error').map((event) => event.level)).toEqual([
      'warning',
      'error',
    ]);
    expect(harness.ends).toEqual([{ hangup_by: 'service', hangup_reason: 'error: llm' }]);
  });

  test('a model that works again within ten seconds answers', async () => {
    let requests = 0;
    const harness = createHarness({ answer: () => (++requests < 6 ? { fail: 'broken' } : 'Yes of course.') });
    harness.say('hello', 600);
    await harness.clock.advance(12_000);
    expect(harness.transcript()).toEqual(['user: hello', 'agent: Yes of course.']);
    expect(harness.types().filter((type) => type === 'error')).toHaveLength(1);
  });

  test('only what was played out counts as spoken', async () => {
    const harness = createHarness({ answer: () => 'Yes of course.' });
    harness.say('hello', 600);
    await harness.clock.advance(4000);
    expect(harness.usage).toMatchObject({
      tts_characters: 14,
      llm_calls: 1,
      llm_input_tokens: 10,
      llm_output_tokens: 5,
    });
  });
});
