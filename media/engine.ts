import type { Bus } from '../shared/bus/bus.ts';
import type { OpenSessionReply, Session } from '../shared/bus/messages.ts';
import type { HangupReason } from '../shared/call.ts';
import { type Clock, pause, type Timer } from '../shared/clock.ts';
import type { EventType } from '../shared/events.ts';
import { errorText, type Logger } from '../shared/log.ts';
import { spanExport } from '../shared/telemetry/spans.ts';
import { emptyUsage } from '../shared/usage.ts';
import { withTimeout } from '../shared/with-timeout.ts';
import { type Admission, SAMPLE_INTERVAL_MS, tickStats } from './admission.ts';
import type { BrowserStream, ParticipantStreams } from './browser-gateway.ts';
import { Call } from './call/call.ts';
import { hasToolsOfOthers } from './call/captured-bus.ts';
import { type CapturedCall, captureCall } from './call/captured-call.ts';
import type { ProviderFactory } from './call/provider-factory.ts';
import { withRedaction } from './call/redacted-call.ts';
import type { CarrierStream, UnsupportedStream } from './carrier-gateway.ts';
import { BrowserLeg } from './leg/browser-leg.ts';
import type { CarrierLeg } from './leg/carrier-leg.ts';
import type { EarlyLegCapture, LegCapture } from './leg/leg-capture.ts';
import { ResumableLeg } from './leg/resumable-leg.ts';
import type { MediaClock } from './playout/media-clock.ts';
import type { ConcurrencyPermits } from './provider/concurrency-permits.ts';
import type { Health } from './provider/health.ts';
import { type CallSpans, createCallSpans } from './report/call-spans.ts';
import type { ChunkWriter } from './report/recording-chunk-writer.ts';
import { createReporter, type EventDetails, type Reporter } from './report/reporter.ts';
import { MAX_SESSION_WAIT_MS, requestSession } from './session-request.ts';
import type { Vad } from './turn/vad.ts';

/** All calls of this process: admits streams, keeps track of calls, sends heartbeats, and drains. */
export interface Engine {
  /** Begins to send heartbeats. `publicUrl`: how carriers and browsers reach this engine and no other; empty: the common address. */
  start(publicUrl?: string): void;
  /** Takes a carrier's stream that has started, or a browser's once its first audio came. */
  acceptStream(stream: CarrierStream | BrowserStream): void;
  /** For people who take part in calls of this engine. */
  readonly participants: ParticipantStreams;
  /** Ends the call of a stream whose audio cannot be read, with the reason on its timeline, and closes the stream. */
  endUnsupported(stream: UnsupportedStream): void;
  /** Expects a stream of this call within 15 seconds, whose session is given; returns why not, or nothing. */
  expectTestCall(session: Session): string;
  /** Control and load balancers are to give it calls. */
  accepting(): boolean;
  /** A stream may open: also for a short time after it began to drain, since its address was given out before. */
  takesStreams(): boolean;
  /** The call is here and its carrier's socket broke: its next stream is welcome. */
  awaitsStream(callId: string): boolean;
  liveCalls(): number;
  load(): { calls: number; headroom: number; overloaded: boolean; draining: boolean };
  /**
   * Takes no more calls than those whose streams open within two seconds, waits up to `drainMs` for them to end, ends the rest, and
   * waits up to 10 seconds more until their events are stored. `streamsStarted`: every stream that is open was accepted, or is closed.
   * `takesLateStreams: false`: no stream opens any more.
   */
  drain(drainMs: number, streamsStarted?: () => Promise<unknown>, takesLateStreams?: boolean): Promise<void>;
}

export interface EngineOptions {
  id: string;
  bus: Bus;
  providerFactory: ProviderFactory;
  permits: ConcurrencyPermits;
  health: Health;
  vad: Vad;
  mediaClock: MediaClock;
  admission: Admission;
  /** Share of the time since its last call in which this thread was busy, 0 to 1. */
  threadUtilization(): number;
  /** Where captures of calls are written; empty: no call is captured. */
  capturesDir: string;
  recordings: ChunkWriter;
  /** Every event of a call's timeline, but those of agent tests. */
  onEvent?(type: EventType, details: EventDetails): void;
  clock: Clock;
  log: Logger;
}

interface StartedCall {
  call: Call;
  captured: CapturedCall | null;
  reporter: Reporter;
}

const HEARTBEAT_INTERVAL_MS = 10_000;
/** A larger change of the headroom is sent with the next load sample, before the next heartbeat is due. */
const HEADROOM_CHANGE_SHARE = 0.2;
/** Control learns of the drain at once, and streams open within this time of being given an address. */
const LATE_STREAMS_MS = 2_000;
const FLUSH_DEADLINE_MS = 10_000;
/** RFC 6455, 7.4.1, and its registry. */
const CLOSE_INTERNAL_ERROR = 1011;
const CLOSE_TRY_LATER = 1013;
const TEST_CALL_DEADLINE_MS = 15_000;
/** A capture that is not written by then is truncated. */
const CAPTURES_DEADLINE_MS = 2_000;

