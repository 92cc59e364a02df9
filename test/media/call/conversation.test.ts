import { describe, expect, test } from 'vitest';
import { createHarness } from '../../support/harness.ts';

const LONG =
  'Let me read that back to you, a table for two people tomorrow evening at seven under your name, by the window.';

describe('taking turns', () => {
  test('the welcome is spoken first and stands in the transcript as heard', async () => {
    const stage = createHarness({ welcome: 'Welcome to the house.' });
    stage.conversation.start();
    await stage.clock.advance(3000);
    expect(stage.types()).toEqual(['welcome', 'tts.first_audio']);
    expect(stage.told[1]!.data).toMatchObject({ welcome: true });
    stage.say('hello there', 1000);
    await stage.clock.advance(1300);
    expect(stage.transcript()).toEqual(['agent: Welcome to the house.', 'user: hello there']);
  });

  test('a turn is answered; its latency counts from the true end of speech', async () => {
    const stage = createHarness({ answer: () => 'Yes of course.' });
    stage.say('do you have a table', 1000);
    await stage.clock.advance(4000);
    expect(stage.types()).toEqual(['user.turn', 'llm.first_token', 'tts.first_audio', 'agent.reply']);
    const first = stage.told.find((event) => event.type === 'tts.first_audio')!;
    // 200 end of turn + 250 first token + 120 first audio, and the window's raster.
    expect(first.latency_ms).toBeGreaterThanOrEqual(560);
    expect(first.latency_ms).toBeLessThanOrEqual(610);
    const parts = first.data!.parts as Record<string, number>;
    expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(first.latency_ms!, 0);
    expect(stage.transcript()).toEqual(['user: do you have a table', 'agent: Yes of course.']);
  });

  test('what the model is told is what was said and heard', async () => {
    const stage = createHarness({ answer: () => 'Yes of course.' });
    stage.say('do you have a table', 1000);
    await stage.clock.advance(4000);
    stage.say('for tomorrow', 800);
    await stage.clock.advance(4000);
    expect(stage.requests[1]!.messages.filter((message) => message.role !== 'system')).toEqual([
      { role: 'user', content: 'do you have a table' },
      { role: 'assistant', content: 'Yes of course.' },
      { role: 'user', content: 'for tomorrow' },
    ]);
  });

  test('a caller who goes on while the agent thinks is answered once, for all of it', async () => {
    const stage = createHarness({ firstTokenMs: 1500, answer: () => 'Yes of course.' });
    stage.say('do you have a table', 1000);
    await stage.clock.advance(1500);
    stage.say('for tomorrow evening please', 1000);
    await stage.clock.advance(6000);
    expect(stage.types().filter((type) => type === 'agent.reply')).toHaveLength(1);
    expect(stage.requests.at(-1)!.messages.at(-1)).toEqual({
      role: 'user',
      content: 'do you have a table for tomorrow evening please',
    });
  });

  test('general transcribers: voice activity, final words and the deadline end the turn', async () => {
    const stage = createHarness({ decidesTurns: false, endpointingMs: 600, answer: () => 'Yes of course.' });
    stage.say('do you have a table', 1000);
    await stage.clock.advance(4000);
    expect(stage.finalizes).toHaveLength(1);
    expect(stage.transcript()).toEqual(['user: do you have a table', 'agent: Yes of course.']);
  });
});

