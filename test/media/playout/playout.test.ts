import { describe, expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import type { Leg } from '../../../media/leg/leg.ts';
import { type Background, PLAYOUT_AHEAD_MS, Playout } from '../../../media/playout/playout.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

function setUp(background: Background | null = null) {
  const clock = createVirtualClock();
  const log = {
    frames: [] as number[],
    marks: [] as string[],
    clears: 0,
    started: [] as string[],
    finished: [] as string[],
    hear: [] as number[],
    dropped: [] as number[],
  };
  const leg: Leg = {
    carrier: 'test',
    format: MULAW_8K,
    callerFormat: MULAW_8K,
    sendsDigits: true,
    packetMs: 20,
    playback: { marks: true, marksReturnedOnClear: true, clearAcknowledged: false },
    listen() {},
    tick() {},
    play: () => log.frames.push(clock.now()) > 0,
    flush() {},
    mark: (name) => void log.marks.push(name),
    clear: () => void log.clears++,
    hangUp() {},
  };
  const playout = new Playout(
    leg,
    clock,
    {
      started: (id) => void log.started.push(id),
      finished: (id) => void log.finished.push(id),
      sent: (_, hearMs) => void log.hear.push(hearMs),
      dropped: (fromMs) => void log.dropped.push(fromMs),
    },
    background,
  );
  async function run(ms: number) {
    for (let at = 0; at < ms; at += 20) {
      await clock.advance(20);
      playout.tick(clock.now());
    }
  }
  return { clock, log, playout, run };
}
const audio = (ms: number) => new Uint8Array(ms * 8).fill(0x55);

describe('pacing', () => {
  test('the first frame leaves the moment its audio is there', async () => {
    const { clock, log, playout } = setUp();
    await clock.advance(7);
    playout.begin('r1', false);
    playout.push('r1', audio(20));
    expect(log.frames).toEqual([7]);
    expect(log.started).toEqual(['r1']);
  });

  test('never more than the lead lies at the carrier', async () => {
    const { clock, log, playout, run } = setUp();
    playout.begin('r1', false);
    playout.push('r1', audio(2000));
    expect(log.frames.length * 20).toBeLessThanOrEqual(PLAYOUT_AHEAD_MS + 20);
    await run(1000);
    expect(log.frames.length * 20 - clock.now()).toBeLessThanOrEqual(PLAYOUT_AHEAD_MS + 20);
    expect(log.frames.length * 20 - clock.now()).toBeGreaterThan(0);
  });

  test('after an underrun what follows is heard from its sending on', async () => {
    const { log, playout, run } = setUp();
    playout.begin('r1', false);
    playout.push('r1', audio(100));
    await run(500);
    playout.push('r1', audio(100));
    expect(log.hear[5]).toBe(500);
  });

  test('the last part frame is padded and sent', async () => {
    const { log, playout } = setUp();
    playout.begin('r1', false);
    playout.push('r1', audio(25));
    expect(log.frames.length).toBe(1);
    playout.complete('r1');
    expect(log.frames.length).toBe(2);
  });
});

describe('what was heard', () => {
  test('by the clock until a mark proves more', async () => {
    const { playout, run } = setUp();
    playout.begin('r1', false);
    playout.push('r1', audio(2000));
    await run(500);
    expect(playout.cursors('r1')).toMatchObject({ generatedMs: 2000, heardMs: 500 });
  });

  test('the last mark finishes the speech', async () => {
    const { log, playout, run } = setUp();
    playout.begin('r1', false);
    playout.push('r1', audio(100));
    playout.complete('r1');
    await run(100);
    expect(log.finished).toEqual([]);
    playout.onMark(log.marks.at(-1)!);
    expect(log.finished).toEqual(['r1']);
  });

  test('a lost last mark does not keep the agent speaking for ever', async () => {
    const { log, playout, run } = setUp();
    playout.begin('r1', false);
    playout.push('r1', audio(100));
    playout.complete('r1');
    await run(2000);
    expect(log.finished).toEqual(['r1']);
  });

  test('a mark returned because of a clear proves nothing', async () => {
    const { log, playout, run } = setUp();
    playout.begin('r1', false);
    playout.push('r1', audio(2000));
    await run(500);
    playout.pause();
    for (const mark of log.marks) playout.onMark(mark);
    expect(playout.cursors('r1')).toMatchObject({ heardMs: 500 });
  });

  test('a mark of another speech is not ours', async () => {
    const { log, playout, run } = setUp();
    playout.begin('r1', false);
    playout.push('r1', audio(400));
    await run(400);
    playout.begin('r2', false);
    playout.push('r2', audio(400));
    for (const mark of log.marks) playout.onMark(mark);
    expect(playout.cursors('r2')!.playedOutMs).toBe(0);
  });
});

describe('falling silent', () => {
  test('hold clears the carrier at once, resume goes on from the last word heard', async () => {
    const { clock, log, playout, run } = setUp();
    playout.begin('r1', false);
    playout.push('r1', audio(2000));
    await run(500);
    playout.pause();
    expect(log.clears).toBe(1);
    expect(log.dropped).toEqual([500]);
    const before = log.frames.length;
    await run(300);
    expect(log.frames.length).toBe(before);
    playout.resume();
    expect(log.frames.length).toBeGreaterThan(before);
    expect(log.hear.at(-1)! - clock.now()).toBeLessThanOrEqual(PLAYOUT_AHEAD_MS);
    await run(1500);
    expect(playout.cursors('r1')!.sentMs).toBe(2000);
  });

  test('a speech that begins held is silent until released', async () => {
    const { log, playout, run } = setUp();
    playout.begin('r1', true);
    playout.push('r1', audio(500));
    await run(100);
    expect(log.frames).toEqual([]);
    playout.resume();
    expect(log.started).toEqual(['r1']);
  });

  test('audio of a dropped speech goes nowhere', async () => {
    const { log, playout, run } = setUp();
    playout.begin('r1', false);
    playout.push('r1', audio(100));
    await run(40);
    playout.drop();
    const before = log.frames.length;
    playout.push('r1', audio(500));
    await run(200);
    expect(log.frames.length).toBe(before);
    expect(log.finished).toEqual([]);
  });

  test('nothing is cleared when everything was heard', async () => {
    const { log, playout, run } = setUp();
    playout.begin('r1', false);
    playout.push('r1', audio(100));
    await run(200);
    playout.drop();
    expect(log.clears).toBe(0);
  });
});

describe('a background sound', () => {
  const background = () => {
    const mixed = { frames: 0, rewound: 0 };
    const sound: Background = {
      mixInto: (frame) => {
        mixed.frames++;
        return frame;
      },
      rewind: (samples) => {
        mixed.rewound += samples;
      },
    };
    return { mixed, sound };
  };

  test('goes on without a gap before, under and after a speech', async () => {
    const { log, playout, run } = setUp(background().sound);
    await run(300);
    playout.begin('r1', false);
    playout.push('r1', audio(400));
    playout.complete('r1');
    await run(2_500);
    expect(log.finished).toEqual(['r1']);
    expect(log.hear.map((hearMs) => hearMs - log.hear[0]!)).toEqual(log.hear.map((_, index) => index * 20));
  });

  test('leaves no hole when the speech is silenced, and takes back what was cleared', async () => {
    const { mixed, sound } = background();
    const { clock, log, playout, run } = setUp(sound);
    playout.begin('r1', false);
    playout.push('r1', audio(2_000));
    await run(500);
    const before = log.hear.length;
    playout.pause();
    expect(log.hear[before]).toBe(clock.now());
    expect(mixed.rewound).toBeGreaterThan(0);
    await run(300);
    const after = log.hear.slice(before);
    expect(after.map((hearMs) => hearMs - after[0]!)).toEqual(after.map((_, index) => index * 20));
  });

  test('does not count as speech heard', async () => {
    const { playout, run } = setUp(background().sound);
    await run(200);
    playout.begin('r1', false);
    playout.push('r1', audio(1_000));
    await run(300);
    expect(playout.cursors('r1')!.playedOutMs).toBeGreaterThan(220);
    expect(playout.cursors('r1')!.playedOutMs).toBeLessThanOrEqual(300);
  });
});
