import { expect, it } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import type { Leg } from '../../../media/leg/leg.ts';
import { LEAD_MS, Playout } from '../../../media/playout/playout.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { randomFrom } from '../audio/signals.ts';

/** When the frames of five seconds of speech go out whose sound came `phaseMs` after a beat, the beats up to 1 ms early or late. */
async function sentWith(phaseMs: number, seed: number): Promise<number[]> {
  const clock = createVirtualClock();
  const random = randomFrom(seed);
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
  await clock.advance(100 + phaseMs);
  playout.begin('s', false);
  playout.push('s', new Uint8Array(5 * 8_000));
  for (let beatMs = 120; beatMs < 4_900; beatMs += 20) {
    await clock.advance(Math.max(0, beatMs + (random() - 0.5) * 2 - clock.now()));
    playout.tick(clock.now());
  }
  return sent;
}

it('sends one frame a beat, whenever its speech began and though beats come a little early and late', async () => {
  for (let phaseMs = 0; phaseMs < 20; phaseMs += 0.5) {
    const sent = await sentWith(phaseMs, 1 + phaseMs);
    const gaps = sent.slice(1).map((atMs, index) => atMs - sent[index]!);
    // Once at its start a run may leave out a beat until it has found its place.
    expect(gaps.filter((gap) => gap > 30).length).toBeLessThanOrEqual(1);
    // Nothing runs ahead of what is allowed to lie at the carrier.
    for (const [index, atMs] of sent.entries()) expect((index + 1) * 20 - (atMs - sent[0]!)).toBeLessThan(LEAD_MS + 20);
  }
});
