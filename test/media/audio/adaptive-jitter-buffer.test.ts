import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAdaptiveJitterBuffer } from '../../../media/audio/adaptive-jitter-buffer.ts';

const RATE = 48_000;
const STEP = 960;
const PAUSE = 255;

/** A stage: packets of 20 ms whose first byte names them; what comes out is written down. */
function stage(firstSequence = 65_530, firstTimestamp = 0xffff_f000) {
  const out: string[] = [];
  let soundMs = 0;
  let lastAtMs = Number.NEGATIVE_INFINITY;
  let nowMs = 0;
  const at = (ms: number) => {
    expect(ms).toBeGreaterThanOrEqual(lastAtMs);
    expect(ms).toBeLessThanOrEqual(nowMs);
    lastAtMs = ms;
  };
  const jitter = createAdaptiveJitterBuffer(RATE, {
    isPause: (payload) => payload[0] === PAUSE,
    play(payload, ms) {
      at(ms);
      out.push(String(payload[0]));
      soundMs += 20;
      return 20;
    },
    conceal(ms) {
      at(ms);
      out.push('c');
      soundMs += 20;
      return 20;
    },
    silence(ms, moment) {
      at(moment);
      out.push(ms === 20 ? '-' : `-${Math.round(ms)}`);
      soundMs += ms;
    },
  });
  return {
    out,
    jitter,
    soundMs: () => soundMs,
    push(number: number, arrivalMs: number, payload = number, steps = number) {
      nowMs = Math.max(nowMs, arrivalMs);
      jitter.push(
        (firstSequence + number) & 0xffff,
        (firstTimestamp + steps * STEP) >>> 0,
        Uint8Array.of(payload),
        arrivalMs,
      );
    },
    /** Beats of 20 ms up to this moment. */
    beats(untilMs: number) {
      for (let ms = Math.floor(nowMs / 20) * 20 + 20; ms <= untilMs; ms += 20) {
        nowMs = ms;
        jitter.tick(ms);
      }
    },
    taken: () => out.splice(0).join(' '),
  };
}

describe('in order', () => {
  test('a packet goes out in the call that brings it, over both numbers wrapping round', () => {
    const s = stage();
    for (let i = 0; i < 12; i++) {
      s.push(i, i * 20);
      expect(s.taken()).toBe(String(i));
    }
    expect(s.jitter.stats).toMatchObject({ packets: 12, late: 0, concealed: 0, reordered: 0 });
  });

  test('two that changed places are put right without a loss', () => {
    const s = stage();
    s.push(0, 0);
    s.push(2, 40);
    s.push(1, 41);
    s.push(3, 60);
    expect(s.taken()).toBe('0 1 2 3');
    expect(s.jitter.stats.reordered).toBe(1);
  });

  test('a duplicate is heard once', () => {
    const s = stage();
    for (const i of [0, 1, 1, 0, 2, 2]) s.push(i, i * 20);
    expect(s.taken()).toBe('0 1 2');
    expect(s.jitter.stats.duplicate).toBe(3);
  });
});

describe('what is missing', () => {
  test('is waited for 60 ms on a calm network, then made up for', () => {
    const s = stage();
    s.push(0, 0);
    s.push(1, 20);
    s.push(3, 60);
    s.push(4, 80);
    s.beats(80);
    expect(s.taken()).toBe('0 1');
    s.beats(120);
    expect(s.taken()).toBe('c 3 4');
    s.push(2, 130);
    expect(s.taken()).toBe('');
    expect(s.jitter.stats).toMatchObject({ concealed: 1, late: 1 });
  });

  test('comes in time when it was asked for again', () => {
    const s = stage();
    s.push(0, 0);
    s.push(1, 20);
    s.push(3, 60);
    s.beats(80);
    s.push(2, 90);
    s.beats(200);
    expect(s.taken()).toMatch(/^0 1 2 3/);
    expect(s.jitter.stats.late).toBe(0);
  });

  test('a long loss is extrapolated for a tenth of a second, and then silent; the timeline goes on', () => {
    const s = stage();
    for (let i = 0; i < 10; i++) s.push(i, i * 20);
    s.taken();
    s.beats(600);
    expect(s.taken()).toMatch(/^c c c c c( -)+$/);
    expect(Math.abs(s.soundMs() - 560)).toBeLessThanOrEqual(40);
    for (let i = 30; i < 33; i++) s.push(i, i * 20 + 5);
    // Two packets may still be on their way.
    s.beats(680);
    expect(s.taken()).toMatch(/30 31 32$/);
    expect(Math.abs(s.soundMs() - 660)).toBeLessThanOrEqual(40);
  });

  test('a pause of the other side is silence, not loss, also before the next word comes', () => {
    const s = stage();
    s.push(0, 0);
    s.push(1, 20, PAUSE);
    s.beats(400);
    expect(s.jitter.stats.concealed).toBe(0);
    // The numbers go on, the timestamps leap.
    s.push(2, 420, 2, 21);
    expect(s.taken()).toMatch(/^0 255( -)+( -\d+)? 2$/);
    expect(Math.abs(s.soundMs() - 440)).toBeLessThanOrEqual(1);
    expect(s.jitter.stats.late).toBe(0);
  });
});

