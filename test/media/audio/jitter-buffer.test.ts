import { describe, expect, test } from 'vitest';
import { type AudioFormat, MULAW_8K, PCM_8K } from '../../../media/audio/format.ts';
import { decodeMulaw } from '../../../media/audio/g711.ts';
import { createJitterBuffer } from '../../../media/audio/jitter-buffer.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const SILENCE = 0xff;

interface DeliveredFrame {
  /** The frame's bytes when they are all the same, else the frame. */
  frame: number | number[];
  atMs: number;
  concealed: boolean;
}

function setUp(format: AudioFormat = MULAW_8K) {
  const delivered: DeliveredFrame[] = [];
  const buffer = createJitterBuffer(format, (bytes, atMs, concealed) => {
    const same = bytes.every((byte) => byte === bytes[0]);
    delivered.push({ frame: same ? bytes[0]! : Array.from(bytes), atMs, concealed });
  });
  return {
    buffer,
    delivered,
    frames: () => delivered.map(({ frame }) => frame),
    /** A payload of 20 ms whose bytes are its number. */
    push: (sequence: number, arrivalMs = sequence * 20) => buffer.push(sequence, payload(sequence), arrivalMs),
  };
}

function payload(sequence: number, bytes = 160): Uint8Array {
  return new Uint8Array(bytes).fill(sequence % 251);
}

