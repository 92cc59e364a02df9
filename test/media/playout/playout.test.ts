import { describe, expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import type { Leg } from '../../../media/leg/leg.ts';
import type { Background } from '../../../media/playout/leg-output.ts';
import { PLAYOUT_AHEAD_MS, Playout } from '../../../media/playout/playout.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

function setUp(background: Background | null = null) {
  const clock = createVirtualClock();
  const log = {
    frames: [] as number[],
    marks: [] as string[],
    clears: 0,
    started: [] as string[],
    finished: [] as string[],
    playedAt: [] as number[],
    dropped: [] as number[],
  };
  const leg: Leg = {
    carrier: 'test',
    format: MULAW_8K,
    callerFormat: MULAW_8K,
    sendsDigits: true,
    packetMs: 20,
    returnsMarks: true,
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
      sent: (_, playAtMs) => void log.playedAt.push(playAtMs),
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
  test('the first frame is sent as soon as its audio arrives', async () => {
    const { clock, log, playout } = setUp();
    await clock.advance(7);
    playout.begin('r1', false);
    playout.push('r1', audio(20));
    expect(log.frames).toEqual([7]);
    expect(log.started).toEqual(['r1']);
  });

  test('at most PLAYOUT_AHEAD_MS is buffered at the carrier', async () => {
    const { clock, log, playout, run } = setUp();
    playout.begin('r1', false);
    playout.push('r1', audio(2000));
    expect(log.frames.length * 20).toBeLessThanOrEqual(PLAYOUT_AHEAD_MS + 20);
    await run(1000);
    expect(log.frames.length * 20 - clock.now()).toBeLessThanOrEqual(PLAYOUT_AHEAD_MS + 20);
    expect(log.frames.length * 20 - clock.now()).toBeGreaterThan(0);
  });

  test('after an underrun the next audio counts as played from when it was sent', async () => {
    const { log, playout, run } = setUp();
    playout.begin('r1', false);
    playout.push('r1', audio(100));
    await run(500);
    playout.push('r1', audio(100));
    expect(log.playedAt[5]).toBe(500);
  });

  test('the last partial frame is padded and sent', async () => {
    const { log, playout } = setUp();
    playout.begin('r1', false);
    playout.push('r1', audio(25));
    expect(log.frames.length).toBe(1);
    playout.complete('r1');
    expect(log.frames.length).toBe(2);
  });
});

describe('the playout position', () => {
  test('follows the clock until a mark confirms more', async () => {
    const { playout, run } = setUp();
    playout.begin('r1', false);
    playout.push('r1', audio(2000));
    await run(500);
    expect(playout.cursors('r1')).toMatchObject({ generatedMs: 2000, playedOutMs: 500 });
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

  test('a speech that is complete after its last mark came back finishes at once', async () => {
    const { log, playout, run } = setUp();
    playout.begin('r1', false);
    playout.push('r1', audio(120));
    await run(140);
    for (const mark of log.marks) playout.onMark(mark);
    expect(playout.cursors('r1')!.playedOutMs).toBe(120);
    playout.complete('r1');
    expect(log.finished).toEqual(['r1']);
  });

  test('a speech whose last mark is lost finishes after the grace period', async () => {
    const { log, playout, run } = setUp();
    playout.begin('r1', false);
    playout.push('r1', audio(100));
    playout.complete('r1');
    await run(2000);
    expect(log.finished).toEqual(['r1']);
  });

  test('a mark returned because of a clear confirms nothing', async () => {
    const { log, playout, run } = setUp();
    playout.begin('r1', false);
    playout.push('r1', audio(2000));
    await run(500);
    playout.pause();
    for (const mark of log.marks) playout.onMark(mark);
    expect(playout.cursors('r1')).toMatchObject({ playedOutMs: 500 });
  });

  test('a mark of another speech is ignored', async () => {
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

describe('pausing and dropping', () => {
  test('pause clears the carrier at once, resume continues from the playout position', async () => {
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
    expect(log.playedAt.at(-1)! - clock.now()).toBeLessThanOrEqual(PLAYOUT_AHEAD_MS);
    await run(1500);
    expect(playout.cursors('r1')!.sentMs).toBe(2000);
  });

  test('a speech that begins paused is silent until it is resumed', async () => {
    const { log, playout, run } = setUp();
    playout.begin('r1', true);
    playout.push('r1', audio(500));
    await run(100);
    expect(log.frames).toEqual([]);
    playout.resume();
    expect(log.started).toEqual(['r1']);
  });

  test('audio of a dropped speech is ignored', async () => {
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

  test('nothing is cleared when everything was played out', async () => {
    const { log, playout, run } = setUp();
    playout.begin('r1', false);
    playout.push('r1', audio(100));
    await run(200);
    playout.drop();
    expect(log.clears).toBe(0);
  });
});

describe('ambient sound', () => {
  const background = () => {
    const mixed = { frames: 0, rewound: 0 };
    const ambient: Background = {
      mixInto: (frame) => {
        mixed.frames++;
        return frame;
      },
      rewind: (samples) => {
        mixed.rewound += samples;
      },
    };
    return { mixed, ambient };
  };

  test('plays without a gap before, under and after a speech', async () => {
    const { log, playout, run } = setUp(background().ambient);
    await run(300);
    playout.begin('r1', false);
    playout.push('r1', audio(400));
    playout.complete('r1');
    await run(2_500);
    expect(log.finished).toEqual(['r1']);
    expect(log.playedAt.map((playAtMs) => playAtMs - log.playedAt[0]!)).toEqual(
      log.playedAt.map((_, index) => index * 20),
    );
  });

  test('has no gap when the speech is paused, and rewinds by what was cleared', async () => {
    const { mixed, ambient } = background();
    const { clock, log, playout, run } = setUp(ambient);
    playout.begin('r1', false);
    playout.push('r1', audio(2_000));
    await run(500);
    const before = log.playedAt.length;
    playout.pause();
    expect(log.playedAt[before]).toBe(clock.now());
    expect(mixed.rewound).toBeGreaterThan(0);
    await run(300);
    const after = log.playedAt.slice(before);
    expect(after.map((playAtMs) => playAtMs - after[0]!)).toEqual(after.map((_, index) => index * 20));
  });

  test('does not count as speech played out', async () => {
    const { playout, run } = setUp(background().ambient);
    await run(200);
    playout.begin('r1', false);
    playout.push('r1', audio(1_000));
    await run(300);
    expect(playout.cursors('r1')!.playedOutMs).toBeGreaterThan(220);
    expect(playout.cursors('r1')!.playedOutMs).toBeLessThanOrEqual(300);
  });
});

test('the background changes with the next frame, and no frame comes without one', async () => {
  const { log, playout, run } = setUp();
  await run(200);
  expect(log.frames).toEqual([]);
  let frames = 0;
  const music: Background = {
    mixInto(frame) {
      frames++;
      return frame;
    },
    rewind() {},
  };
  playout.setBackground(music);
  await run(200);
  expect(log.frames.length).toBeGreaterThan(9);
  expect(frames).toBe(log.frames.length);
  playout.setBackground(null);
  await run(200);
  expect(frames).toBe(log.frames.length);
});
