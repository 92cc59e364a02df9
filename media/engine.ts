import type { Bus } from '../shared/bus/bus.ts';
import type { HangupReason } from '../shared/call.ts';
import type { Clock, Timer } from '../shared/clock.ts';
import { errorText, type Logger } from '../shared/log.ts';
import { noUsage } from '../shared/usage.ts';
import { type Admission, LOOK_EVERY_MS } from './admission.ts';
import { FRAME_MS } from './audio/format.ts';
import { Call } from './call/call.ts';
import type { Equipment } from './call/equipment.ts';
import { type TapedCall, tapeCall } from './call/taped-call.ts';
import type { CarrierStream } from './carrier-door.ts';
import { BrowserLeg } from './leg/browser.ts';
import type { CarrierLeg } from './leg/carrier-leg.ts';
import type { Leg } from './leg/leg.ts';
import type { EarlyTap, LegTap } from './leg/leg-tap.ts';
import { ReturningLeg } from './leg/returning-leg.ts';
import type { Metronome } from './playout/metronome.ts';
import type { Health } from './provider/health.ts';
import type { Places } from './provider/places.ts';
import type { PieceWriter } from './report/piece-writer.ts';
import { createReporter, type Reporter } from './report/reporter.ts';
import type { Vad } from './turn/vad.ts';
import type { WebStream } from './web-door.ts';

/** All calls of this process: who gets in, who is alive, and how to leave without cutting anybody off. */
export interface Engine {
  /** A carrier opened a stream and named its call, or a browser's first sound came. */
  take(stream: CarrierStream | WebStream): void;
  accepting(): boolean;
  /** The call lives here. */
  holds(callId: string): boolean;
  /** The call lives here and its carrier's socket broke: a new one is welcome. */
  awaits(callId: string): boolean;
  liveCalls(): number;
  /** How it is doing, for the operator. */
  load(): { calls: number; room: number; overloaded: boolean; draining: boolean };
  /**
   * Takes no more calls, waits up to `patienceMs` for the live ones, ends those that are left, and waits until their events
   * are stored (at most 10 seconds more).
   */
  drain(patienceMs: number): Promise<void>;
}

export interface EngineOptions {
  id: string;
  /** How carriers and browsers reach this engine and no other; empty: by the common address. */
  publicUrl?: string;
  bus: Bus;
  equipment: Equipment;
  places: Places;
  health: Health;
  vad: Vad;
  metronome: Metronome;
  admission: Admission;
  /** Share of the time since it was last asked in which this thread was busy, 0 to 1. */
  busyShare(): number;
  /** Where tapes of calls are written; empty: no call is taped. */
  tapesDir: string;
  /** A call begins to live here, or no longer does. */
  onCall?(callId: string, here: boolean): void;
  recordings: PieceWriter;
  clock: Clock;
  log: Logger;
}

/** A call that lives here, and what is left to do when it is over. */
interface Begun {
  call: Call;
  taped: TapedCall | null;
  reporter: Reporter;
}

const HEARTBEAT_MS = 10_000;
/** Told at the next look, not only with the next heartbeat. */
const ROOM_CHANGED_SHARE = 0.2;
/** Less than the leg waits for somebody to listen; long enough for a restart of control, its database or the bus. */
const SESSION_WITHIN_MS = 8_000;
const SESSION_TIMEOUT_MS = 2_000;
const SESSION_AGAIN_MS = 200;
const FLUSH_DEADLINE_MS = 10_000;
/** A tape that is not whole by then is cut. */
const TAPES_DEADLINE_MS = 2_000;
const LAG_RANK = 0.95;

