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
let sent: { atMs: number; marker: boolean; sequence: number; timestamp: number; audio: number }[];
let events: string[];
let frames: { value: number; atMs: number }[];
let closed: string[];
let transcript: LiveTranscriptLine[];

const listener: LegListener = {
  audio: (frame, atMs) => frames.push({ value: frame[0]!, atMs }),
  mark: (name) => events.push(`mark ${name}`),
  digit: (digit) => events.push(`digit ${digit}`),
  stalled: () => events.push('stalled'),
  ended: (cause, detail) => events.push(`${cause}: ${detail}`),
};

beforeEach(() => {
  clock = createVirtualClock();
  codec = createFakeOpusCodec();
  sent = [];
  events = [];
  frames = [];
  closed = [];
  transcript = [];
  leg = new BrowserLeg({
    clock,
    codec,
    agentStream: { payloadType: 100, ssrc: 0x1234_fffe },
    transport: {
      sendRtp(bytes) {
        const { marker, sequence, timestamp, payload, payloadType, ssrc } = readRtp(bytes)!;
        expect({ payloadType, ssrc }).toEqual({ payloadType: 100, ssrc: 0x1234_fffe });
        sent.push({ atMs: clock.now(), marker, sequence, timestamp, audio: payload[0]! });
      },
      transcript: (line) => transcript.push(line),
      close: (reason) => closed.push(reason),
    },
  });
});

/** Runs ticks of 20 ms, each with a packet of the browser by default. */
let number = 0;
async function ticks(count: number, each?: (tick: number) => void, receives = true): Promise<void> {
  for (let tick = 0; tick < count; tick++) {
    if (receives) leg.receive(fakeRtpPacket(number), clock.now());
    number++;
    leg.tick(clock.now());
    each?.(tick);
    await clock.advance(20);
  }
}

const frame = (value: number) => new Uint8Array(640).fill(value);
const spoken = () => sent.filter(({ audio }) => audio !== 0);

describe('caller audio', () => {
  test('is delivered at once as 20 ms at 16 kHz, and two seconds of it are buffered until there is a listener', async () => {
    await ticks(150);
    leg.press('4');
    leg.listen(listener);
    expect(frames).toHaveLength(100);
    expect(events).toEqual(['digit 4']);
    const before = clock.now();
    await ticks(1);
    expect(frames.at(-1)).toEqual({ value: 1, atMs: before });
  });

  test('is silence while the microphone is muted', async () => {
    leg.listen(listener);
    await ticks(5);
    leg.muted = true;
    await ticks(5);
    expect(frames.map(({ value }) => value)).toEqual([1, 1, 1, 1, 1, 0, 0, 0, 0, 0]);
  });

  test('ignores invalid packets and those of another stream', async () => {
    leg.listen(listener);
    await ticks(2);
    leg.receive(new Uint8Array(0), clock.now());
    leg.receive(new Uint8Array(2_000).fill(0x80), clock.now());
    const other = fakeRtpPacket(3);
    other[11] = 1;
    leg.receive(other, clock.now());
    expect(frames).toHaveLength(2);
  });
});

