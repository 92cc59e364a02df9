import { beforeEach, describe, expect, test } from 'vitest';
import {
  createPlaybackConfirmation,
  MAX_MARK_DELAY_MS,
  MAX_UNCONFIRMED_MS,
  type PlaybackConfirmation,
} from '../../../media/playout/playback-confirmation.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const BYTES_PER_MS = 8;
const FRAME_BYTES = 160;

let confirmation: PlaybackConfirmation;
let nowMs: number;
let bufferedUntilMs: number;
let sent: number;
/** Names and when they are reached. */
let marks: { name: string; dueMs: number; position: number }[];

function open(more: { packetMs?: number; aheadMs?: number; returnsMarks?: boolean } = {}): void {
  const usual = { returnsMarks: true, bytesPerMs: BYTES_PER_MS, packetMs: 20, aheadMs: 120 };
  confirmation = createPlaybackConfirmation({ ...usual, ...more });
  nowMs = 0;
  bufferedUntilMs = Number.NEGATIVE_INFINITY;
  sent = 0;
  marks = [];
}

/** Sends a frame, if it may be sent. */
function send(): boolean {
  if (!confirmation.maySend()) return false;
  const afterGap = bufferedUntilMs < nowMs;
  const playAtMs = afterGap ? nowMs : bufferedUntilMs;
  const name = confirmation.sent(sent, sent + FRAME_BYTES, playAtMs, afterGap);
  sent += FRAME_BYTES;
  bufferedUntilMs = playAtMs + 20;
  if (name !== null) marks.push({ name, dueMs: bufferedUntilMs, position: sent });
  return true;
}

/** Sends as much as may be sent, up to 4 s. */
function fill(): void {
  for (let frame = 0; frame < 200 && send(); frame++) {}
}

/** Paces frames as playout does, unless the agent is silent, and returns the marks that are due after `delayMs`. */
function run(ms: number, delayMs: number | null, silent = false): void {
  for (const endMs = nowMs + ms; nowMs < endMs; nowMs += 20) {
    for (let due = 0; due < 50 && !silent && bufferedUntilMs - nowMs < 120 && send(); due++) {}
    while (delayMs !== null && marks[0] && marks[0].dueMs + delayMs <= nowMs) {
      confirmation.onMark(marks.shift()!.name, nowMs);
    }
    if (confirmation.tick(nowMs)) confirmation.onPong(nowMs);
  }
}

beforeEach(() => open());

describe('how far audio is sent beyond the last mark', () => {
  test.each([0, 100, 300, 900])('400 ms and the delay of the line, here %i ms', (delayMs) => {
    run(2_000, delayMs);
    const before = confirmation.confirmed;
    fill();
    expect((sent - before) / BYTES_PER_MS).toBeLessThanOrEqual(MAX_UNCONFIRMED_MS + delayMs + 20);
    expect((sent - before) / BYTES_PER_MS).toBeGreaterThan(MAX_UNCONFIRMED_MS + delayMs - 20);
  });

  test('1,400 ms before the first mark is back', () => {
    fill();
    expect(sent / BYTES_PER_MS).toBe(MAX_UNCONFIRMED_MS + MAX_MARK_DELAY_MS);
  });

  test.each([
    [100, 240],
    [200, 400],
  ])('more where the packets of the carrier, of %i ms, need it', (packetMs, aheadMs) => {
    open({ packetMs, aheadMs });
    run(2_000, 0);
    const before = confirmation.confirmed;
    fill();
    expect((sent - before) / BYTES_PER_MS).toBeGreaterThanOrEqual(aheadMs + packetMs);
  });

  test('without limit where the leg returns no marks', () => {
    open({ returnsMarks: false });
    for (let frame = 0; frame < 500; frame++) expect(send()).toBe(true);
    expect([marks, confirmation.limit(0)]).toEqual([[], Number.POSITIVE_INFINITY]);
  });

  test('is learnt anew when the route of the line changes', () => {
    run(2_000, 100);
    for (let reply = 0; reply < 3; reply++) {
      run(1_000, 400, true);
      run(2_000, 400);
    }
    const before = confirmation.confirmed;
    fill();
    expect((sent - before) / BYTES_PER_MS).toBeGreaterThanOrEqual(MAX_UNCONFIRMED_MS + 400 - 40);
  });

  test('never holds up a line whose marks come back after any delay up to a second and 100 ms of jitter', () => {
    const random = seededRandom(1);
    for (let line = 0; line < 200; line++) {
      open();
      const delayMs = random() * 850;
      for (let tick = 0; tick < 250; tick++, nowMs += 20) {
        while (bufferedUntilMs - nowMs < 120) expect(send()).toBe(true);
        while (marks[0] && marks[0].dueMs + delayMs + random() * 100 <= nowMs) {
          confirmation.onMark(marks.shift()!.name, nowMs);
        }
        if (confirmation.tick(nowMs)) confirmation.onPong(nowMs);
      }
      expect(confirmation.expectsMarks).toBe(true);
    }
  });
});

