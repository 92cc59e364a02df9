import { describe, expect, test } from 'vitest';
import { type AudioFormat, MULAW_8K, PCM_8K } from '../../../media/audio/format.ts';
import { decodeMulaw } from '../../../media/audio/g711.ts';
import { createJitterBuffer } from '../../../media/audio/jitter-buffer.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const SILENCE = 0xff;

interface Heard {
  /** The frame's bytes when they are all the same, else the frame. */
  frame: number | number[];
  atMs: number;
  concealed: boolean;
}

function setUp(format: AudioFormat = MULAW_8K) {
  const heard: Heard[] = [];
  const buffer = createJitterBuffer(format, (bytes, atMs, concealed) => {
    const same = bytes.every((byte) => byte === bytes[0]);
    heard.push({ frame: same ? bytes[0]! : Array.from(bytes), atMs, concealed });
  });
  return {
    buffer,
    heard,
    frames: () => heard.map(({ frame }) => frame),
    /** A payload of 20 ms whose bytes are its number. */
    push: (order: number, arrivalMs = order * 20) => buffer.push(order, payload(order), arrivalMs),
  };
}

function payload(order: number, bytes = 160): Uint8Array {
  return new Uint8Array(bytes).fill(order % 251);
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
  test('every frame goes out in the call that brings it', () => {
    const { push, heard } = setUp();
    for (const order of range(1, 5)) {
      push(order);
      expect(heard.at(-1)).toEqual({ frame: order, atMs: order * 20, concealed: false });
    }
    expect(heard).toHaveLength(5);
  });

  test('payloads of 100 ms are five frames, of 10 ms half of one, of 30 ms one and a half', () => {
    const hundred = setUp();
    hundred.buffer.push(1, payload(1, 800), 100);
    expect(hundred.frames()).toEqual([1, 1, 1, 1, 1]);

    const ten = setUp();
    ten.buffer.push(1, payload(1, 80), 10);
    expect(ten.heard).toEqual([]);
    ten.buffer.push(2, payload(1, 80), 20);
    expect(ten.heard).toEqual([{ frame: 1, atMs: 20, concealed: false }]);

    const thirty = setUp();
    thirty.buffer.push(1, payload(1, 240), 30);
    thirty.buffer.push(2, payload(1, 240), 60);
    expect(thirty.frames()).toEqual([1, 1, 1]);
  });
});

