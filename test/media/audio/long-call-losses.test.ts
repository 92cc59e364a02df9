import { expect, test } from 'vitest';
import { createAdaptiveJitterBuffer } from '../../../media/audio/adaptive-jitter-buffer.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { createJitterBuffer } from '../../../media/audio/jitter-buffer.ts';

/** What the jitter buffers count on a call of three hours: numbers wrap around, and rings of them are used again and again. */

const PACKETS = 3 * 3_600 * 50;
const LOST_EVERY = 97;
const LATE_EVERY = 1_009;
const TWICE_EVERY = 503;
const LATE_MS = 300;

/** Calls `push` in the order of arrival: every 97th is lost, every 1,009th comes 300 ms late, every 503rd comes twice. */
function threeHours(push: (number: number, arrivalMs: number) => void): { lost: number; late: number; twice: number } {
  const counts = { lost: 0, late: 0, twice: 0 };
  const delayed: { number: number; arrivalMs: number }[] = [];
  for (let number = 1; number <= PACKETS; number++) {
    const arrivalMs = number * 20;
    while (delayed[0] && delayed[0].arrivalMs < arrivalMs) {
      const { number: late, arrivalMs: lateMs } = delayed.shift()!;
      push(late, lateMs);
    }
    // The last ones would be missing or late after the end.
    const inside = number > 1 && number < PACKETS - 100;
    if (inside && number % LOST_EVERY === 0) counts.lost++;
    else if (inside && number % LATE_EVERY === 0) {
      counts.late++;
      delayed.push({ number, arrivalMs: arrivalMs + LATE_MS - 1 });
    } else {
      push(number, arrivalMs);
      if (number % TWICE_EVERY !== 0) continue;
      counts.twice++;
      push(number, arrivalMs + 1);
    }
  }
  return counts;
}

test('a carrier: what was lost, late and doubled is counted exactly, and no audio is missing', () => {
  let frames = 0;
  const buffer = createJitterBuffer(MULAW_8K, () => void frames++);
  const payload = new Uint8Array(160);
  const { lost, late, twice } = threeHours((number, arrivalMs) => buffer.push(number, payload, arrivalMs));
  buffer.flush();
  expect(buffer.stats).toMatchObject({
    concealed: lost + late,
    late,
    duplicate: twice,
    stray: 0,
    refused: 0,
    resyncs: 0,
  });
  expect([buffer.stats.frames, frames]).toEqual([PACKETS, PACKETS]);
});

test('a browser: the same, while its numbers of 16 bits wrap around eight times', () => {
  let audioMs = 0;
  const add = (ms: number) => {
    audioMs += ms;
    return ms;
  };
  const buffer = createAdaptiveJitterBuffer(48_000, {
    isPause: () => false,
    play: () => add(20),
    conceal: () => add(20),
    silence: add,
  });
  const payload = Uint8Array.of(1);
  let nowMs = 0;
  const { lost, late, twice } = threeHours((number, arrivalMs) => {
    for (; nowMs + 20 <= arrivalMs; nowMs += 20) buffer.tick(nowMs + 20);
    buffer.push((65_000 + number) & 0xffff, (0xffff_0000 + number * 960) >>> 0, payload, arrivalMs);
  });
  expect(buffer.stats).toMatchObject({ duplicate: twice, stray: 0, resyncs: 0 });
  // A late packet is still played when the audio that stood in for it was the last.
  expect(buffer.stats.concealed).toBeGreaterThanOrEqual(lost);
  expect(buffer.stats.concealed).toBeLessThanOrEqual(lost + late);
  expect(buffer.stats.late).toBeLessThanOrEqual(late);
  expect(audioMs).toBe(PACKETS * 20);
});
