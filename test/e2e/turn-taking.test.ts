import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadSpeech, speechNames } from '../../fixtures/speech.ts';
import { startTalkOver, type TalkOver } from '../support/talk-over.ts';

/**
 * Turn-taking with recordings through the media program and a carrier's WebSocket in real time. This tests the outcomes;
 * `bench/interruptions.ts` measures the delays.
 */

let talkOver: TalkOver;

beforeAll(async () => {
  talkOver = await startTalkOver();
});
afterAll(() => talkOver?.close());

const named = (kind: string) => speechNames().filter((name) => loadSpeech(name).kind === kind);

/** A generous margin: a later word on a busy machine would be missed. */
const SETTLE_MS = 4_000;
const over = (name: string, stt: 'prompt' | 'late', awaited: string[] = []) =>
  talkOver.over(name, stt, 1_500, SETTLE_MS, awaited);

describe('over the agent', () => {
  test.concurrent.each(named('interruption'))('%s silences it, ends its reply and is answered once', async (name) => {
    const found = await over(name, 'late', ['interrupted', 'user.turn']);
    expect(found.silencedMs).not.toBeNull();
    expect(found).toMatchObject({ replyEnded: true, turns: [loadSpeech(name).text] });
  });

  // Whether it pauses the agent depends on whether words or 250 ms of speech come first.
  test.concurrent.each(named('backchannel'))('%s does not end its reply, and it goes on', async (name) => {
    const found = await over(name, 'prompt');
    expect(found).toMatchObject({ replyEnded: false, turns: [] });
    if (found.silencedMs !== null) expect(found.resumedAfterMs).not.toBeNull();
  });

  test.concurrent.each(named('cough'))('%s neither silences it nor ends its reply', async (name) => {
    expect(await over(name, 'late')).toMatchObject({ silencedMs: null, replyEnded: false, turns: [] });
  });
});

describe('a sentence with a pause in the middle', () => {
  const paused = named('speech').filter((name) => loadSpeech(name).speech.length > 1);

  test.concurrent.each(paused)('%s is one turn', async (name) => {
    expect(await talkOver.say(name, 'prompt')).toEqual([loadSpeech(name).text]);
  });
});