describe('how far audio counts as played out', () => {
  test('between marks that come back by the clock, and no further than the tolerance beyond them', () => {
    run(2_000, 200);
    const byClock = nowMs * BYTES_PER_MS;
    expect(confirmation.limit(nowMs)).toBeGreaterThanOrEqual(byClock);
    expect(confirmation.limit(nowMs)).toBeLessThanOrEqual(byClock + 170 * BYTES_PER_MS);
  });

  test('to the last mark once the next one is overdue', () => {
    run(2_000, 200);
    run(400, null);
    expect(confirmation.limit(nowMs)).toBe(confirmation.confirmed);
    confirmation.onMark(marks[2]!.name, nowMs);
    expect(confirmation.confirmed).toBe(marks[2]!.position);
  });

  test('no mark says anything twice, late, or under a name that was not given', () => {
    run(2_000, 0);
    fill();
    const [first, second] = marks as [(typeof marks)[0], (typeof marks)[0]];
    confirmation.onMark(second.name, nowMs);
    expect([first.name, second.name, '', 'm9999', 'r1 1 160'].map((name) => confirmation.onMark(name, nowMs))).toEqual(
      Array(5).fill(null),
    );
    expect(confirmation.confirmed).toBe(second.position);
  });

  test('marks of what was cleared, and of another speech, say nothing of this one', () => {
    run(1_000, 0);
    const cleared = [...marks];
    confirmation.cleared(4_000, nowMs);
    bufferedUntilMs = Number.NEGATIVE_INFINITY;
    for (const { name } of cleared) confirmation.onMark(name, nowMs);
    expect(confirmation.confirmed).toBe(4_000);
    run(60, null);
    const [before] = marks.slice(cleared.length);
    confirmation.begin();
    confirmation.onMark(before!.name, nowMs);
    expect(confirmation.confirmed).toBe(0);
  });
});

describe('marks that stay away', () => {
  test('are asked for with one ping', () => {
    run(2_000, 0);
    let pings = 0;
    for (let tick = 0; tick < 100; tick++, nowMs += 20) if (confirmation.tick(nowMs)) pings++;
    expect([pings, confirmation.expectsMarks]).toEqual([1, true]);
  });

  test('though everything was read are given up, until one comes back in time', () => {
    run(2_000, 0);
    run(1_500, null);
    expect(confirmation.expectsMarks).toBe(false);
    expect(confirmation.limit(nowMs)).toBe(Number.POSITIVE_INFINITY);
    confirmation.onMark(marks.at(-1)!.name, nowMs);
    expect(confirmation.expectsMarks).toBe(true);
  });

  test('hold everything back behind a clear until one is back', () => {
    run(2_000, 0);
    for (let tick = 0; tick < 20; tick++, nowMs += 20) send();
    const name = confirmation.cleared(8_000, nowMs);
    expect([name === null, send()]).toEqual([false, false]);
    confirmation.onMark(name!, nowMs);
    expect(send()).toBe(true);
  });
});
