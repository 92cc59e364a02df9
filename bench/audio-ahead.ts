import { MULAW_8K } from '../media/audio/format.ts';
import type { Leg } from '../media/leg/leg.ts';
import { PLAYOUT_AHEAD_MS, Playout } from '../media/playout/playout.ts';
import type { Clock } from '../shared/clock.ts';
import { percentiles } from '../shared/percentiles.ts';
import { seededRandom } from '../test/support/seeded-random.ts';
import { decodeTestAudio, encodeTestAudio } from '../test/support/test-audio.ts';

/**
 * `node bench/audio-ahead.ts`: what less audio ahead, and ducking what is already at the carrier, cost and bring on several networks.
 * Playout speaks to a simulated carrier over a simulated TCP connection, in steps of a millisecond; nothing is in real time.
 *
 * - ducked heard: from ducking to the first ducked frame the caller hears, the network included.
 * - dry: gaps in the agent's sentences per minute of speech, and their sum.
 * - lost, repeated: milliseconds of speech per ducking that the caller does not hear or hears twice. `resend` clears the carrier and
 *   sends what it has not played by this side's clock again.
 */

const SPEECHES = 200;
const SPEECH_MS = 10_000;
const DUCK_EVERY_MS = 2_000;
const DUCKED_MS = 400;
const FRAME_MS = 20;
const ONE_WAY_MS = 20;

interface Variant {
  name: string;
  aheadMs: number;
  resends: boolean;
}

interface Network {
  name: string;
  /** Added to the delay of a message, up to. */
  jitterMs: number;
  /** Every 2 to 4 s nothing arrives for so long; what was sent meanwhile arrives at the end. */
  stallMs: number;
  /** Every 2 to 4 s this process does nothing for so long. */
  busyMs: number;
  /** The carrier begins to play so long after the first frame. */
  prebufferMs: number;
}

const VARIANTS: readonly Variant[] = [
  { name: 'as it is', aheadMs: PLAYOUT_AHEAD_MS, resends: false },
  { name: 'ahead 100 ms', aheadMs: 100, resends: false },
  { name: 'ahead 80 ms', aheadMs: 80, resends: false },
  { name: 'ahead 60 ms', aheadMs: 60, resends: false },
  { name: 'resend', aheadMs: PLAYOUT_AHEAD_MS, resends: true },
];
const QUIET = { jitterMs: 1, stallMs: 0, busyMs: 0, prebufferMs: 0 };
const NETWORKS: readonly Network[] = [
  { ...QUIET, name: 'calm' },
  { ...QUIET, name: 'jitter of 30 ms', jitterMs: 30 },
  { ...QUIET, name: 'stalls of 60 ms', stallMs: 60 },
  { ...QUIET, name: 'stalls of 100 ms', stallMs: 100 },
  { ...QUIET, name: 'stalls of 130 ms', stallMs: 130 },
  { ...QUIET, name: 'engine busy 60 ms', busyMs: 60 },
  { ...QUIET, name: 'engine busy 100 ms', busyMs: 100 },
  { ...QUIET, name: 'carrier plays 40 ms late', prebufferMs: 40 },
];

interface Outcome {
  heardMs: number[];
  lostMs: number[];
  repeatedMs: number[];
  dryGaps: number;
  dryMs: number;
}

/** A message that is due at the carrier: a frame of this position, or a clear. */
interface Message {
  atMs: number;
  frame: { fromMs: number; ducked: boolean } | null;
}