describe('agent audio', () => {
  test('is sent as one packet per 20 ms, however fast the frames come, with a marker on the first one', async () => {
    await ticks(2);
    sent.length = 0;
    for (let i = 1; i <= 5; i++) expect(leg.play(frame(i))).toBe(true);
    expect(spoken().map(({ audio }) => audio)).toEqual([1]);
    await ticks(5);
    expect(spoken().map(({ audio, marker }) => [audio, marker])).toEqual([
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

  test('a late tick sends what is due, without a gap in the timestamps', async () => {
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
    'a packet on every tick of speech that starts %i ms after one, and of the silence after it',
    async (phase) => {
      // Silence that is worth sending, as real silence is for a while.
      codec.encode = (audio) => Uint8Array.of(audio[0]!, 1, 2, 3);
      await ticks(2);
      await clock.advance(phase);
      sent.length = 0;
      for (let i = 1; i <= 10; i++) leg.play(frame(i));
      leg.flush();
      await clock.advance(20 - phase);
      for (let tick = 0; tick < 30; tick++) {
        // Ticks are late by a varying amount.
        const lateMs = (tick * 7) % 3;
        await clock.advance(lateMs);
        leg.receive(fakeRtpPacket(number++), clock.now());
        leg.tick(clock.now());
        await clock.advance(20 - lateMs);
      }
      expect(spoken().map(({ audio }) => audio)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(gaps().length).toBeGreaterThanOrEqual(21);
      expect(Math.max(...gaps())).toBeLessThanOrEqual(22);
    },
  );

  test.each([0, 6, 12, 18])(
    'a frame that is late, %i ms after a tick, is waited for; then silence is sent',
    async (phase) => {
      codec.encode = (audio) => Uint8Array.of(audio[0]!, 1, 2, 3);
      await clock.advance(phase);
      leg.play(frame(1));
      await clock.advance(20 - phase);
      await ticks(1);
      // Up to half a frame late it is sent at once, with its own timestamp.
      leg.play(frame(2));
      expect(sent.map(({ audio }) => audio)).toEqual([1, 2]);
      await ticks(4);
      expect(Math.max(...gaps())).toBeLessThanOrEqual(40);
      const silent = sent.length - 2;
      expect(silent).toBeGreaterThanOrEqual(2);
      leg.play(frame(3));
      leg.play(frame(4));
      await ticks(3);
      expect(sent.slice(2 + silent, 4 + silent).map(({ audio }) => audio)).toEqual([3, 4]);
      expect(Math.max(...gaps())).toBeLessThanOrEqual(40);
      for (const [i, { timestamp }] of sent.entries()) {
        expect((timestamp - sent[0]!.timestamp + 2 ** 32) % 2 ** 32).toBe(i * 960);
      }
    },
  );

  test('two ticks at once count as one', async () => {
    for (let i = 1; i <= 8; i++) leg.play(frame(i));
    for (let tick = 0; tick < 8; tick++) {
      await clock.advance(19);
      leg.tick(clock.now());
      await clock.advance(1);
      leg.tick(clock.now());
    }
    expect(spoken()).toHaveLength(8);
    expect(Math.max(...gaps())).toBeLessThanOrEqual(20);
  });

  test('a synthesizer slower than real time does not run ahead of its timestamps', async () => {
    codec.encode = (audio) => Uint8Array.of(audio[0]!, 1, 2, 3);
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

  test('silence is not sent except for comfort noise every 400 ms; the next speech has a marker and a later timestamp', async () => {
    leg.play(frame(1));
    const first = spoken()[0]!;
    await ticks(100);
    expect(sent.length).toBeLessThan(8);
    leg.play(frame(2));
    const second = spoken()[1]!;
    expect(second.marker).toBe(true);
    const laterMs = ((second.timestamp - first.timestamp + 2 ** 32) % 2 ** 32) / 48;
    expect(Math.abs(laterMs - (second.atMs - first.atMs))).toBeLessThanOrEqual(20);
    for (const [i, packet] of sent.slice(1).entries()) expect(packet.sequence).toBe((sent[i]!.sequence + 1) & 0xffff);
  });

  test('unsent frames are dropped by a clear', async () => {
    for (let i = 1; i <= 5; i++) leg.play(frame(i));
    await ticks(2);
    leg.clear();
    await ticks(10);
    expect(spoken().map(({ audio }) => audio)).toEqual([1, 2, 3]);
  });

  test('what is taken back is not sent, and the next frame follows without a gap', async () => {
    for (let i = 1; i <= 6; i++) leg.play(frame(i));
    await ticks(2);
    // One was sent at once and one on each tick.
    expect(leg.takeBack(2)).toBe(2);
    expect(leg.takeBack(9)).toBe(1);
    expect(leg.takeBack(9)).toBe(0);
    leg.play(frame(7));
    await ticks(3);
    expect(spoken().map(({ audio }) => audio)).toEqual([1, 2, 3, 7]);
    expect(spoken().filter(({ marker }) => marker)).toHaveLength(1);
    const timestamps = spoken().map(({ timestamp }) => (timestamp - sent[0]!.timestamp + 2 ** 32) % 2 ** 32);
    expect(timestamps).toEqual([0, 960, 1920, 2880]);
  });

  test('ducking is in the next packet', async () => {
    // The high byte of the last sample.
    codec.encode = (audio) => Uint8Array.of(audio.at(-1)!, 1, 2, 3);
    const playout = new Playout(leg, clock, { started() {}, finished() {}, sent() {}, dropped() {} });
    playout.begin('r', false);
    playout.push('r', new Uint8Array(640 * 50).fill(40));
    const tick = () => playout.tick(clock.now());
    await ticks(10, tick);
    const before = sent.length;
    playout.setDucked(true);
    await ticks(4, tick);
    expect(sent.map(({ audio }) => audio).slice(before - 1)).toEqual([40, 26, 12, 12, 12]);
  });

  test('no more frames than fit into the queue are taken', () => {
    let taken = 0;
    while (leg.play(frame(1)) && taken < 100) taken++;
    expect(taken).toBe(17);
  });

  test('speech is over when the browser has played it, and its playout position is delayed by as much', async () => {
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
    const tick = () => playout.tick(clock.now());
    await ticks(5, tick);
    expect(playout.cursors('r')).toMatchObject({ sentMs: 200, playedOutMs: 0 });
    await ticks(8, tick);
    expect(playout.cursors('r')?.playedOutMs).toBe(160);
    await ticks(10, tick);
    // 200 ms of audio, 60 ms in the browser's buffer, half of the round trip.
    expect(finished[0]).toBeGreaterThanOrEqual(300);
    expect(finished[0]).toBeLessThanOrEqual(320);
    expect(spoken()).toHaveLength(10);
  });

  test('RTCP reports set the expected loss and the playout delay', () => {
    leg.updateQuality({ roundTripMs: 120, lossPercent: 12 });
    expect(leg.playoutDelayMs).toBe(120);
    expect(codec.losses).toEqual([12]);
  });
});

describe('a stalled browser', () => {
  test('stalls once after two seconds without a packet, and resumes with the next one', async () => {
    leg.listen(listener);
    await ticks(10);
    await ticks(110, undefined, false);
    expect(events).toEqual(['stalled']);
    expect(leg.play(frame(1))).toBe(false);
    // The caller's time goes on all the while.
    expect(frames.length).toBeGreaterThan(110);
    await ticks(1);
    expect(leg.play(frame(2))).toBe(true);
    await ticks(110, undefined, false);
    expect(events).toEqual(['stalled', 'stalled']);
  });

  test('the end is reported once, also to a late listener; a hang-up is not reported', async () => {
    leg.finish('hung up', 'the page is gone');
    leg.finish('lost', 'again');
    leg.listen(listener);
    expect(events).toEqual(['hung up: the page is gone']);
    leg.hangUp('caller hung up');
    leg.hangUp('twice');
    expect(closed).toEqual(['caller hung up']);
    expect(leg.play(frame(1))).toBe(false);
    leg.receive(fakeRtpPacket(1), clock.now());
    expect(frames).toHaveLength(0);
  });
});