describe('interruptions', () => {
  async function speaking(options: Parameters<typeof createHarness>[0] = {}) {
    const stage = createHarness({ answer: () => LONG, ...options });
    stage.say('tomorrow at seven', 1000);
    await stage.clock.advance(4000);
    expect(stage.types()).toContain('tts.first_audio');
    return stage;
  }

  test('the carrier is cleared at the first words', async () => {
    const stage = await speaking();
    const fromMs = stage.clock.now();
    stage.say('wait make it eight', 1200);
    await stage.clock.advance(140);
    expect(stage.carrier.clears).toHaveLength(1);
    expect(stage.carrier.clears[0]! - fromMs).toBeLessThanOrEqual(140);
  });

  test('only the words that were heard stay, marked interrupted, and the model knows', async () => {
    const stage = await speaking();
    stage.say('wait make it eight', 1200);
    await stage.clock.advance(4000);
    expect(stage.types()).toContain('interrupted');
    const line = stage.transcript().find((text) => text.endsWith('—'))!;
    expect(LONG.startsWith(line.slice('agent: '.length, -2))).toBe(true);
    expect(line.length).toBeLessThan(LONG.length);
    expect(line.length).toBeGreaterThan(20);
    expect(JSON.stringify(stage.requests[1]!.messages)).not.toContain('by the window');
  });

  test('a quarter of a second of voice silences the agent before any word', async () => {
    const stage = await speaking({ decidesTurns: false });
    stage.voice(2000);
    await stage.clock.advance(320);
    expect(stage.carrier.clears).toHaveLength(1);
  });

  test('noise without words: the agent goes on from where it stopped and says everything once', async () => {
    const stage = await speaking();
    const before = stage.heardFrames.length;
    stage.voice(400);
    await stage.clock.advance(15_000);
    expect(stage.carrier.clears).toHaveLength(1);
    expect(stage.types()).not.toContain('interrupted');
    expect(stage.transcript().at(-1)).toBe(`agent: ${LONG}`);
    expect(stage.heardFrames.length).toBeGreaterThan(before);
    // Heard in full, once: about as many frames as the text is long.
    expect(Math.abs(stage.heardFrames.length * 20 - LONG.length * 60)).toBeLessThanOrEqual(60);
  });

  test('a cough does not silence it', async () => {
    const stage = await speaking();
    stage.voice(200);
    await stage.clock.advance(15_000);
    expect(stage.carrier.clears).toHaveLength(0);
  });

  test('a backchannel does not end the reply', async () => {
    const stage = await speaking();
    stage.say('okay', 350);
    await stage.clock.advance(15_000);
    expect(stage.types()).not.toContain('interrupted');
    expect(stage.transcript().at(-1)).toBe(`agent: ${LONG}`);
  });

  test('fewer words than interruption_min_words do not cut, a command does', async () => {
    const few = await speaking({ call: { interruption_min_words: 3 } });
    few.say('maybe tomorrow', 600);
    await few.clock.advance(15_000);
    expect(few.types()).not.toContain('interrupted');
    const command = await speaking({ call: { interruption_min_words: 3 } });
    command.say('stop', 400);
    await command.clock.advance(2000);
    expect(command.types()).toContain('interrupted');
  });

  test('allow_interruptions false: the agent speaks on and answers afterwards', async () => {
    const stage = await speaking({ call: { allow_interruptions: false } });
    stage.say('wait make it eight', 1200);
    await stage.clock.advance(2000);
    expect(stage.carrier.clears).toHaveLength(0);
    await stage.clock.advance(15_000);
    expect(stage.requests).toHaveLength(2);
    expect(stage.requests[1]!.messages.at(-1)).toEqual({ role: 'user', content: 'wait make it eight' });
  });

  test('a reply interrupted before its first sound leaves no trace and the next one speaks', async () => {
    const stage = createHarness({ firstAudioMs: 1000, answer: () => 'Yes of course.' });
    stage.say('tomorrow at seven', 1000);
    await stage.clock.advance(1600);
    stage.say('no make it eight please', 1000);
    await stage.clock.advance(8000);
    expect(stage.types().filter((type) => type === 'tts.first_audio')).toHaveLength(1);
    expect(stage.transcript().filter((line) => line.startsWith('agent'))).toEqual(['agent: Yes of course.']);
  });
});

describe('the end', () => {
  test('the goodbye of end_call is heard in full before the line is closed', async () => {
    const stage = createHarness({ answer: () => ({ text: 'Thank you and goodbye.', tool: 'end_call' }) });
    stage.say('goodbye', 600);
    await stage.clock.advance(1800);
    expect(stage.ends).toEqual([]);
    await stage.clock.advance(3000);
    expect(stage.ends).toEqual([{ hangup_by: 'agent', hangup_reason: 'agent ended the call' }]);
    expect(stage.transcript().at(-1)).toBe('agent: Thank you and goodbye.');
    expect(stage.types()).toContain('tool.call');
  });

  test('what is said over the goodbye is kept, not answered', async () => {
    const stage = createHarness({
      answer: () => ({ text: 'Thank you very much for calling us today and goodbye.', tool: 'end_call' }),
    });
    stage.say('goodbye', 600);
    await stage.clock.advance(1500);
    stage.say('bye bye now', 500);
    await stage.clock.advance(8000);
    expect(stage.requests).toHaveLength(1);
    expect(stage.told.find((event) => event.data?.after_goodbye)?.message).toBe('bye bye now');
    expect(stage.ends).toHaveLength(1);
  });

  test('end_call without words says the hangup message, or nothing', async () => {
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

  test('a caller who hangs up in the middle leaves the words that were heard', async () => {
    const stage = createHarness({ answer: () => LONG });
    stage.say('tomorrow at seven', 1000);
    await stage.clock.advance(4000);
    const lines = stage.conversation.close();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ role: 'agent', interrupted: true });
    expect(LONG.startsWith(lines[0]!.text)).toBe(true);
  });

  test('a caller who hangs up in the middle of a sentence leaves the words that were said', async () => {
    const stage = createHarness();
    stage.say('do you have a table for two people', 2000);
    await stage.clock.advance(1500);
    expect(stage.conversation.close()).toMatchObject([{ role: 'user', text: 'do you have a table for' }]);
  });

  test('a model that fails is tried once more, then the call ends', async () => {
    const stage = createHarness({ answer: () => ({ fail: 'broken' }) });
    stage.say('hello', 600);
    await stage.clock.advance(3000);
    expect(stage.requests).toHaveLength(2);
    expect(stage.told.filter((event) => event.type === 'error').map((event) => event.level)).toEqual([
      'warning',
      'error',
    ]);
    expect(stage.ends).toEqual([{ hangup_by: 'service', hangup_reason: 'error: llm' }]);
  });

  test('only what was heard is counted as spoken', async () => {
    const stage = createHarness({ answer: () => 'Yes of course.' });
    stage.say('hello', 600);
    await stage.clock.advance(4000);
    expect(stage.usage).toMatchObject({ tts_characters: 14, llm_calls: 1, llm_input_tokens: 10, llm_output_tokens: 5 });
  });
});