describe('the wait follows the network', () => {
  test('it grows at once when a packet is later, and shrinks by 10 ms in a second', () => {
    const s = stage();
    let i = 0;
    for (; i < 50; i++) s.push(i, i * 20);
    expect(s.jitter.stats.waitMs).toBe(60);
    s.push(i, i * 20 + 130);
    i++;
    expect(s.jitter.stats.waitMs).toBeCloseTo(140, 0);
    for (const end = i + 200; i < end; i++) s.push(i, i * 20);
    expect(s.jitter.stats.waitMs).toBeGreaterThan(90);
    expect(s.jitter.stats.waitMs).toBeLessThan(110);
    for (const end = i + 500; i < end; i++) s.push(i, i * 20);
    expect(s.jitter.stats.waitMs).toBe(60);
    expect(s.jitter.stats.maxWaitMs).toBeCloseTo(140, 0);
  });

  test('40 ms of jitter loses nothing once it is known', () => {
    const s = stage();
    const delay = (i: number) => (i * 7919) % 41;
    const arrivals = Array.from({ length: 500 }, (_, i) => ({ i, at: i * 20 + delay(i) })).sort((a, b) => a.at - b.at);
    let beat = 0;
    for (const { i, at } of arrivals) {
      for (; beat <= at; beat += 20) s.beats(beat);
      s.push(i, at, i % 200);
    }
    expect(s.jitter.stats).toMatchObject({ late: 0, concealed: 0 });
    expect(
      s
        .taken()
        .split(' ')
        .filter((word) => word !== '-' && word !== 'c'),
    ).toHaveLength(500);
  });

  test('a clock that runs 100 ppm fast for ten minutes makes no difference', () => {
    const s = stage();
    for (let i = 0; i < 30_000; i++) {
      s.push(i, i * 20 * 1.0001, i % 200);
      s.jitter.tick(i * 20 * 1.0001);
    }
    expect(s.jitter.stats).toMatchObject({ late: 0, concealed: 0, waitMs: 60 });
  });
});

describe('another stream of sound', () => {
  test('one packet from elsewhere is no reason to leave, a second one is', () => {
    const s = stage();
    for (let i = 0; i < 5; i++) s.push(i, i * 20);
    s.push(5_000, 100, 77);
    expect(s.taken()).toBe('0 1 2 3 4');
    s.push(5, 100);
    s.push(9_000, 120, 78);
    s.push(9_001, 140, 79);
    expect(s.taken()).toBe('5 79');
    expect(s.jitter.stats.resyncs).toBe(1);
  });

  test('whatever comes in any order, sound is never more than the time that passed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ number: fc.nat(300), steps: fc.nat(100_000), gap: fc.nat(60) }), { maxLength: 200 }),
        (packets) => {
          const s = stage();
          let ms = 0;
          for (const { number, steps, gap } of packets) {
            ms += gap;
            s.push(number, ms, 1, number % 3 === 0 ? steps : number);
            s.beats(ms);
          }
          s.beats(ms + 200);
          // A packet that is believed can be a second ahead, and so can each that is begun anew with.
          expect(s.soundMs()).toBeLessThan(ms + packets.length * 1_100 + 2_000);
        },
      ),
    );
  });
});
