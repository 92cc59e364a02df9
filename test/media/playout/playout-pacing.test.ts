import { expect, it } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import type { Leg } from '../../../media/leg/leg.ts';
import { PLAYOUT_AHEAD_MS, Playout } from '../../../media/playout/playout.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const SPEECH_MS = 5_000;
const MAX_EARLY_MS = 1;

/** Returns when the frames of a speech are sent, given the times of the ticks and of the audio chunks. */
async function sentWith(
  ticks: readonly number[],
  audioChunks: readonly { atMs: number; ms: number }[],
  packetMs = 20,
): Promise<number[]> {
  const clock = createVirtualClock();
  const sent: number[] = [];
  const leg = {
    format: MULAW_8K,
    packetMs,
    returnsMarks: true,
    play: () => sent.push(clock.now()) > 0,
    flush() {},
    mark() {},
    clear() {},
  } as unknown as Leg;
  const playout = new Playout(leg, clock, { started() {}, finished() {}, sent() {}, dropped() {} });
  playout.begin('s', false);
  for (const atMs of ticks) clock.after(atMs, () => playout.tick(clock.now()));
  for (const { atMs, ms } of audioChunks) clock.after(atMs, () => playout.push('s', new Uint8Array(ms * 8)));
  await clock.advance(SPEECH_MS);
  return sent;
}

/** Returns tick times; a random number decides how late each is. */
function tickTimes(latenessMs: (random: number) => number, seed: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: SPEECH_MS / 20 }, (_, tick) => 20 * (tick + 1) + latenessMs(random()));
}

function gapsOf(sent: readonly number[]): number[] {
  return sent.slice(1).map((atMs, index) => atMs - sent[index]!);
}

it('sends one frame per tick, whenever the speech began and although ticks come slightly early and late', async () => {
  for (let phaseMs = 0; phaseMs < 20; phaseMs += 0.5) {
    const ticks = tickTimes((random) => (random * 2 - 1) * MAX_EARLY_MS, 1 + phaseMs);
    const sent = await sentWith(ticks, [{ atMs: 100 + phaseMs, ms: SPEECH_MS }]);
    expect(gapsOf(sent).filter((gap) => gap > 24)).toEqual([]);
    // Never more than the limit is buffered at the carrier.
    for (const [index, atMs] of sent.entries())
      expect((index + 1) * 20 - (atMs - sent[0]!)).toBeLessThan(PLAYOUT_AHEAD_MS + 20);
  }
});

it('skips no tick after a late one, whenever more audio comes', async () => {
  for (let phaseMs = 0; phaseMs < 20; phaseMs += 0.5) {
    // One tick in twenty is up to 9 ms late; audio comes in chunks of any length, at twice real time.
    const ticks = tickTimes((random) => (random < 0.05 ? random * 180 : 0), 1 + phaseMs);
    const random = seededRandom(50 + phaseMs);
    const audioChunks = [{ atMs: 100 + phaseMs, ms: 250 }];
    for (let ms = 250; ms < SPEECH_MS; ms += audioChunks.at(-1)!.ms) {
      audioChunks.push({ atMs: 100 + phaseMs + ms / 2 - 60 * random(), ms: 20 + Math.floor(random() * 300) });
    }
    expect(gapsOf(await sentWith(ticks, audioChunks)).filter((gap) => gap > 30)).toEqual([]);
  }
});

it.each([
  [100, 200],
  [200, 300],
])(
  'packets of %i ms: at most %i ms are ahead, and 100 ms of them are left when the next one is sent',
  async (packetMs, aheadMs) => {
    const ticks = tickTimes((random) => (random * 2 - 1) * MAX_EARLY_MS, 1);
    const sent = await sentWith(ticks, [{ atMs: 100, ms: SPEECH_MS }], packetMs);
    const packets = sent.filter((_, frame) => (frame + 1) % (packetMs / 20) === 0);
    const left = packets.map((atMs, packet) => packet * packetMs - (atMs - packets[0]!));
    expect(Math.max(...left) + packetMs).toBeLessThan(aheadMs + 20);
    expect(Math.min(...left.slice(1))).toBeGreaterThan(80);
  },
);
