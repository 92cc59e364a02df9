import { beforeEach, describe, expect, test } from 'vitest';
import { readRtp } from '../../../media/audio/rtp.ts';
import { BrowserLeg } from '../../../media/leg/browser-leg.ts';
import type { LegListener, LiveTranscriptLine } from '../../../media/leg/leg.ts';
import { Playout } from '../../../media/playout/playout.ts';
import { createFakeOpusCodec, fakeRtpPacket } from '../../support/fake-browser.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

let clock: VirtualClock;
let codec: ReturnType<typeof createFakeOpusCodec>;
let leg: BrowserLeg;
let sent: { atMs: number; marker: boolean; sequence: number; timestamp: number; sound: number }[];
let told: string[];
let frames: { value: number; atMs: number }[];
let closed: string[];
let words: LiveTranscriptLine[];

const listener: LegListener = {
  audio: (frame, atMs) => frames.push({ value: frame[0]!, atMs }),
  mark: (name) => told.push(`mark ${name}`),
  cleared: () => told.push('cleared'),
  digit: (digit) => told.push(`digit ${digit}`),
  stalled: () => told.push('stalled'),
  ended: (cause, detail) => told.push(`${cause}: ${detail}`),
};

beforeEach(() => {
  clock = createVirtualClock();
  codec = createFakeOpusCodec();
  sent = [];
  told = [];
  frames = [];
  closed = [];
  words = [];
  leg = new BrowserLeg({
    clock,
    codec,
    agentStream: { payloadType: 100, ssrc: 0x1234_fffe },
    transport: {
      sendRtp(bytes) {
        const { marker, sequence, timestamp, payload, payloadType, ssrc } = readRtp(bytes)!;
        expect({ payloadType, ssrc }).toEqual({ payloadType: 100, ssrc: 0x1234_fffe });
        sent.push({ atMs: clock.now(), marker, sequence, timestamp, sound: payload[0]! });
      },
      transcript: (spoken) => words.push(spoken),
      close: (reason) => closed.push(reason),
    },
  });
});

/** Beats of 20 ms; every one may do something, and brings a packet of the browser's unless told otherwise. */
let number = 0;
async function beats(count: number, each?: (beat: number) => void, hears = true): Promise<void> {
  for (let beat = 0; beat < count; beat++) {
    if (hears) leg.receive(fakeRtpPacket(number), clock.now());
    number++;
    leg.tick(clock.now());
    each?.(beat);
    await clock.advance(20);
  }
}

const frame = (value: number) => new Uint8Array(640).fill(value);
const spoken = () => sent.filter(({ sound }) => sound !== 0);

