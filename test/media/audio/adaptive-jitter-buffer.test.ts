import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAdaptiveJitterBuffer, type JitterSink } from '../../../media/audio/adaptive-jitter-buffer.ts';

const RATE = 48_000;
const STEP = 960;
const PAUSE = 255;

/** A jitter buffer whose sink records what is played: packets of 20 ms, named by their first byte. */
function setUp(firstSequence = 65_530, firstTimestamp = 0xffff_f000) {
  const out: string[] = [];
  const times: number[] = [];
  const stalls: number[] = [];
  let audioMs = 0;
  let lastAtMs = Number.NEGATIVE_INFINITY;
  let nowMs = 0;
  const at = (ms: number) => {
    expect(ms).toBeGreaterThanOrEqual(lastAtMs);
    // Never in the future, but for the rounding of a sum.
    expect(ms).toBeLessThanOrEqual(nowMs + 1e-6);
    lastAtMs = ms;
    times.push(ms);
  };
  const sink: JitterSink = {
    isPause: (payload) => payload[0] === PAUSE,
    play(payload, ms) {
      at(ms);
      out.push(String(payload[0]));
      audioMs += 20;
      return 20;
    },
    conceal(ms) {
      at(ms);
      out.push('c');
      audioMs += 20;
      return 20;
    },
    silence(ms, moment) {
      at(moment);
      out.push(ms === 20 ? '-' : `-${Math.round(ms)}`);
      audioMs += ms;
    },
  };
  const jitter = createAdaptiveJitterBuffer(RATE, sink, (ms) => stalls.push(ms));
  return {
    out,
    times,
    stalls,
    jitter,
    audioMs: () => audioMs,
    push(number: number, arrivalMs: number, payload = number, steps = number) {
      nowMs = Math.max(nowMs, arrivalMs);
      jitter.push(
        (firstSequence + number) & 0xffff,
        (firstTimestamp + steps * STEP) >>> 0,
        Uint8Array.of(payload),
        arrivalMs,
      );
    },
    /** Runs ticks of 20 ms up to this moment. */
    tickUntil(untilMs: number) {
      for (let ms = Math.floor(nowMs / 20) * 20 + 20; ms <= untilMs; ms += 20) {
        nowMs = ms;
        jitter.tick(ms);
      }
    },
    taken: () => out.splice(0).join(' '),
  };
}

describe('in order', () => {
  test('a packet is played in the call that pushes it, while both numbers wrap around', () => {
    const s = setUp();
    for (let i = 0; i < 12; i++) {
      s.push(i, i * 20);
      expect(s.taken()).toBe(String(i));
    }
    expect(s.jitter.stats).toMatchObject({ packets: 12, late: 0, concealed: 0, reordered: 0 });
  });

  test('two reordered packets are put in order without a loss', () => {
    const s = setUp();
    s.push(0, 0);
    s.push(2, 40);
    s.push(1, 41);
    s.push(3, 60);
    expect(s.taken()).toBe('0 1 2 3');
    expect(s.jitter.stats.reordered).toBe(1);
  });

  test('a duplicate is played once', () => {
    const s = setUp();
    for (const i of [0, 1, 1, 0, 2, 2]) s.push(i, i * 20);
    expect(s.taken()).toBe('0 1 2');
    expect(s.jitter.stats.duplicate).toBe(3);
  });
});

describe('a missing packet', () => {
  test('is waited for 60 ms on a quiet network, then concealed', () => {
    const s = setUp();
    s.push(0, 0);
    s.push(1, 20);
    s.push(3, 60);
    s.push(4, 80);
    s.tickUntil(80);
    expect(s.taken()).toBe('0 1');
    s.tickUntil(120);
    expect(s.taken()).toBe('c 3 4');
    s.push(2, 130);
    expect(s.taken()).toBe('');
    expect(s.jitter.stats).toMatchObject({ concealed: 1, late: 1 });
  });

  test('arrives in time when it is retransmitted', () => {
    const s = setUp();
    s.push(0, 0);
    s.push(1, 20);
    s.push(3, 60);
    s.tickUntil(80);
    s.push(2, 90);
    s.tickUntil(200);
    expect(s.taken()).toMatch(/^0 1 2 3/);
    expect(s.jitter.stats.late).toBe(0);
  });

  test('in a long loss is extrapolated for a tenth of a second, then silent; the timeline continues', () => {
    const s = setUp();
    for (let i = 0; i < 10; i++) s.push(i, i * 20);
    s.taken();
    s.tickUntil(600);
    for (let i = 30; i < 33; i++) s.push(i, i * 20 + 5);
    // Those before may still be on their way.
    s.tickUntil(660);
    expect(s.taken()).toBe('');
    s.tickUntil(680);
    expect(s.taken()).toMatch(/^c c c c c( -)+ 30 31 32$/);
    expect(s.audioMs()).toBe(660);
  });

  test('after a DTX packet is silence, not loss', () => {
    const s = setUp();
    s.push(0, 0);
    s.push(1, 20, PAUSE);
    s.tickUntil(400);
    expect(s.jitter.stats.concealed).toBe(0);
    // The numbers go on, the timestamps leap.
    s.push(2, 420, 2, 21);
    expect(s.taken()).toMatch(/^0 255( -)+( -\d+)? 2$/);
    expect(Math.abs(s.audioMs() - 440)).toBeLessThanOrEqual(1);
    expect(s.jitter.stats.late).toBe(0);
  });
});