describe('out of order', () => {
  test('a frame overtaken by two others is waited for', () => {
    const { push, frames, heard } = setUp();
    for (const [order, atMs] of [
      [1, 20],
      [3, 40],
      [4, 41],
      [2, 60],
      [5, 100],
    ] as const)
      push(order, atMs);
    expect(frames()).toEqual([1, 2, 3, 4, 5]);
    expect(heard.map(({ atMs }) => atMs)).toEqual([20, 60, 60, 60, 100]);
  });

  test('any order within the window comes out as it was sent', () => {
    const random = seededRandom(99);
    for (let round = 0; round < 200; round++) {
      const { buffer, push, frames } = setUp();
      const orders = range(1, 60);
      // Every number may be overtaken by two others at most.
      const waiting: { order: number; overtaken: number }[] = [];
      let next = 0;
      let time = 0;
      while (next < orders.length || waiting.length > 0) {
        while (waiting.length < 3 && next < orders.length) waiting.push({ order: orders[next++]!, overtaken: 0 });
        const due = waiting.findIndex(({ overtaken }) => overtaken === 2);
        const [chosen] = waiting.splice(due >= 0 ? due : Math.floor(random() * waiting.length), 1);
        for (const other of waiting) if (other.order < chosen!.order) other.overtaken++;
        time += random() * 15;
        buffer.expire(time);
        push(chosen!.order, time);
      }
      expect(frames()).toEqual(orders);
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

  test('whatever is lost, doubled or delayed, frames are in order and the timeline is true', () => {
    const random = seededRandom(4);
    for (let round = 0; round < 200; round++) {
      const { buffer, heard } = setUp();
      const arrivals: { order: number; atMs: number }[] = [];
      for (const order of range(1, 100)) {
        if (order < 97 && random() < 0.1) continue;
        const atMs = order * 20 + random() * random() * 150;
        arrivals.push({ order, atMs });
        if (random() < 0.1) arrivals.push({ order, atMs: atMs + random() * 100 });
      }
      arrivals.sort((a, b) => a.atMs - b.atMs);
      let tick = 0;
      for (const { order, atMs } of arrivals) {
        for (; tick <= atMs; tick += 20) buffer.expire(tick);
        buffer.push(order, payload(order), atMs);
      }
      buffer.flush();
      // Frame n of the output is number n of the carrier, or its concealment.
      expect(heard).toHaveLength(100);
      heard.forEach(({ frame, concealed }, i) => {
        if (!concealed) expect(frame).toBe(i + 1);
      });
      for (let i = 1; i < heard.length; i++) expect(heard[i]!.atMs).toBeGreaterThanOrEqual(heard[i - 1]!.atMs);
      const { late, duplicate, concealed, refused, stray } = buffer.stats;
      expect(arrivals.length).toBe(100 - concealed + late + duplicate);
      expect(refused + stray).toBe(0);
    }
  });
});

describe('a missing frame', () => {
  test('is concealed when three later ones are here', () => {
    const { push, heard } = setUp();
    for (const order of [1, 3, 4]) push(order);
    expect(heard).toHaveLength(1);
    push(5);
    expect(heard).toEqual([
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

  test('of several the sound fades: half, a quarter, silence', () => {
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
    const { buffer, heard } = setUp(PCM_8K);
    const samples = new Int16Array(160).fill(-1001);
    const bytes = new Uint8Array(samples.buffer);
    buffer.push(1, bytes, 20);
    buffer.push(3, bytes, 60);
    buffer.flush();
    const concealed = new Int16Array(Uint8Array.from(heard[1]!.frame as number[]).buffer);
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
    for (const order of [1, 2, 3, 5, 6]) ten.buffer.push(order, payload(7, 80), order * 10);
    ten.buffer.expire(200);
    expect(ten.heard.map(({ concealed }) => concealed)).toEqual([false, true, false]);
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
  test('is taken up when a second payload confirms it, and one second is concealed', () => {
    const { buffer, push, frames } = setUp();
    push(1);
    push(1000, 40);
    expect(frames()).toEqual([1]);
    push(1001, 60);
    expect(frames()).toHaveLength(1 + 50 + 2);
    expect(frames().slice(-2)).toEqual([1000 % 251, 1001 % 251]);
    expect(buffer.stats).toMatchObject({ resyncs: 1, concealed: 50 });
  });

  test('is not believed for a single payload', () => {
    const { buffer, push, frames } = setUp();
    push(1);
    push(1_000_000_000, 30);
    for (const order of range(2, 40)) push(order);
    expect(frames()).toEqual(range(1, 40));
    push(500_000, 900);
    expect(buffer.stats).toMatchObject({ resyncs: 0, stray: 1 });
  });

  test('that began again conceals nothing', () => {
    const { buffer, push, frames } = setUp();
    for (const order of range(1, 200)) push(order);
    for (const order of range(1, 10)) push(order, 4000 + order * 20);
    expect(frames()).toEqual([...range(1, 200), ...range(1, 10)]);
    expect(buffer.stats).toMatchObject({ resyncs: 1, concealed: 0 });
  });

  test('at the very start conceals nothing', () => {
    const { push, frames } = setUp();
    for (const order of range(100, 103)) push(order);
    expect(frames()).toEqual(range(100, 103));
  });

  test('hands over first what was held', () => {
    const { push, frames } = setUp();
    for (const order of [1, 3, 500, 501]) push(order, 50);
    expect(frames().slice(0, 3)).toEqual([1, half(1), 3]);
    expect(frames()).toHaveLength(3 + 50 + 2);
  });

  test('up to a second away is a loss', () => {
    const { buffer, push, heard } = setUp();
    push(1);
    push(51, 1020);
    buffer.expire(1080);
    expect(heard).toHaveLength(51);
    expect(buffer.stats).toMatchObject({ resyncs: 0, concealed: 49 });
  });
});

describe('strangers', () => {
  test('numbers and sizes that make no sense are refused', () => {
    const { buffer, push, frames } = setUp();
    for (const order of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60]) push(order, 20);
    buffer.push(1, new Uint8Array(0), 20);
    buffer.push(1, new Uint8Array(8001), 20);
    push(1, 20);
    expect(frames()).toEqual([1]);
    expect(buffer.stats.refused).toBe(8);
  });

  test('half a sample of PCM does not shift the following sound', () => {
    const { buffer, heard } = setUp(PCM_8K);
    buffer.push(1, new Uint8Array(321).fill(5), 20);
    buffer.push(2, new Uint8Array(320).fill(6), 40);
    expect(heard.map(({ frame }) => frame)).toEqual([5, 6]);
  });

  test('random numbers never throw', () => {
    const random = seededRandom(31);
    const { buffer, heard } = setUp();
    expect(() => {
      for (let i = 0; i < 5000; i++) {
        const order = Math.floor(random() < 0.5 ? random() * 100 : random() ** 8 * 2 ** 53);
        buffer.push(order, payload(1, 1 + Math.floor(random() * 400)), i);
      }
      buffer.flush();
    }).not.toThrow();
    expect(heard.length).toBe(buffer.stats.frames);
  });
});

test('the end of the stream hands over what is held and fills the last frame', () => {
  const { buffer, frames } = setUp();
  buffer.push(1, payload(1, 80), 10);
  buffer.push(3, payload(3, 80), 30);
  buffer.flush();
  expect(frames()).toEqual([
    [...new Array(80).fill(1), ...new Array(80).fill(SILENCE)],
    [...new Array(80).fill(3), ...new Array(80).fill(SILENCE)],
  ]);
});
