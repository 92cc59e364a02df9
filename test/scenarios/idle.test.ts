import { describe, expect, test } from 'vitest';
import { createHarness, type Harness } from '../support/harness.ts';
import { agentSpeaking, replyPlayed, type ScenarioSetup, type Script, scenario } from '../support/scenario.ts';

/** "Are you there?" comes when the caller and the agent were silent for the whole of the set wait, never before. */

const call = { check_user_online: true, user_online_after_seconds: 3, user_online_message: 'Are you there?' };
const WAIT_MS = 3_000;

/** The question came once the wait had passed since anybody spoke, and soon after. */
function expectFullWait(harness: Harness): void {
  const asked = harness.emitted.find(({ type }) => type === 'user.online_check');
  const askedMs = asked?.atMs ?? Number.NaN;
  const ends = [
    ...harness.speech.map(({ endMs }) => endMs),
    ...harness.played.map(({ atMs, fromMs, toMs }) => atMs + toMs - fromMs),
  ].filter((endMs) => endMs <= askedMs);
  const silentMs = askedMs - Math.max(0, ...ends);
  expect(silentMs).toBeGreaterThanOrEqual(WAIT_MS);
  expect(silentMs).toBeLessThan(WAIT_MS + 1_000);
}

describe('a caller is asked whether they are there after the full wait, counted', () => {
  function counted(since: string, setup: ScenarioSetup, write: (script: Script) => void): void {
    scenario(since, { call, lasts: 30_000, ...setup }, (s) => {
      write(s);
      s.expect.that('the wait passed', expectFullWait);
    });
  }
  const words = { transcriber: 'words' } as const;

  counted('from the start of the call where the caller speaks first', {}, () => {});

  counted('from the end of a welcome that was long in coming', { welcome: 'Welcome to the restaurant.' }, (s) => {
    s.synthesizer({ firstAudioMs: 1_000 });
  });

  counted('from the end of an answer', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
  });

  counted('from the end of an answer that was paused', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Certainly, for how many people shall I write it down?');
    s.noise({ at: agentSpeaking(1, 500), for: 400 });
  });

  for (const setup of [words, {}]) {
    counted(`from a sound without words (${JSON.stringify(setup)})`, setup, (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.noise({ at: replyPlayed(1, 2700), for: 250 });
    });
  }

  counted('from words that were taken back', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.caller('for', { at: replyPlayed(1, 2500), for: 450, finally: '' });
  });
});

test('a caller is not asked whether they are there while they press keys', async () => {
  const harness = createHarness({ call: { ...call, hangup_after_silence_seconds: 5 } });
  await harness.clock.advance(2_500);
  harness.conversation.onKey();
  await harness.clock.advance(9_000);
  expect(harness.emitted).toEqual([]);
  expect(harness.ends).toEqual([]);
  harness.conversation.onKeys('42');
  await harness.clock.advance(3_000);
  expect(harness.types()).toEqual(['call.dtmf', 'user.turn', 'llm.first_token', 'tts.first_audio', 'agent.reply']);
});

scenario('sounds without words postpone the question to twice the wait at most', { call, lasts: 30_000 }, (s) => {
  for (let at = 1_000; at < 28_000; at += 1_500) s.noise({ at, for: 250 });
  s.expect.that('asked', (harness) => {
    const { atMs } = harness.emitted.find(({ type }) => type === 'user.online_check')!;
    expect(atMs).toBeGreaterThan(WAIT_MS * 2);
    expect(atMs).toBeLessThan(WAIT_MS * 3.5);
  });
});
