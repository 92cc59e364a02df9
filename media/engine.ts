import type { Bus } from '../shared/bus/bus.ts';
import type { HangupReason } from '../shared/call.ts';
import type { Clock, Timer } from '../shared/clock.ts';
import { errorText, type Logger } from '../shared/log.ts';
import { emptyUsage } from '../shared/usage.ts';
import { type Admission, SAMPLE_INTERVAL_MS } from './admission.ts';
import { FRAME_MS } from './audio/format.ts';
import type { BrowserStream } from './browser-gateway.ts';
import { Call } from './call/call.ts';
import { type CapturedCall, captureCall } from './call/captured-call.ts';
import type { ProviderFactory } from './call/provider-factory.ts';
import type { CarrierStream } from './carrier-gateway.ts';
import { BrowserLeg } from './leg/browser-leg.ts';
import type { CarrierLeg } from './leg/carrier-leg.ts';
import type { Leg } from './leg/leg.ts';
import type { EarlyLegCapture, LegCapture } from './leg/leg-capture.ts';
import { ResumableLeg } from './leg/resumable-leg.ts';
import type { MediaClock } from './playout/media-clock.ts';
import type { ConcurrencyPermits } from './provider/concurrency-permits.ts';
import type { Health } from './provider/health.ts';
import type { ChunkWriter } from './report/chunk-writer.ts';
import { createReporter, type Reporter } from './report/reporter.ts';
import type { Vad } from './turn/vad.ts';

/** All calls of this process: who gets in, who is alive, and how to leave without cutting anybody off. */
export interface Engine {
  /** A carrier opened a stream and named its call, or a browser's first sound came. */
  acceptStream(stream: CarrierStream | BrowserStream): void;
  accepting(): boolean;
  /** The call lives here. */
  hasCall(callId: string): boolean;
  /** The call lives here and its carrier's socket broke: a new one is welcome. */
  awaitsStream(callId: string): boolean;
  liveCalls(): number;
  /** How it is doing, for the operator. */
  load(): { calls: number; headroom: number; overloaded: boolean; draining: boolean };
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
  providerFactory: ProviderFactory;
  permits: ConcurrencyPermits;
  health: Health;
  vad: Vad;
  mediaClock: MediaClock;
  admission: Admission;
  /** Share of the time since it was last asked in which this thread was busy, 0 to 1. */
  threadUtilization(): number;
  /** Where tapes of calls are written; empty: no call is taped. */
  capturesDir: string;
  /** A call begins to live here, or no longer does. */
  onCall?(callId: string, here: boolean): void;
  recordings: ChunkWriter;
  clock: Clock;
  log: Logger;
}

/** A call that lives here, and what is left to do when it is over. */
interface StartedCall {
  call: Call;
  captured: CapturedCall | null;
  reporter: Reporter;
}

const HEARTBEAT_INTERVAL_MS = 10_000;
/** Told at the next look, not only with the next heartbeat. */
const HEADROOM_CHANGE_SHARE = 0.2;
/** Less than the leg waits for somebody to listen; long enough for a restart of control, its database or the bus. */
const SESSION_DEADLINE_MS = 8_000;
const SESSION_TIMEOUT_MS = 2_000;
const SESSION_RETRY_MS = 200;
const FLUSH_DEADLINE_MS = 10_000;
/** A tape that is not whole by then is cut. */
const CAPTURES_DEADLINE_MS = 2_000;
const LAG_QUANTILE = 0.95;