export function createEngine(options: EngineOptions): Engine {
  const { id, bus, mediaClock, admission, clock, log } = options;
  const calls = new Map<string, Call>();
  const legs = new Map<string, ResumableLeg>();
  const legCaptures = new Map<string, LegCapture>();
  /** Not completely written yet. */
  const openCaptures = new Set<CapturedCall>();
  /** Reporters with events that are not stored yet. */
  const reporters = new Set<Reporter>();
  const starting = new Set<Promise<unknown>>();
  /** Sessions of tests whose stream has not come. */
  const testSessions = new Map<string, Session>();
  /** Calls that wait for their session; they count against the headroom. */
  let opening = 0;
  let draining = false;
  let takesStreamsUntilMs = Number.POSITIVE_INFINITY;
  /** The time to drain is over. */
  let stopping = false;
  let publicUrl = '';
  let heartbeatTimer: Timer | null = null;
  let reportedHeadroom = 0;
  let previousLagCounts = new Uint32Array(mediaClock.lagCounts);
  let sampleTimer = clock.after(SAMPLE_INTERVAL_MS, sampleLoad);

  function sendHeartbeat(): void {
    heartbeatTimer?.cancel();
    reportedHeadroom = headroom();
    bus.sendHeartbeat({
      engine_id: id,
      at_ms: clock.wall(),
      call_ids: [...calls.keys()],
      headroom: reportedHeadroom,
      ...(publicUrl ? { public_url: publicUrl } : {}),
    });
    heartbeatTimer = clock.after(HEARTBEAT_INTERVAL_MS, sendHeartbeat);
  }

  function headroom(): number {
    return draining ? 0 : room();
  }

  function room(): number {
    return stopping ? 0 : admission.headroom(calls.size + opening);
  }

  function sampleLoad(): void {
    const wasOverloaded = admission.overloaded;
    const lagCounts = new Uint32Array(mediaClock.lagCounts);
    const newLags = lagCounts.map((count, ms) => count - previousLagCounts[ms]!);
    previousLagCounts = lagCounts;
    const sample = { calls: calls.size, ...tickStats(newLags), utilization: options.threadUtilization() };
    admission.observe(sample);
    if (admission.overloaded !== wasOverloaded) {
      if (wasOverloaded) log.info(sample, 'engine no longer overloaded');
      else log.warn(sample, 'engine overloaded');
    }
    // Control routes calls by what was last reported.
    const changed = Math.abs(headroom() - reportedHeadroom) > reportedHeadroom * HEADROOM_CHANGE_SHARE;
    if (heartbeatTimer && changed) sendHeartbeat();
    sampleTimer = clock.after(SAMPLE_INTERVAL_MS, sampleLoad);
  }

  async function openStream(stream: CarrierStream | BrowserStream): Promise<void> {
    const callId = stream.token.call_id;
    // A browser's leg resumes over several sockets by itself.
    const carrierLeg = stream.leg instanceof BrowserLeg ? null : stream.leg;
    if (carrierLeg && legs.get(callId)?.resume(carrierLeg)) {
      const capture = legCaptures.get(callId);
      capture?.nextStream(clock.now());
      attachCapture(carrierLeg.capture, capture);
      log.info({ call_id: callId }, 'stream resumed');
      return;
    }
    // Other streams may have been admitted since the upgrade. Its call is not lost because the engine began to drain meanwhile.
    if (room() === 0) {
      log.warn({ call_id: callId, live: calls.size }, 'stream rejected: no headroom');
      rejectStream(stream, 'the engine takes no more calls', CLOSE_TRY_LATER);
      return;
    }
    const startingCall = startCall(stream, carrierLeg);
    starting.add(startingCall);
    const started = await startingCall.finally(() => starting.delete(startingCall));
    if (!started) return;
    await started.call.over;
    removeCall(callId);
    legCaptures.delete(callId);
    await closeCapture(started.captured);
    await flushReporter(started.reporter);
  }

  /** Returns null when the call could not be started; its stream is hung up then. */
  async function startCall(
    stream: CarrierStream | BrowserStream,
    carrierLeg: CarrierLeg | null,
  ): Promise<StartedCall | null> {
    const callId = stream.token.call_id;
    const cameMs = clock.wall();
    opening++;
    const reply = await openSession(callId, stream, stream.leg.carrier).finally(() => {
      opening--;
    });
    if (reply.refused !== '' || !reply.session) {
      log.warn({ call_id: callId, refused: reply.refused }, 'stream rejected by control');
      rejectStream(stream, reply.refused);
      return null;
    }
    if (calls.has(callId)) {
      log.warn({ call_id: callId }, 'stream rejected: call already here');
      rejectStream(stream, 'the call is here already');
      return null;
    }
    const emit = reply.session.test ? null : spanExport();
    const { carrier } = stream.leg;
    const spans = emit && createCallSpans(reply.session, { startMs: cameMs, carrier, wall: () => clock.wall(), emit });
    const reporter = openReporter(callId, reply.session, spans);
    if (stopping) {
      log.warn({ call_id: callId }, 'stream rejected: engine stopping');
      failBeforeStart(stream, reporter, 'error: engine stopped');
      return null;
    }
    const resumable = carrierLeg && new ResumableLeg(carrierLeg, clock);
    let captured: CapturedCall | null = null;
    let call: Call;
    try {
      const leg = resumable ?? stream.leg;
      const { callOptions, keepsNumbers } = withRedaction({
        ...{ ...options, session: reply.session, leg, reporter },
        ...(spans && { onModelAnswer: spans.modelAnswered }),
      });
      // A capture has every word and the audio; what MCP servers and pages answer cannot be replayed.
      const isReplayable = keepsNumbers && !hasToolsOfOthers(reply.session);
      if (reply.session.capture && options.capturesDir !== '' && isReplayable) {
        captured = captureCall(callOptions, options.capturesDir);
        openCaptures.add(captured);
      }
      attachCapture(stream.leg.capture, captured?.legCapture);
      call = new Call(captured?.options ?? callOptions);
    } catch (error) {
      log.error({ call_id: callId, error: errorText(error) }, 'call could not be created');
      failBeforeStart(stream, reporter, 'error: media');
      await closeCapture(captured);
      return null;
    }
    if (captured) legCaptures.set(callId, captured.legCapture);
    calls.set(callId, call);
    if (resumable) legs.set(callId, resumable);
    log.info({ call_id: callId, carrier: stream.leg.carrier, live: calls.size }, 'call started');
    try {
      call.start();
    } catch (error) {
      log.error({ call_id: callId, error: errorText(error) }, 'call failed while starting');
      call.end({ hangup_by: 'service', hangup_reason: 'error: media' });
    }
    return { call, captured, reporter };
  }

  async function endUnsupportedCall(stream: UnsupportedStream): Promise<void> {
    const { call_id: callId } = stream.token;
    const { carrier, format, reason } = stream;
    // Only for the session's stream is the call over with its stream.
    const reply = await openSession(callId, stream, carrier);
    if (reply.refused !== '' || !reply.session || calls.has(callId)) {
      log.warn({ call_id: callId, refused: reply.refused || 'the call is here already' }, 'stream rejected by control');
      return;
    }
    const reporter = openReporter(callId);
    const data = { component: 'carrier', provider: carrier };
    reporter.report('error', `the carrier sends ${reason}`, { level: 'error', data });
    reportNeverStarted(reporter, `error: unsupported audio, ${format}`);
    await flushReporter(reporter);
  }

  function openReporter(callId: string, session?: Session, spans: CallSpans | null = null): Reporter {
    const publishEvent = session?.test ? bus.testCalls.publishEvent : bus.publishEvent;
    const own = createReporter({ callId, engineId: id, bus: { publishEvent }, clock, log });
    const reporter = session?.test ? own : counted(own, spans);
    reporters.add(reporter);
    return reporter;
  }

  function counted(reporter: Reporter, spans: CallSpans | null): Reporter {
    return {
      ...reporter,
      report(type, message, details = {}) {
        reporter.report(type, message, details);
        options.onEvent?.(type, details);
        spans?.observe(type, details);
      },
    };
  }

  async function openSession(
    callId: string,
    stream: CarrierStream | BrowserStream | UnsupportedStream,
    carrier: string,
  ): Promise<OpenSessionReply> {
    const test = testSessions.get(callId);
    if (test) {
      testSessions.delete(callId);
      return { refused: '', session: test };
    }
    const { token, providerCallId: provider_call_id } = stream;
    const request = { call_id: callId, nonce: token.nonce, engine_id: id, carrier, provider_call_id };
    return requestSession(request, { bus, clock, log });
  }

  function failBeforeStart(
    stream: CarrierStream | BrowserStream,
    reporter: Reporter,
    hangup_reason: HangupReason,
  ): void {
    reportNeverStarted(reporter, hangup_reason);
    rejectStream(stream, hangup_reason, CLOSE_INTERNAL_ERROR);
    void flushReporter(reporter);
  }

  /** Without this end the call would stay ringing in control. */
  function reportNeverStarted(reporter: Reporter, hangup_reason: HangupReason): void {
    reporter.report('call.ended', hangup_reason, {
      level: 'error',
      data: { duration_seconds: 0, avg_first_audio_ms: null, usage: emptyUsage() },
      ending: { hangup_by: 'service', hangup_reason, duration_seconds: 0, recorded: false, provider_usage_json: '[]' },
    });
  }

  async function flushReporter(reporter: Reporter): Promise<void> {
    await reporter.flushed();
    reporters.delete(reporter);
  }

  async function closeCapture(captured: CapturedCall | null): Promise<void> {
    if (!captured) return;
    await captured.close();
    openCaptures.delete(captured);
  }

  function removeCall(callId: string): void {
    calls.delete(callId);
    legs.delete(callId);
  }

  return {
    start(url = '') {
      publicUrl = url;
      sendHeartbeat();
    },
    acceptStream(stream) {
      openStream(stream).catch((error) => {
        log.error({ call_id: stream.token.call_id, error: errorText(error) }, 'call could not be started');
        removeCall(stream.token.call_id);
        rejectStream(stream, 'internal error', CLOSE_INTERNAL_ERROR);
      });
    },
    participants: {
      expected: ({ call_id, nonce }) => calls.get(call_id)?.participants?.expected(nonce) ?? null,
      join({ call_id, nonce }, leg) {
        if (!calls.get(call_id)?.participants?.join(nonce, leg)) leg.hangUp('the call is over');
      },
    },
    endUnsupported(stream) {
      const ending = endUnsupportedCall(stream)
        .catch((error) => {
          log.error({ call_id: stream.token.call_id, error: errorText(error) }, 'call could not be ended');
        })
        .finally(() => {
          starting.delete(ending);
          stream.close();
        });
      starting.add(ending);
    },
    expectTestCall(session) {
      const { call_id } = session;
      if (headroom() <= testSessions.size) return 'the engine takes no more calls';
      if (calls.has(call_id) || testSessions.has(call_id)) return 'the call is here already';
      testSessions.set(call_id, session);
      clock.after(TEST_CALL_DEADLINE_MS, () => testSessions.delete(call_id));
      return '';
    },
    accepting: () => headroom() > 0,
    takesStreams: () => room() > 0 && clock.now() < takesStreamsUntilMs,
    awaitsStream: (callId) => legs.get(callId)?.awaitsStream ?? false,
    liveCalls: () => calls.size,
    load: () => ({ calls: calls.size, headroom: headroom(), overloaded: admission.overloaded, draining }),
    async drain(drainMs, streamsStarted = () => Promise.resolve(), takesLateStreams = true) {
      draining = true;
      const lateMs = takesLateStreams ? Math.min(drainMs, LATE_STREAMS_MS) : 0;
      takesStreamsUntilMs = clock.now() + lateMs;
      sendHeartbeat();
      if (calls.size > 0) log.info({ live: calls.size, drain_ms: drainMs }, 'engine draining');
      const started = () => Promise.allSettled([...starting]);
      const ended = () => Promise.all([...calls.values()].map((call) => call.over));
      const opened = lateMs > 0 ? pause(clock, lateMs) : Promise.resolve();
      await within(drainMs, opened.then(streamsStarted).then(started).then(ended));
      stopping = true;
      // A session that arrives from now on ends its call at once, and that event has to be stored as well.
      const sessions = within(MAX_SESSION_WAIT_MS, started());
      for (const call of calls.values()) call.end({ hangup_by: 'service', hangup_reason: 'error: engine stopped' });
      await within(FLUSH_DEADLINE_MS, ended());
      await sessions;
      const flushed = await within(
        FLUSH_DEADLINE_MS,
        Promise.all([...reporters].map((reporter) => reporter.flushed())),
      );
      if (!flushed) log.error({}, 'engine drained with events that could not be stored');
      await within(CAPTURES_DEADLINE_MS, Promise.all([...openCaptures].map((capture) => capture.close())));
      heartbeatTimer?.cancel();
      sampleTimer.cancel();
    },
  };

  /** Resolves to true when the work was done in time. */
  function within(ms: number, work: Promise<unknown>): Promise<boolean> {
    return withTimeout(
      work.then(() => true),
      ms,
      clock,
      () => false,
    );
  }
}

/** Tells the other end why its stream is not taken. */
function rejectStream({ leg }: CarrierStream | BrowserStream, reason: string, closeCode?: number): void {
  if (leg instanceof BrowserLeg) leg.hangUp(reason);
  else leg.reject(reason, closeCode);
}

function attachCapture(early: EarlyLegCapture | null | undefined, capture: LegCapture | undefined): void {
  if (capture) early?.attach(capture);
  else early?.discard();
}
