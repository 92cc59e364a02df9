import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadSpeech, speechNames } from '../../fixtures/speech.ts';
import { startTalkOver, type TalkOver } from '../support/talk-over.ts';

/**
 * The recordings on a real line: the media program, a carrier's socket, sound in real time. What comes of a sound is held
 * here; how fast it does is `bench/interruptions.ts`'s business.
 */

let line: TalkOver;

beforeAll(async () => {
  line = await startTalkOver();
});
afterAll(() => line?.close());

const named = (kind: string) => speechNames().filter((name) => loadSpeech(name).kind === kind);

/** Far more than it takes: a word that comes later than this on a busy machine would be missed. */
const SETTLE_MS = 4_000;
const over = (name: string, ears: 'prompt' | 'late') => line.over(name, ears, 1_500, SETTLE_MS);

describe('over the agent', { timeout: 90_000 }, () => {
  test.concurrent.each(named('interruption'))('%s silences it, ends its reply and is answered once', async (name) => {
    const found = await over(name, 'late');
    expect(found.silencedMs).not.toBeNull();
    expect(found).toMatchObject({ replyEnded: true, turns: [loadSpeech(name).text] });
  });

  // Whether it silences the agent for a moment depends on who is faster, the words or a quarter of a second of voice.
  test.concurrent.each(named('backchannel'))('%s does not end its reply, and it goes on', async (name) => {
    const found = await over(name, 'prompt');
    expect(found).toMatchObject({ replyEnded: false, turns: [] });
    if (found.silencedMs !== null) expect(found.resumedAfterMs).not.toBeNull();
  });

  test.concurrent.each(named('cough'))('%s neither silences it nor ends its reply', async (name) => {
    expect(await over(name, 'late')).toMatchObject({ silencedMs: null, replyEnded: false, turns: [] });
  });
});

describe('a sentence with a pause in the middle', { timeout: 90_000 }, () => {
  const paused = named('speech').filter((name) => loadSpeech(name).speech.length > 1);

  test.concurrent.each(paused)('%s is one turn', async (name) => {
    expect(await line.say(name, 'prompt')).toEqual([loadSpeech(name).text]);
  });
});