describe('what the caller says', () => {
  test('comes as 20 ms of 16 kHz as soon as it is here, and two seconds of it wait for somebody to listen', async () => {
    await beats(150);
    leg.press('4');
    leg.listen(listener);
    expect(frames).toHaveLength(100);
    expect(told).toEqual(['digit 4']);
    const before = clock.now();
    await beats(1);
    expect(frames.at(-1)).toEqual({ value: 1, atMs: before });
  });

  test('nothing is heard of a microphone that is off, while the time goes on', async () => {
    leg.listen(listener);
    await beats(5);
    leg.muted = true;
    await beats(5);
    expect(frames.map(({ value }) => value)).toEqual([1, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
  });

  test('packets that cannot be read, and those of another stream, are nothing', async () => {
    leg.listen(listener);
    await beats(2);
    leg.receive(new Uint8Array(0), clock.now());
    leg.receive(new Uint8Array(2_000).fill(0x80), clock.now());
    const other = fakeRtpPacket(3);
    other[11] = 1;
    leg.receive(other, clock.now());
    expect(frames).toHaveLength(2);
  });
});

describe('what the agent says', () => {
  test('one packet in 20 ms, however fast the frames come; the first one is marked', async () => {
    await beats(2);
    sent.length = 0;
    for (let i = 1; i <= 5; i++) expect(leg.play(frame(i))).toBe(true);
    expect(spoken().map(({ sound }) => sound)).toEqual([1]);
    await beats(5);
    expect(spoken().map(({ sound, marker }) => [sound, marker])).toEqual([
      [1, true],
      [2, false],
      [3, false],
      [4, false],
      [5, false],
    ]);
    const [first, ...rest] = spoken();
    rest.forEach((packet, i) => {
      expect(packet.timestamp).toBe((first!.timestamp + (i + 1) * 960) % 2 ** 32);
      expect(packet.sequence).toBe((first!.sequence + i + 1) & 0xffff);
    });
  });

  test('a beat that is late sends what is due, without a hole in the timestamps', async () => {
    for (let i = 1; i <= 4; i++) leg.play(frame(i));
    await clock.advance(60);
    leg.tick(clock.now());
    const stamps = spoken().map(({ timestamp }) => timestamp);
    expect(stamps).toHaveLength(4);
    expect(new Set(stamps.slice(1).map((stamp, i) => (stamp - stamps[i]! + 2 ** 32) % 2 ** 32))).toEqual(
      new Set([960]),
    );
  });

  /** Gaps between packets whose timestamps say that one follows the other. */
  const gaps = () =>
    sent.slice(1).flatMap(({ atMs, timestamp, marker }, i) => {
      const before = sent[i]!;
      return !marker && (timestamp - before.timestamp + 2 ** 32) % 2 ** 32 === 960 ? [atMs - before.atMs] : [];
    });

  test.each(Array.from({ length: 20 }, (_, phase) => phase))(
    'a packet on every beat of a speech that begins %i ms behind one, and of the silence after it',
    async (phase) => {
      // Silence that is worth sending, as real silence is for a while.
      codec.encode = (sound) => Uint8Array.of(sound[0]!, 1, 2, 3);
      await beats(2);
      await clock.advance(phase);
      sent.length = 0;
      for (let i = 1; i <= 10; i++) leg.play(frame(i));
      leg.flush();
      await clock.advance(20 - phase);
      for (let beat = 0; beat < 30; beat++) {
        // Beats come a little late, one more than the other.
        const lateMs = (beat * 7) % 3;
        await clock.advance(lateMs);
        leg.receive(fakeRtpPacket(number++), clock.now());
        leg.tick(clock.now());
        await clock.advance(20 - lateMs);
      }
      expect(spoken().map(({ sound }) => sound)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(gaps().length).toBeGreaterThanOrEqual(21);
      expect(Math.max(...gaps())).toBeLessThanOrEqual(22);
    },
  );

  test.each([0, 6, 12, 18])(
    'a frame that is late, %i ms after a beat, is waited for; then silence keeps its place',
    async (phase) => {
      codec.encode = (sound) => Uint8Array.of(sound[0]!, 1, 2, 3);
      await clock.advance(phase);
      leg.play(frame(1));
      await clock.advance(20 - phase);
      await beats(1);
      // Before its moment and a half of it: at once, in its place.
      leg.play(frame(2));
      expect(sent.map(({ sound }) => sound)).toEqual([1, 2]);
      await beats(4);
      expect(Math.max(...gaps())).toBeLessThanOrEqual(40);
      const silent = sent.length - 2;
      expect(silent).toBeGreaterThanOrEqual(2);
      leg.play(frame(3));
      leg.play(frame(4));
      await beats(3);
      expect(sent.slice(2 + silent, 4 + silent).map(({ sound }) => sound)).toEqual([3, 4]);
      expect(Math.max(...gaps())).toBeLessThanOrEqual(40);
      for (const [i, { timestamp }] of sent.entries()) {
        expect((timestamp - sent[0]!.timestamp + 2 ** 32) % 2 ** 32).toBe(i * 960);
      }
    },
  );

  test('two beats at once are one', async () => {
    for (let i = 1; i <= 8; i++) leg.play(frame(i));
    for (let beat = 0; beat < 8; beat++) {
      await clock.advance(19);
      leg.tick(clock.now());
      await clock.advance(1);
      leg.tick(clock.now());
    }
    expect(spoken()).toHaveLength(8);
    expect(Math.max(...gaps())).toBeLessThanOrEqual(20);
  });

  test('a voice slower than speech does not run ahead of its timestamps', async () => {
    codec.encode = (sound) => Uint8Array.of(sound[0]!, 1, 2, 3);
    for (let i = 1; i <= 60; i++) {
      leg.play(frame(i));
      for (let ms = 0; ms < 30; ms += 10) {
        if ((i * 30 + ms) % 20 === 0) leg.tick(clock.now());
        leg.receive(fakeRtpPacket(number++), clock.now());
        await clock.advance(10);
      }
    }
    const first = sent[0]!;
    for (const { atMs, timestamp } of sent) {
      const mediaMs = ((timestamp - first.timestamp + 2 ** 32) % 2 ** 32) / 48;
      expect(mediaMs - (atMs - first.atMs)).toBeLessThanOrEqual(40);
    }
    expect(spoken()).toHaveLength(60);
  });

  test('silence is not sent, but for a sign of it every 400 ms; what follows is marked and as much later', async () => {
    leg.play(frame(1));
    const first = spoken()[0]!;
    await beats(100);
    expect(sent.length).toBeLessThan(8);
    leg.play(frame(2));
    const second = spoken()[1]!;
    expect(second.marker).toBe(true);
    const laterMs = ((second.timestamp - first.timestamp + 2 ** 32) % 2 ** 32) / 48;
    expect(Math.abs(laterMs - (second.atMs - first.atMs))).toBeLessThanOrEqual(20);
    for (const [i, packet] of sent.slice(1).entries()) expect(packet.sequence).toBe((sent[i]!.sequence + 1) & 0xffff);
  });

  test('what was not sent is dropped by a clear', async () => {
    for (let i = 1; i <= 5; i++) leg.play(frame(i));
    await beats(2);
    leg.clear();
    await beats(10);
    expect(spoken().map(({ sound }) => sound)).toEqual([1, 2, 3]);
  });

  test('no more than it can hold is taken', () => {
    let taken = 0;
    while (leg.play(frame(1)) && taken < 100) taken++;
    expect(taken).toBe(17);
  });

  test('a speech is over when the browser has played it, and its words are heard later by as much', async () => {
    leg.roundTripMs = 80;
    const finished: number[] = [];
    const playout = new Playout(leg, clock, {
      started() {},
      finished: () => finished.push(clock.now()),
      sent() {},
      dropped() {},
    });
    playout.begin('r', false);
    playout.push('r', new Uint8Array(640 * 10).fill(3));
    playout.complete('r');
    const beat = () => playout.tick(clock.now());
    await beats(5, beat);
    expect(playout.cursors('r')).toMatchObject({ sentMs: 200, heardMs: 0 });
    await beats(8, beat);
    expect(playout.cursors('r')?.playedOutMs).toBe(160);
    await beats(10, beat);
    // 200 ms of sound, 60 ms in the browser's buffer, half of the round trip.
    expect(finished[0]).toBeGreaterThanOrEqual(300);
    expect(finished[0]).toBeLessThanOrEqual(320);
    expect(spoken()).toHaveLength(10);
  });

  test('what the reports say of the way goes to encoder and clock', () => {
    leg.updateQuality({ roundTripMs: 120, lossPercent: 12 });
    expect(leg.playoutDelayMs).toBe(120);
    expect(codec.losses).toEqual([12]);
  });
});

describe('a line that breaks', () => {
  test('after two seconds without a packet the agent waits, once; it goes on with the next packet', async () => {
    leg.listen(listener);
    await beats(10);
    await beats(110, undefined, false);
    expect(told).toEqual(['stalled']);
    expect(leg.play(frame(1))).toBe(false);
    // The caller's time goes on all the while.
    expect(frames.length).toBeGreaterThan(110);
    await beats(1);
    expect(leg.play(frame(2))).toBe(true);
    await beats(110, undefined, false);
    expect(told).toEqual(['stalled', 'stalled']);
  });

  test('the end is told once, also to who listens later; a hang-up tells nobody', async () => {
    leg.finish('hung up', 'the page is gone');
    leg.finish('lost', 'again');
    leg.listen(listener);
    expect(told).toEqual(['hung up: the page is gone']);
    leg.hangUp('caller hung up');
    leg.hangUp('twice');
    expect(closed).toEqual(['caller hung up']);
    expect(leg.play(frame(1))).toBe(false);
    leg.receive(fakeRtpPacket(1), clock.now());
    expect(frames).toHaveLength(0);
  });
});
