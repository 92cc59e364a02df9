import { beforeEach, expect, test } from 'vitest';
import { type AudioFormat, MULAW_8K, PCM_16K } from '../../../media/audio/format.ts';
import type { Leg } from '../../../media/leg/leg.ts';
import { Playout } from '../../../media/playout/playout.ts';
import { appendAudio, createSpeech } from '../../../media/playout/speech.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

const FULL = 0x80;

let clock: VirtualClock;
let playout: Playout;
let frames: Uint8Array[];
let pings: number;
let rewound: number[];
let onStarted: () => void;

function open(format: AudioFormat = MULAW_8K): void {
  clock = createVirtualClock();
  [frames, pings, rewound] = [[], 0, []];
  onStarted = () => {};
  const leg = {
    format,
    packetMs: 20,
    returnsMarks: true,
    play: (frame: Uint8Array) => frames.push(frame.slice()) > 0,
    flush() {},
    mark() {},
    clear() {},
    ping: () => void pings++,
  } as unknown as Leg;
  const background = { mixInto: (frame: Uint8Array) => frame, rewind: (samples: number) => rewound.push(samples) };
  const listener = { started: () => onStarted(), finished() {}, sent() {}, dropped() {} };
  playout = new Playout(leg, clock, listener, format === MULAW_8K ? null : background);
}
beforeEach(() => open());

const audio = (ms: number, byte = FULL) => new Uint8Array(ms * 8).fill(byte);

function speak(ms: number, id = 'r1'): void {
  playout.begin(id, false);
  playout.push(id, audio(ms));
}

test('audio of any length is played whole', () => {
  const speech = createSpeech('r1', false);
  const parts = [20_000, 12_000, 1, 100_000].map((length, index) => new Uint8Array(length).fill(index + 1));
  const sizes = parts.map((part) => {
    appendAudio(speech, part);
    return speech.bytes.length;
  });
  expect(sizes).toEqual([32_000, 32_000, 64_000, 132_001]);
  const whole = Buffer.concat(parts);
  expect(whole.equals(speech.bytes.subarray(0, speech.generated))).toBe(true);
});

test('between ticks a frame less is sent than fits, and the next tick sends one, or more when it is late', async () => {
  speak(2_000);
  expect(frames).toHaveLength(5);
  playout.tick(0);
  expect(frames).toHaveLength(6);
  await clock.advance(70);
  playout.tick(70);
  expect(frames).toHaveLength(8);
});

test('the last part of a frame is filled with silence', () => {
  speak(25);
  playout.complete('r1');
  expect(frames.map((frame) => [frame.indexOf(0xff), frame.length])).toEqual([
    [-1, 160],
    [40, 160],
  ]);
});

test('a speech begins at full volume, whatever the one before', async () => {
  speak(60);
  playout.setDucked(true);
  await clock.advance(20);
  playout.tick(20);
  frames.length = 0;
  speak(20, 'r2');
  expect(frames).toEqual([audio(20)]);
});

test('audio of another speech, or after the end of this one, is ignored', () => {
  speak(20);
  playout.push('r0', audio(20));
  expect(playout.cursors('r1')!.generatedMs).toBe(20);
  playout.complete('r1');
  playout.push('r1', audio(20));
  expect(playout.cursors('r1')!.generatedMs).toBe(20);
});

test.each(['pause', 'drop'] as const)('a speech that its first frame leads to a %s sends no second one', (act) => {
  onStarted = () => playout[act]();
  speak(200);
  expect(frames).toHaveLength(1);
});

test('before the first mark is back the leg is asked with a ping, once', () => {
  playout.tick(0);
  expect(pings).toBe(0);
  speak(200);
  playout.tick(0);
  playout.tick(20);
  expect(pings).toBe(1);
});

test('the background goes back by the samples that were cleared', async () => {
  open(PCM_16K);
  playout.begin('r1', false);
  playout.push('r1', new Uint8Array(2_000 * 32));
  await clock.advance(10);
  playout.pause();
  // 100 ms were sent, 10 of them played.
  expect(rewound).toEqual([90 * 16]);
  expect(playout.cursors('r1')!.playedOutMs).toBe(10);
});

test('a speech that is resumed sends a frame less than fits, too', () => {
  speak(2_000);
  playout.pause();
  frames.length = 0;
  playout.resume();
  playout.resume();
  expect(frames).toHaveLength(5);
});

test('a pause without a speech, or a second one, does nothing', async () => {
  playout.pause();
  speak(200);
  await clock.advance(30);
  playout.pause();
  await clock.advance(30);
  playout.pause();
  expect(playout.cursors('r1')).toMatchObject({ playedOutMs: 30, sentMs: 30 });
});

test('after an underrun the position follows what was sent after it', async () => {
  speak(60);
  await clock.advance(500);
  playout.push('r1', audio(60));
  await clock.advance(30);
  expect(playout.cursors('r1')!.playedOutMs).toBe(90);
  playout.setDucked(true);
  expect(playout.cursors('r1')!.playedOutMs).toBe(90);
});