export function createEngine(options: EngineOptions): Engine {
  const { id, bus, mediaClock: metronome, admission, clock, log } = options;
  const calls = new Map<string, Call>();
  const legs = new Map<string, ResumableLeg>();
  const legCaptures = new Map<string, LegCapture>();
  /** Not whole on the disk yet. */
  const openCaptures = new Set<CapturedCall>();
  /** Calls whose events are not all stored yet. */
  const reporters = new Set<Reporter>();
  let draining = false;
  /** Calls that are being opened have their place already. */
  let opening = 0;
  const starting = new Set<Promise<StartedCall | null>>();
  let heartbeatTimer: Timer | null = null;
  let reportedHeadroom = 0;
  let sampleTimer: Timer | null = null;
  let previousLagCounts = new Uint32Array(metronome.lagCounts);

  function sendHeartbeat(): void {
    heartbeatTimer?.cancel();
    reportedHeadroom = headroom();
    bus.sendHeartbeat({
      engine_id: id,
      at_ms: clock.wall(),
      call_ids: [...calls.keys()],
      headroom: reportedHeadroom,
      ...(options.publicUrl ? { public_url: options.publicUrl } : {}),
    });
    heartbeatTimer = clock.after(HEARTBEAT_INTERVAL_MS, sendHeartbeat);
  }
  sendHeartbeat();

  function headroom(): number {
    return draining ? 0 : admission.headroom(calls.size + opening);
  }

  function sampleLoad(): void {
    const wasOverloaded = admission.overloaded;
    const lags = new Uint32Array(metronome.lagCounts);
    const since = lags.map((count, at) => count - previousLagCounts[at]!);
    previousLagCounts = lags;
    const measured = { calls: calls.size, ...tickStats(since), busyShare: options.threadUtilization() };
    admission.observe(measured);
    if (admission.overloaded !== wasOverloaded) {
      if (wasOverloaded) log.info(measured, 'the engine takes calls again');
      else log.warn(measured, 'the engine is overloaded and takes no further call');
    }
    // Control sends calls by what it was told last.
    if (Math.abs(headroom() - reportedHeadroom) > reportedHeadroom * HEADROOM_CHANGE_SHARE) sendHeartbeat();
    sampleTimer = clock.after(SAMPLE_INTERVAL_MS, sampleLoad);
  }
  sampleTimer = clock.after(SAMPLE_INTERVAL_MS, sampleLoad);

  async function openStream(stream: CarrierStream | BrowserStream): Promise<void> {
    const callId = stream.token.call_id;
    // A browser's call goes over several sockets by itself.
    const carrierLeg = stream.leg instanceof BrowserLeg ? null : stream.leg;
    if (carrierLeg && legs.get(callId)?.resume(carrierLeg)) {
      const tap = legCaptures.get(callId);
      tap?.nextStream(clock.now());
      attachCapture(carrierLeg.capture, tap);
      log.info({ call_id: callId }, 'a stream came back; the call goes on');
      return;
    }
    // The door let it in by what was known then; others may have come in at the same time.
    if (headroom() === 0) {
      log.warn({ call_id: callId, live: calls.size }, 'a stream came for which there is no room left');
      stream.leg.hangUp();
      return;
    }
    const beginning = startCall(stream, carrierLeg);
    starting.add(beginning);
    const begun = await beginning.finally(() => starting.delete(beginning));
    if (!begun) return;
    await begun.call.over;
    removeCall(callId);
    legCaptures.delete(callId);
    await closeCapture(begun.captured);
    await flushReporter(begun.reporter);
  }

  /** Null when nothing became of it; its stream is hung up then. */
  async function startCall(
    stream: CarrierStream | BrowserStream,
    carrierLeg: CarrierLeg | null,
  ): Promise<StartedCall | null> {
    const callId = stream.token.call_id;
    opening++;
    const reply = await requestSession(stream).finally(() => {
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
      failBeforeStart(stream, reporter, 'error: engine stopped');
      return null;
    }
    const returning = carrierLeg && new ResumableLeg(carrierLeg, clock);
    const leg = returning ?? stream.leg;
    const parts = { ...options, session: reply.session, leg, reporter };
    let taped: CapturedCall | null = null;
    let call: Call;
    try {
      if (reply.session.capture && options.capturesDir !== '') {
        taped = captureCall(parts, options.capturesDir);
        openCaptures.add(taped);
      }
      attachCapture(stream.leg.capture, taped?.tap);
      call = new Call(taped?.options ?? parts);
    } catch (error) {
      log.error({ call_id: callId, error: errorText(error) }, 'a call could not be started');
      failBeforeStart(stream, reporter, 'error: media');
      await closeCapture(taped);
      return null;
    }
    if (taped) legCaptures.set(callId, taped.tap);
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
    return { call, captured: taped, reporter };
  }

  /** Control gave us the call and waits for news of it: without this it would ring on there. */
  function failBeforeStart(
    stream: CarrierStream | BrowserStream,
    reporter: Reporter,
    hangup_reason: HangupReason,
  ): void {
    reporter.report('call.ended', hangup_reason, {
      level: 'error',
      data: { duration_seconds: 0, avg_first_audio_ms: null, usage: emptyUsage() },
      ending: { hangup_by: 'service', hangup_reason, duration_seconds: 0, recorded: false, provider_usage_json: '[]' },
    });
    stream.leg.hangUp(hangup_reason);
    void flushReporter(reporter);
  }

  async function flushReporter(reporter: Reporter): Promise<void> {
    await reporter.flushed();
    reporters.delete(reporter);
  }

  async function closeCapture(taped: CapturedCall | null): Promise<void> {
    if (!taped) return;
    await taped.close();
    openCaptures.delete(taped);
  }

  function removeCall(callId: string): void {
    if (calls.delete(callId)) options.onCall?.(callId, false);
    legs.delete(callId);
  }

  async function requestSession(stream: CarrierStream | BrowserStream) {
    const request = {
      call_id: stream.token.call_id,
      nonce: stream.token.nonce,
      engine_id: id,
      carrier: stream.leg.carrier,
      provider_call_id: stream.providerCallId,
    };
    const giveUpMs = clock.now() + SESSION_DEADLINE_MS;
    for (;;) {
      try {
        return await bus.openSession(request, SESSION_TIMEOUT_MS);
      } catch (error) {
        if (clock.now() >= giveUpMs) {
          log.warn({ call_id: request.call_id, error: errorText(error) }, 'control did not answer');
          return { refused: 'the service did not answer', session: undefined };
        }
        await new Promise<void>((resolve) => clock.after(SESSION_RETRY_MS, resolve));
      }
    }
  }

  return {
    acceptStream(stream) {
      openStream(stream).catch((error) => {
        log.error({ call_id: stream.token.call_id, error: errorText(error) }, 'a call could not be started');
        removeCall(stream.token.call_id);
        stream.leg.hangUp();
      });
    },
    accepting: () => headroom() > 0,
    hasCall: (callId) => calls.has(callId),
    awaitsStream: (callId) => legs.get(callId)?.awaitsStream ?? false,
    liveCalls: () => calls.size,
    load: () => ({ calls: calls.size, headroom: headroom(), overloaded: admission.overloaded, draining }),
    async drain(patienceMs) {
      draining = true;
      sendHeartbeat();
      if (calls.size > 0)
        log.info({ live: calls.size, patience_ms: patienceMs }, 'leaving; waiting for the live calls');
      // What control gives us meanwhile is ended at once, and that has to be told.
      const answered = within(SESSION_DEADLINE_MS + SESSION_TIMEOUT_MS, Promise.allSettled([...starting]));
      await within(patienceMs, Promise.all([...calls.values()].map((call) => call.over)));
      for (const call of calls.values()) call.end({ hangup_by: 'service', hangup_reason: 'error: engine stopped' });
      await within(FLUSH_DEADLINE_MS, Promise.all([...calls.values()].map((call) => call.over)));
      await answered;
      const flushed = await within(
        FLUSH_DEADLINE_MS,
        Promise.all([...reporters].map((reporter) => reporter.flushed())),
      );
      if (!flushed) log.error({}, 'left with events that could not be stored');
      await within(CAPTURES_DEADLINE_MS, Promise.all([...openCaptures].map((tape) => tape.close())));
      heartbeatTimer?.cancel();
      sampleTimer?.cancel();
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

function attachCapture(from: EarlyLegCapture | null | undefined, to: LegCapture | undefined): void {
  if (to) from?.attach(to);
  else from?.discard();
}

/** Of beats counted by their lateness in whole milliseconds. */
function tickStats(lagCounts: Uint32Array): { beats: number; lateBeats: number; lagMs: number } {
  const beats = lagCounts.reduce((sum, count) => sum + count, 0);
  // A beat that is a whole frame late makes a gap of two.
  const lateBeats = lagCounts.subarray(FRAME_MS).reduce((sum, count) => sum + count, 0);
  let lagMs = 0;
  let seen = 0;
  for (const [ms, count] of lagCounts.entries()) {
    if (count > 0 && seen < beats * LAG_QUANTILE) lagMs = ms;
    seen += count;
  }
  return { beats, lateBeats, lagMs };
}