describe('when the network stands still', () => {
  const speaking = () => {
    const s = setUp();
    for (let i = 0; i < 50; i++) s.push(i, i * 20);
    s.taken();
    s.times.splice(0);
    return s;
  };
  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

  for (const stallMs of [300, 500, 1_000]) {
    test(`for ${stallMs} ms, every packet is played once it comes, at the time it should have come`, () => {
      const s = speaking();
      s.tickUntil(1_000 + stallMs);
      expect(s.taken()).toBe('');
      const last = 50 + stallMs / 20;
      for (const i of numbers(50, last)) s.push(i, 1_000 + stallMs);
      expect(s.taken()).toBe(numbers(50, last).join(' '));
      expect(s.times).toEqual(numbers(50, last).map((i) => i * 20));
      expect(s.stalls).toEqual([stallMs]);
      expect(s.jitter.stats).toMatchObject({ late: 0, concealed: 0 });
    });
  }

  test('for longer than 1,200 ms, the missing audio is concealed, and its words are still played when they come', () => {
    const s = speaking();
    s.tickUntil(2_160);
    expect(s.taken()).toBe('');
    s.tickUntil(2_300);
    expect(s.taken()).toMatch(/^c c c c c( -)+$/);
    expect(Math.abs(s.audioMs() - 2_240)).toBeLessThanOrEqual(40);
    for (const i of numbers(50, 116)) s.push(i, 2_320);
    expect(s.taken()).toBe(numbers(50, 116).join(' '));
    s.push(117, 2_340, 117);
    expect(s.taken()).toBe('117');
  });

  test('for two seconds, packets more than 1,500 ms late are dropped', () => {
    const s = speaking();
    s.tickUntil(3_000);
    s.taken();
    for (const i of numbers(50, 150)) s.push(i, 3_000);
    const late = s.jitter.stats.late;
    expect(late).toBeGreaterThan(15);
    expect(s.taken()).toBe(numbers(50 + late, 150).join(' '));
  });

  test('and one packet of the burst is lost, it alone is concealed', () => {
    const s = speaking();
    s.tickUntil(1_400);
    for (const i of [...numbers(51, 70)]) s.push(i, 1_410);
    s.tickUntil(1_460);
    expect(s.taken()).toBe('');
    s.tickUntil(1_480);
    expect(s.taken()).toBe(`c ${numbers(51, 70).join(' ')}`);
    expect(s.times).toEqual(numbers(50, 70).map((i) => i * 20));
  });

  test('in a pause of the sender, what was said is played after the silence in its place', () => {
    const s = setUp();
    s.push(0, 0);
    s.push(1, 20, PAUSE);
    s.tickUntil(900);
    s.taken();
    for (const i of numbers(2, 22)) s.push(i, 910, i, i + 23);
    expect(s.taken()).toBe(numbers(2, 22).join(' '));
    s.push(23, 930, 23, 46);
    expect(s.taken()).toBe('23');
    expect(s.jitter.stats.late).toBe(0);
  });
});

describe('the wait follows the network', () => {
  test('it grows at once with a later packet, and shrinks by 10 ms per second', () => {
    const s = setUp();
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

  test('40 ms of jitter loses nothing once it has been seen', () => {
    const s = setUp();
    const delay = (i: number) => (i * 7919) % 41;
    const arrivals = Array.from({ length: 500 }, (_, i) => ({ i, at: i * 20 + delay(i) })).sort((a, b) => a.at - b.at);
    let tickMs = 0;
    for (const { i, at } of arrivals) {
      for (; tickMs <= at; tickMs += 20) s.tickUntil(tickMs);
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
    const s = setUp();
    for (let i = 0; i < 30_000; i++) {
      s.push(i, i * 20 * 1.0001, i % 200);
      s.jitter.tick(i * 20 * 1.0001);
    }
    expect(s.jitter.stats).toMatchObject({ late: 0, concealed: 0, waitMs: 60 });
  });
});

describe('a new timeline', () => {
  test('is adopted with the second packet, not with the first', () => {
    const s = setUp();
    for (let i = 0; i < 5; i++) s.push(i, i * 20);
    s.push(5_000, 100, 77);
    expect(s.taken()).toBe('0 1 2 3 4');
    s.push(5, 100);
    s.push(9_000, 120, 78);
    s.push(9_001, 140, 79);
    expect(s.taken()).toBe('5 79');
    expect(s.jitter.stats.resyncs).toBe(1);
  });

  test('random packets never give more audio than time has passed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ number: fc.nat(300), steps: fc.nat(100_000), gap: fc.nat(60) }), { maxLength: 200 }),
        (packets) => {
          const s = setUp();
          let ms = 0;
          for (const { number, steps, gap } of packets) {
            ms += gap;
            s.push(number, ms, 1, number % 3 === 0 ? steps : number);
            s.tickUntil(ms);
          }
          s.tickUntil(ms + 200);
          // A packet that is believed can be a second ahead, and so can each that is begun anew with.
          expect(s.audioMs()).toBeLessThan(ms + packets.length * 1_100 + 2_000);
        },
      ),
    );
  });
});
