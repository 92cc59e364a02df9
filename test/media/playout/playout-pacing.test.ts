import { expect, it } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import type { Leg } from '../../../media/leg/leg.ts';
import { PLAYOUT_AHEAD_MS, Playout } from '../../../media/playout/playout.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const SPEECH_MS = 5_000;
const MAX_EARLY_MS = 1;

/** When the frames of a speech go out, given when the beats come and what of the sound comes when. */
async function sentWith(beats: readonly number[], sound: readonly { atMs: number; ms: number }[]): Promise<number[]> {
  const clock = createVirtualClock();
  const sent: number[] = [];
  const leg = {
    format: MULAW_8K,
    packetMs: 20,
    playback: { marks: true, marksReturnedOnClear: true, clearAcknowledged: false },
    play: () => sent.push(clock.now()) > 0,
    flush() {},
    mark() {},
    clear() {},
  } as unknown as Leg;
  const playout = new Playout(leg, clock, { started() {}, finished() {}, sent() {}, dropped() {} });
  playout.begin('s', false);
  for (const atMs of beats) clock.after(atMs, () => playout.tick(clock.now()));
  for (const { atMs, ms } of sound) clock.after(atMs, () => playout.push('s', new Uint8Array(ms * 8)));
  await clock.advance(SPEECH_MS);
  return sent;
}

/** Beats of which the random number tells how late each is. */
function tickTimes(latenessMs: (random: number) => number, seed: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: SPEECH_MS / 20 }, (_, beat) => 20 * (beat + 1) + latenessMs(random()));
}

function gapsOf(sent: readonly number[]): number[] {
  return sent.slice(1).map((atMs, index) => atMs - sent[index]!);
}

it('sends one frame a beat, whenever its speech began and though beats come a little early and late', async () => {
  for (let phaseMs = 0; phaseMs < 20; phaseMs += 0.5) {
    const beats = tickTimes((random) => (random * 2 - 1) * MAX_EARLY_MS, 1 + phaseMs);
    const sent = await sentWith(beats, [{ atMs: 100 + phaseMs, ms: SPEECH_MS }]);
    expect(gapsOf(sent).filter((gap) => gap > 24)).toEqual([]);
    // Nothing runs ahead of what is allowed to lie at the carrier.
    for (const [index, atMs] of sent.entries())
      expect((index + 1) * 20 - (atMs - sent[0]!)).toBeLessThan(PLAYOUT_AHEAD_MS + 20);
  }
});

it('leaves no beat out after one that was late, whenever more sound comes', async () => {
  for (let phaseMs = 0; phaseMs < 20; phaseMs += 0.5) {
    // One beat in twenty is up to 9 ms late; the sound comes in pieces of any length, twice as fast as it is spoken.
    const beats = tickTimes((random) => (random < 0.05 ? random * 180 : 0), 1 + phaseMs);
    const random = seededRandom(50 + phaseMs);
    const sound = [{ atMs: 100 + phaseMs, ms: 250 }];
    for (let ms = 250; ms < SPEECH_MS; ms += sound.at(-1)!.ms) {
      sound.push({ atMs: 100 + phaseMs + ms / 2 - 60 * random(), ms: 20 + Math.floor(random() * 300) });
    }
    expect(gapsOf(await sentWith(beats, sound)).filter((gap) => gap > 30)).toEqual([]);
  }
});