export function createEngine(options: EngineOptions): Engine {
  const { id, bus, metronome, admission, clock, log } = options;
  const calls = new Map<string, Call>();
  const legs = new Map<string, ReturningLeg>();
  const taps = new Map<string, LegTap>();
  /** Not whole on the disk yet. */
  const tapes = new Set<TapedCall>();
  /** Calls whose events are not all stored yet. */
  const reporters = new Set<Reporter>();
  let draining = false;
  /** Calls that are being opened have their place already. */
  let opening = 0;
  const beginnings = new Set<Promise<Begun | null>>();
  let heartbeat: Timer | null = null;
  let toldRoom = 0;
  let looking: Timer | null = null;
  let seenLags = new Uint32Array(metronome.lagCounts);

  function beat(): void {
    heartbeat?.cancel();
    toldRoom = room();
    bus.sendHeartbeat({
      engine_id: id,
      at_ms: clock.wall(),
      call_ids: [...calls.keys()],
      room: toldRoom,
      ...(options.publicUrl ? { public_url: options.publicUrl } : {}),
    });
    heartbeat = clock.after(HEARTBEAT_MS, beat);
  }
  beat();

  function room(): number {
    return draining ? 0 : admission.room(calls.size + opening);
  }

  function look(): void {
    const wasOverloaded = admission.overloaded;
    const lags = new Uint32Array(metronome.lagCounts);
    const since = lags.map((count, at) => count - seenLags[at]!);
    seenLags = lags;
    const measured = { calls: calls.size, ...beatsOf(since), busyShare: options.busyShare() };
    admission.look(measured);
    if (admission.overloaded !== wasOverloaded) {
      if (wasOverloaded) log.info(measured, 'the engine takes calls again');
      else log.warn(measured, 'the engine is overloaded and takes no further call');
    }
    // Control sends calls by what it was told last.
    if (Math.abs(room() - toldRoom) > toldRoom * ROOM_CHANGED_SHARE) beat();
    looking = clock.after(LOOK_EVERY_MS, look);
  }
  looking = clock.after(LOOK_EVERY_MS, look);

  async function open(stream: CarrierStream | WebStream): Promise<void> {
    const callId = stream.token.call_id;
    // A browser's call goes over several sockets by itself.
    const carrierLeg = stream.leg instanceof BrowserLeg ? null : stream.leg;
    if (carrierLeg && legs.get(callId)?.goOn(carrierLeg)) {
      const tap = taps.get(callId);
      tap?.nextStream(clock.now());
      lead(carrierLeg.tap, tap);
      log.info({ call_id: callId }, 'a stream came back; the call goes on');
      return;
    }
    // The door let it in by what was known then; others may have come in at the same time.
    if (room() === 0) {
      log.warn({ call_id: callId, live: calls.size }, 'a stream came for which there is no room left');
      stream.leg.hangUp();
      return;
    }
    const beginning = begin(stream, carrierLeg);
    beginnings.add(beginning);
    const begun = await beginning.finally(() => beginnings.delete(beginning));
    if (!begun) return;
    await begun.call.over;
    forget(callId);
    taps.delete(callId);
    await wound(begun.taped);
    await stored(begun.reporter);
  }

  /** Null when nothing became of it; its stream is hung up then. */
  async function begin(stream: CarrierStream | WebStream, carrierLeg: CarrierLeg | null): Promise<Begun | null> {
    const callId = stream.token.call_id;
    opening++;
    const reply = await askSession(stream).finally(() => {
      opening--;
    });
    if (reply.refused !== '' || !reply.session) {
      log.warn({ call_id: callId, refused: reply.refused }, 'a stream was refused');
      const leg: Leg = stream.leg;
      leg.hangUp(reply.refused);
      return null;
    }
    if (calls.has(callId)) {
      log.warn({ call_id: callId }, 'a stream came for a call that is already here');
      stream.leg.hangUp();
      return null;
    }
    const reporter = createReporter({ callId, engineId: id, bus, clock, log });
    reporters.add(reporter);
    if (draining) {
      log.warn({ call_id: callId }, 'a stream came while leaving');
      neverBegan(stream, reporter, 'error: engine stopped');
      return null;
    }
    const returning = carrierLeg && new ReturningLeg(carrierLeg, clock);
    const leg = returning ?? stream.leg;
    const parts = { ...options, session: reply.session, leg, reporter };
    let taped: TapedCall | null = null;
    let call: Call;
    try {
      if (reply.session.tape && options.tapesDir !== '') {
        taped = tapeCall(parts, options.tapesDir);
        tapes.add(taped);
      }
      lead(stream.leg.tap, taped?.tap);
      call = new Call(taped?.options ?? parts);
    } catch (error) {
      log.error({ call_id: callId, error: errorText(error) }, 'a call could not be started');
      neverBegan(stream, reporter, 'error: media');
      await wound(taped);
      return null;
    }
    if (taped) taps.set(callId, taped.tap);
    calls.set(callId, call);
    options.onCall?.(callId, true);
    if (returning) legs.set(callId, returning);
    log.info({ call_id: callId, carrier: stream.leg.carrier, live: calls.size }, 'a call began');
    try {
      call.start();
    } catch (error) {
      log.error({ call_id: callId, error: errorText(error) }, 'a fault of ours while a call began; it is ended');
      call.end({ hangup_by: 'service', hangup_reason: 'error: media' });
    }
    return { call, taped, reporter };
  }

  /** Control gave us the call and waits for news of it: without this it would ring on there. */
  function neverBegan(stream: CarrierStream | WebStream, reporter: Reporter, hangup_reason: HangupReason): void {
    reporter.tell('call.ended', hangup_reason, {
      level: 'error',
      data: { duration_seconds: 0, avg_first_audio_ms: null, usage: noUsage() },
      ending: { hangup_by: 'service', hangup_reason, duration_seconds: 0, recorded: false, served_json: '[]' },
    });
    stream.leg.hangUp(hangup_reason);
    void stored(reporter);
  }

  async function stored(reporter: Reporter): Promise<void> {
    await reporter.flushed();
    reporters.delete(reporter);
  }

  async function wound(taped: TapedCall | null): Promise<void> {
    if (!taped) return;
    await taped.close();
    tapes.delete(taped);
  }

  function forget(callId: string): void {
    if (calls.delete(callId)) options.onCall?.(callId, false);
    legs.delete(callId);
  }

  async function askSession(stream: CarrierStream | WebStream) {
    const request = {
      call_id: stream.token.call_id,
      nonce: stream.token.nonce,
      engine_id: id,
      carrier: stream.leg.carrier,
      provider_call_id: stream.providerCallId,
    };
    const giveUpMs = clock.now() + SESSION_WITHIN_MS;
    for (;;) {
      try {
        return await bus.openSession(request, SESSION_TIMEOUT_MS);
      } catch (error) {
        if (clock.now() >= giveUpMs) {
          log.warn({ call_id: request.call_id, error: errorText(error) }, 'control did not answer');
          return { refused: 'the service did not answer', session: undefined };
        }
        await new Promise<void>((resolve) => clock.after(SESSION_AGAIN_MS, resolve));
      }
    }
  }

  return {
    take(stream) {
      open(stream).catch((error) => {
        log.error({ call_id: stream.token.call_id, error: errorText(error) }, 'a call could not be started');
        forget(stream.token.call_id);
        stream.leg.hangUp();
      });
    },
    accepting: () => room() > 0,
    holds: (callId) => calls.has(callId),
    awaits: (callId) => legs.get(callId)?.waits ?? false,
    liveCalls: () => calls.size,
    load: () => ({ calls: calls.size, room: room(), overloaded: admission.overloaded, draining }),
    async drain(patienceMs) {
      draining = true;
      beat();
      if (calls.size > 0)
        log.info({ live: calls.size, patience_ms: patienceMs }, 'leaving; waiting for the live calls');
      // What control gives us meanwhile is ended at once, and that has to be told.
      const answered = within(SESSION_WITHIN_MS + SESSION_TIMEOUT_MS, Promise.allSettled([...beginnings]));
      await within(patienceMs, Promise.all([...calls.values()].map((call) => call.over)));
      for (const call of calls.values()) call.end({ hangup_by: 'service', hangup_reason: 'error: engine stopped' });
      await within(FLUSH_DEADLINE_MS, Promise.all([...calls.values()].map((call) => call.over)));
      await answered;
      const flushed = await within(
        FLUSH_DEADLINE_MS,
        Promise.all([...reporters].map((reporter) => reporter.flushed())),
      );
      if (!flushed) log.error({}, 'left with events that could not be stored');
      await within(TAPES_DEADLINE_MS, Promise.all([...tapes].map((tape) => tape.close())));
      heartbeat?.cancel();
      looking?.cancel();
    },
  };

  /** True when the work was done in time. */
  async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
    let timer: Timer | null = null;
    const late = new Promise<boolean>((resolve) => {
      timer = clock.after(ms, () => resolve(false));
    });
    const done = await Promise.race([work.then(() => true), late]);
    (timer as Timer | null)?.cancel();
    return done;
  }
}

function lead(from: EarlyTap | null | undefined, to: LegTap | undefined): void {
  if (to) from?.lead(to);
  else from?.letGo();
}

/** Of beats counted by their lateness in whole milliseconds. */
function beatsOf(lagCounts: Uint32Array): { beats: number; lateBeats: number; lagMs: number } {
  const beats = lagCounts.reduce((sum, count) => sum + count, 0);
  // A beat that is a whole frame late makes a gap of two.
  const lateBeats = lagCounts.subarray(FRAME_MS).reduce((sum, count) => sum + count, 0);
  let lagMs = 0;
  let seen = 0;
  for (const [ms, count] of lagCounts.entries()) {
    if (count > 0 && seen < beats * LAG_RANK) lagMs = ms;
    seen += count;
  }
  return { beats, lateBeats, lagMs };
}