/** One speech; adds what the caller heard of it to `outcome`. */
function play({ aheadMs, resends }: Variant, network: Network, seed: number, outcome: Outcome): void {
  const random = seededRandom(seed);
  let nowMs = 0;
  const clock: Clock = { now: () => nowMs, wall: () => nowMs, after: () => ({ cancel() {} }) };
  const stalls = pauses(network.stallMs, random);
  const busy = pauses(network.busyMs, random);
  const connection: Message[] = [];
  let queue: { fromMs: number; ducked: boolean }[] = [];
  let lastArrivalMs = 0;
  let bufferedUntilMs = 0;
  let ducked = false;

  function send(frame: Message['frame']): void {
    let atMs = nowMs + ONE_WAY_MS + random() * network.jitterMs;
    for (const [from, to] of stalls) if (atMs >= from && atMs < to) atMs = to;
    lastArrivalMs = Math.max(lastArrivalMs, atMs);
    connection.push({ atMs: lastArrivalMs, frame });
  }

  const leg = {
    format: MULAW_8K,
    packetMs: FRAME_MS,
    returnsMarks: false,
    play(frame: Uint8Array) {
      bufferedUntilMs = Math.max(bufferedUntilMs, nowMs) + FRAME_MS;
      send({ fromMs: decodeTestAudio(frame, undefined)!.fromMs, ducked });
      return true;
    },
    flush() {},
    mark() {},
    clear() {},
    takeBack(atMost: number) {
      const frames = resends ? Math.min(atMost, Math.floor((bufferedUntilMs - nowMs) / FRAME_MS)) : 0;
      if (frames <= 0) return 0;
      bufferedUntilMs -= frames * FRAME_MS;
      ducked = true;
      send(null);
      return frames;
    },
  } as unknown as Leg;
  const playout = new Playout(leg, clock, { started() {}, finished() {}, sent() {}, dropped() {} }, null, aheadMs);
  playout.begin('s', false);

  const duckPhaseMs = 1_000 + Math.floor(random() * 1_000);
  const tickPhase = Math.floor(random() * FRAME_MS);
  let playsFromMs: number | null = null;
  let nextPopMs = Number.POSITIVE_INFINITY;
  const popPhase = random() * FRAME_MS;
  let expectedMs = 0;
  let isDry = false;
  let duckedAtMs: number | null = null;
  let ticked = 0;
  while (expectedMs < SPEECH_MS && nowMs < 2 * SPEECH_MS) {
    for (let due = connection[0]; due && due.atMs <= nowMs; due = connection[0]) {
      connection.shift();
      if (due.frame) queue.push(due.frame);
      else queue = [];
      if (playsFromMs === null) {
        playsFromMs = due.atMs + network.prebufferMs + popPhase;
        nextPopMs = playsFromMs;
      }
    }
    if (nowMs >= nextPopMs) {
      nextPopMs += FRAME_MS;
      const frame = queue.shift();
      if (!frame) {
        if (!isDry) outcome.dryGaps++;
        isDry = true;
        outcome.dryMs += FRAME_MS;
      } else {
        isDry = false;
        if (frame.fromMs > expectedMs) outcome.lostMs.push(frame.fromMs - expectedMs);
        else if (frame.fromMs < expectedMs) outcome.repeatedMs.push(expectedMs - frame.fromMs);
        expectedMs = frame.fromMs + FRAME_MS;
        if (frame.ducked && duckedAtMs !== null) {
          outcome.heardMs.push(nowMs - duckedAtMs);
          duckedAtMs = null;
        }
      }
    }
    const isBusy = busy.some(([from, to]) => nowMs >= from && nowMs < to);
    if (nowMs === 5) playout.push('s', encodeTestAudio(1, 0, SPEECH_MS));
    if (nowMs === 6) playout.complete('s');
    const ticks = Math.floor((nowMs + tickPhase) / FRAME_MS);
    if (!isBusy && ticks > ticked) {
      ticked = ticks;
      playout.tick(nowMs);
    }
    const sinceMs = nowMs - duckPhaseMs;
    if (sinceMs >= 0 && nowMs < SPEECH_MS - 1_000) {
      if (sinceMs % DUCK_EVERY_MS === 0) {
        duckedAtMs = nowMs;
        playout.setDucked(true);
        ducked = true;
      } else if (sinceMs % DUCK_EVERY_MS === DUCKED_MS) {
        playout.setDucked(false);
        ducked = false;
      }
    }
    nowMs++;
  }
}

function pauses(lengthMs: number, random: () => number): [fromMs: number, toMs: number][] {
  const all: [number, number][] = [];
  if (lengthMs === 0) return all;
  for (let at = 500 + random() * 2_000; at < 2 * SPEECH_MS; at += 2_000 + random() * 2_000)
    all.push([at, at + lengthMs]);
  return all;
}

function measure(variant: Variant, network: Network): Outcome {
  const outcome: Outcome = { heardMs: [], lostMs: [], repeatedMs: [], dryGaps: 0, dryMs: 0 };
  for (let seed = 1; seed <= SPEECHES; seed++) play(variant, network, seed, outcome);
  return outcome;
}

const minutes = (SPEECHES * SPEECH_MS) / 60_000;
const row = (cells: readonly (string | number)[]) =>
  cells.map((cell, at) => (at < 2 ? String(cell).padEnd(at === 0 ? 26 : 13) : String(cell).padStart(15))).join('');
console.log(row(['network', '', 'ducked heard', '(p95)', 'dry gaps/min', 'dry ms/min', 'lost', 'repeated']));
for (const network of NETWORKS) {
  for (const variant of VARIANTS) {
    const { heardMs, lostMs, repeatedMs, dryGaps, dryMs } = measure(variant, network);
    const heard = percentiles(heardMs, 0);
    const seams = (values: readonly number[]) =>
      `${Math.round((100 * values.length) / heardMs.length)} %, ≤ ${Math.max(0, ...values)}`;
    const dry = [(dryGaps / minutes).toFixed(1), Math.round(dryMs / minutes)];
    console.log(row([network.name, variant.name, heard.p50, heard.p95, ...dry, seams(lostMs), seams(repeatedMs)]));
  }
}