/** The mu-law code of half the level. */
function half(code: number): number {
  const out = new Int16Array(256);
  decodeMulaw(
    Uint8Array.from({ length: 256 }, (_, i) => i),
    out,
  );
  let best = 0;
  for (let i = 0; i < 256; i++)
    if (Math.abs(out[i]! - out[code]! / 2) < Math.abs(out[best]! - out[code]! / 2)) best = i;
  return best;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

describe('in order', () => {
  test('every frame is delivered in the call that pushes it', () => {
    const { push, delivered } = setUp();
    for (const sequence of range(1, 5)) {
      push(sequence);
      expect(delivered.at(-1)).toEqual({ frame: sequence, atMs: sequence * 20, concealed: false });
    }
    expect(delivered).toHaveLength(5);
  });

  test('payloads of 100 ms are five frames, of 10 ms half of one, of 30 ms one and a half', () => {
    const hundred = setUp();
    hundred.buffer.push(1, payload(1, 800), 100);
    expect(hundred.frames()).toEqual([1, 1, 1, 1, 1]);

    const ten = setUp();
    ten.buffer.push(1, payload(1, 80), 10);
    expect(ten.delivered).toEqual([]);
    ten.buffer.push(2, payload(1, 80), 20);
    expect(ten.delivered).toEqual([{ frame: 1, atMs: 20, concealed: false }]);

    const thirty = setUp();
    thirty.buffer.push(1, payload(1, 240), 30);
    thirty.buffer.push(2, payload(1, 240), 60);
    expect(thirty.frames()).toEqual([1, 1, 1]);
  });
});

describe('out of order', () => {
  test('a frame overtaken by two others is waited for', () => {
    const { push, frames, delivered } = setUp();
    for (const [sequence, atMs] of [
      [1, 20],
      [3, 60],
      [4, 80],
      [2, 90],
      [5, 100],
    ] as const)
      push(sequence, atMs);
    expect(frames()).toEqual([1, 2, 3, 4, 5]);
    expect(delivered.map(({ atMs }) => atMs)).toEqual([20, 40, 60, 80, 100]);
  });

  test('any order within the window is restored', () => {
    const random = seededRandom(99);
    for (let round = 0; round < 200; round++) {
      const { buffer, push, frames } = setUp();
      const sequences = range(1, 60);
      // Every number may be overtaken by two others at most.
      const waiting: { sequence: number; overtaken: number }[] = [];
      let next = 0;
      let time = 0;
      while (next < sequences.length || waiting.length > 0) {
        while (waiting.length < 3 && next < sequences.length)
          waiting.push({ sequence: sequences[next++]!, overtaken: 0 });
        const due = waiting.findIndex(({ overtaken }) => overtaken === 2);
        const [chosen] = waiting.splice(due >= 0 ? due : Math.floor(random() * waiting.length), 1);
        for (const other of waiting) if (other.sequence < chosen!.sequence) other.overtaken++;
        time += random() * 15;
        buffer.expire(time);
        push(chosen!.sequence, time);
      }
      expect(frames()).toEqual(sequences);
      expect(buffer.stats).toEqual({
        frames: 60,
        concealed: 0,
        late: 0,
        duplicate: 0,
        stray: 0,
        refused: 0,
        resyncs: 0,
      });
    }
  });

  test('frames are in order and the timeline is true through loss, duplicates and delay', () => {
    const random = seededRandom(4);
    for (let round = 0; round < 200; round++) {
      const { buffer, delivered } = setUp();
      const arrivals: { sequence: number; atMs: number }[] = [];
      for (const sequence of range(1, 100)) {
        if (sequence < 97 && random() < 0.1) continue;
        const atMs = sequence * 20 + random() * random() * 150;
        arrivals.push({ sequence, atMs });
        if (random() < 0.1) arrivals.push({ sequence, atMs: atMs + random() * 100 });
      }
      arrivals.sort((a, b) => a.atMs - b.atMs);
      let tick = 0;
      for (const { sequence, atMs } of arrivals) {
        for (; tick <= atMs; tick += 20) buffer.expire(tick);
        buffer.push(sequence, payload(sequence), atMs);
      }
      buffer.flush();
      // Frame n of the output is number n of the carrier, or its concealment.
      expect(delivered).toHaveLength(100);
      delivered.forEach(({ frame, concealed }, i) => {
        if (!concealed) expect(frame).toBe(i + 1);
      });
      for (let i = 1; i < delivered.length; i++)
        expect(delivered[i]!.atMs).toBeGreaterThanOrEqual(delivered[i - 1]!.atMs);
      const { late, duplicate, concealed, refused, stray } = buffer.stats;
      expect(arrivals.length).toBe(100 - concealed + late + duplicate);
      expect(refused + stray).toBe(0);
    }
  });
});

describe('after a stall of the network', () => {
  const stalled = (stallMs: number) => {
    const stalls: number[] = [];
    const times: number[] = [];
    const buffer = createJitterBuffer(
      MULAW_8K,
      (_frame, atMs) => times.push(atMs),
      (ms) => stalls.push(ms),
    );
    for (const sequence of range(1, 50)) buffer.push(sequence, payload(sequence), sequence * 20);
    return { buffer, stalls, times, burstMs: 1_020 + stallMs };
  };

  for (const stallMs of [300, 500, 1_000]) {
    test(`frames that come ${stallMs} ms late at once have the times at which they should have come`, () => {
      const { buffer, stalls, times, burstMs } = stalled(stallMs);
      for (const sequence of range(51, 51 + stallMs / 20)) buffer.push(sequence, payload(sequence), burstMs);
      expect(times).toEqual(range(1, 51 + stallMs / 20).map((sequence) => sequence * 20));
      expect(stalls).toEqual([stallMs]);
    });
  }

  test('a frame that is missing in the burst has its time too', () => {
    const { buffer, times, burstMs } = stalled(500);
    for (const sequence of [51, 52, ...range(54, 76)]) buffer.push(sequence, payload(sequence), burstMs);
    expect(times).toEqual(range(1, 76).map((sequence) => sequence * 20));
  });

  test('what comes in real time without having caught up has the time of its arrival after three frames', () => {
    const { buffer, stalls, times } = stalled(0);
    for (const sequence of range(51, 60)) buffer.push(sequence, payload(sequence), sequence * 20 + 3_000);
    expect(times.slice(52)).toEqual(range(53, 60).map((sequence) => sequence * 20 + 3_000));
    expect(stalls).toEqual([]);
  });
});

test('the frames of a longer payload are 20 ms apart', () => {
  const { buffer, delivered } = setUp();
  buffer.push(1, payload(1, 800), 100);
  expect(delivered.map(({ atMs }) => atMs)).toEqual([20, 40, 60, 80, 100]);
});

describe('a missing frame', () => {
  test('is concealed when three later ones are here', () => {
    const { push, delivered } = setUp();
    for (const sequence of [1, 3, 4]) push(sequence);
    expect(delivered).toHaveLength(1);
    push(5);
    expect(delivered).toEqual([
      { frame: 1, atMs: 20, concealed: false },
      { frame: half(1), atMs: 40, concealed: true },
      { frame: 3, atMs: 60, concealed: false },
      { frame: 4, atMs: 80, concealed: false },
      { frame: 5, atMs: 100, concealed: false },
    ]);
  });

  test('is concealed 60 ms after a later one came', () => {
    const { buffer, push, frames } = setUp();
    push(1, 20);
    push(3, 60);
    buffer.expire(119);
    expect(frames()).toEqual([1]);
    buffer.expire(120);
    expect(frames()).toEqual([1, half(1), 3]);
  });

  test('that comes later than that is dropped and counted', () => {
    const { buffer, push, frames } = setUp();
    push(1, 20);
    push(3, 60);
    push(2, 130);
    push(2, 131);
    push(4, 132);
    expect(frames()).toEqual([1, half(1), 3, 4]);
    expect(buffer.stats).toMatchObject({ concealed: 1, late: 1, duplicate: 1 });
  });

  test('of several fades: half, a quarter, silence', () => {
    const { buffer, push, frames } = setUp();
    push(1, 20);
    push(6, 120);
    buffer.expire(180);
    expect(frames()).toEqual([1, half(1), half(half(1)), SILENCE, SILENCE, 6]);
  });

  test('before the first is silence', () => {
    const { buffer, push, frames } = setUp();
    push(3, 60);
    buffer.expire(120);
    expect(frames()).toEqual([SILENCE, SILENCE, 3]);
  });

  test('in PCM fades by halves as well', () => {
    const { buffer, delivered } = setUp(PCM_8K);
    const samples = new Int16Array(160).fill(-1001);
    const bytes = new Uint8Array(samples.buffer);
    buffer.push(1, bytes, 20);
    buffer.push(3, bytes, 60);
    buffer.flush();
    const concealed = new Int16Array(Uint8Array.from(delivered[1]!.frame as number[]).buffer);
    expect(new Set(concealed)).toEqual(new Set([-501]));
  });

  test('of 100 ms or 10 ms is as long as the others', () => {
    const hundred = setUp();
    hundred.buffer.push(1, payload(1, 800), 100);
    hundred.buffer.push(3, payload(3, 800), 300);
    hundred.buffer.expire(360);
    expect(hundred.frames()).toEqual([
      1,
      1,
      1,
      1,
      1,
      half(1),
      half(half(1)),
      ...[SILENCE, SILENCE, SILENCE],
      3,
      3,
      3,
      3,
      3,
    ]);

    const ten = setUp();
    for (const sequence of [1, 2, 3, 5, 6]) ten.buffer.push(sequence, payload(7, 80), sequence * 10);
    ten.buffer.expire(200);
    expect(ten.delivered.map(({ concealed }) => concealed)).toEqual([false, true, false]);
  });

  test('does not make the next one wait when time has passed for both', () => {
    const { buffer, push, frames } = setUp();
    push(1, 20);
    push(3, 60);
    push(5, 100);
    buffer.expire(160);
    expect(frames()).toEqual([1, half(1), 3, half(3), 5]);
  });
});

describe('another numbering', () => {
  test('is adopted when a second payload confirms it, and one second is concealed', () => {
    const { buffer, push, frames } = setUp();
    push(1);
    push(1000, 40);
    expect(frames()).toEqual([1]);
    push(1001, 60);
    expect(frames()).toHaveLength(1 + 50 + 2);
    expect(frames().slice(-2)).toEqual([1000 % 251, 1001 % 251]);
    expect(buffer.stats).toMatchObject({ resyncs: 1, concealed: 50 });
  });

  test('is not adopted for a single payload', () => {
    const { buffer, push, frames } = setUp();
    push(1);
    push(1_000_000_000, 30);
    for (const sequence of range(2, 40)) push(sequence);
    expect(frames()).toEqual(range(1, 40));
    push(500_000, 900);
    expect(buffer.stats).toMatchObject({ resyncs: 0, stray: 1 });
  });

  test('that began again conceals nothing', () => {
    const { buffer, push, frames } = setUp();
    for (const sequence of range(1, 200)) push(sequence);
    for (const sequence of range(1, 10)) push(sequence, 4000 + sequence * 20);
    expect(frames()).toEqual([...range(1, 200), ...range(1, 10)]);
    expect(buffer.stats).toMatchObject({ resyncs: 1, concealed: 0 });
  });

  test('at the very start conceals nothing', () => {
    const { push, frames } = setUp();
    for (const sequence of range(100, 103)) push(sequence);
    expect(frames()).toEqual(range(100, 103));
  });

  test('delivers first what was held', () => {
    const { push, frames } = setUp();
    for (const sequence of [1, 3, 500, 501]) push(sequence, 50);
    expect(frames().slice(0, 3)).toEqual([1, half(1), 3]);
    expect(frames()).toHaveLength(3 + 50 + 2);
  });

  test('up to a second away is a loss', () => {
    const { buffer, push, delivered } = setUp();
    push(1);
    push(51, 1020);
    buffer.expire(1080);
    expect(delivered).toHaveLength(51);
    expect(buffer.stats).toMatchObject({ resyncs: 0, concealed: 49 });
  });
});

describe('invalid input', () => {
  test('invalid sequence numbers and sizes are refused', () => {
    const { buffer, push, frames } = setUp();
    for (const sequence of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60]) push(sequence, 20);
    buffer.push(1, new Uint8Array(0), 20);
    buffer.push(1, new Uint8Array(8001), 20);
    push(1, 20);
    expect(frames()).toEqual([1]);
    expect(buffer.stats.refused).toBe(8);
  });

  test('half a sample of PCM does not shift the following audio', () => {
    const { buffer, delivered } = setUp(PCM_8K);
    buffer.push(1, new Uint8Array(321).fill(5), 20);
    buffer.push(2, new Uint8Array(320).fill(6), 40);
    expect(delivered.map(({ frame }) => frame)).toEqual([5, 6]);
  });

  test('random numbers never throw', () => {
    const random = seededRandom(31);
    const { buffer, delivered } = setUp();
    expect(() => {
      for (let i = 0; i < 5000; i++) {
        const sequence = Math.floor(random() < 0.5 ? random() * 100 : random() ** 8 * 2 ** 53);
        buffer.push(sequence, payload(1, 1 + Math.floor(random() * 400)), i);
      }
      buffer.flush();
    }).not.toThrow();
    expect(delivered.length).toBe(buffer.stats.frames);
  });
});

test('flush delivers what is held and pads the last frame', () => {
  const { buffer, frames } = setUp();
  buffer.push(1, payload(1, 80), 10);
  buffer.push(3, payload(3, 80), 30);
  buffer.flush();
  expect(frames()).toEqual([
    [...new Array(80).fill(1), ...new Array(80).fill(SILENCE)],
    [...new Array(80).fill(3), ...new Array(80).fill(SILENCE)],
  ]);
});
