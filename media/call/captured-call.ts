import { join } from 'node:path';
import type { CaptureHeader } from '../../shared/capture.ts';
import { redactEventData, redactSecrets } from '../../shared/capture-redaction.ts';
import { isDtx, packetMs } from '../audio/opus.ts';
import type { LegCapture } from '../leg/leg-capture.ts';
import type { ConcurrencyPermits } from '../provider/concurrency-permits.ts';
import { createCallCapture } from '../report/call-capture.ts';
import type { Vad } from '../turn/vad.ts';
import type { CallOptions } from './call.ts';
import { type AddEntry, type CaptureEntries, createCaptureEntries } from './capture-entries.ts';
import { captureBus } from './captured-bus.ts';
import { captureProviderFactory } from './captured-provider-factory.ts';

/** A call whose inputs are captured. */
export interface CapturedCall {
  /** The options for the call, with everything it is given wrapped. */
  options: CallOptions;
  legCapture: LegCapture;
  /** To be called when the call is over. */
  close(): Promise<void>;
}

/** Starts writing `<call id>.capture.gz` in the folder. */
export function captureCall(options: CallOptions, folder: string): CapturedCall {
  const { clock, log, session, leg } = options;
  const header: CaptureHeader = {
    k: 'header',
    version: 4,
    call_id: session.call_id,
    wall_ms: clock.wall(),
    redacted: false,
    session: {
      direction: session.direction,
      channel: session.channel,
      ...redactSecrets(session),
      max_duration_seconds: session.max_duration_seconds,
      capped_by_credits: session.capped_by_credits ?? false,
      llm_fallbacks: session.llm_fallbacks,
      knowledge: session.knowledge ?? null,
    },
    leg: { carrier: leg.carrier, caller: leg.callerFormat, agent: leg.format },
  };
  const capture = createCallCapture({ path: join(folder, `${session.call_id}.capture.gz`), header, log });
  const entries = createCaptureEntries(capture, clock);
  const { add } = entries;
  return {
    legCapture: captureLeg(add),
    close: () => capture.close(),
    options: {
      ...options,
      bus: captureBus(options.bus, session.user_data_json, entries),
      providerFactory: captureProviderFactory(options.providerFactory, entries),
      permits: capturePermits(options.permits, entries),
      vad: captureVad(options.vad, entries),
      ofParticipants: options,
      health: {
        ...options.health,
        unhealthyReason(key) {
          const reason = options.health.unhealthyReason(key);
          add({ k: 'health', key, healthy: reason === null, reason: reason ?? '' });
          return reason;
        },
      },
      reporter: {
        ...options.reporter,
        report(type, message, more = {}) {
          const { level = 'info', latency_ms = null, data = {} } = more;
          add({ k: 'timeline_event', type, level, message, latency_ms, data: redactEventData(data) });
          options.reporter.report(type, message, more);
        },
      },
    },
  };
}

/** Captures what comes from a carrier or browser. */
export function captureLeg(add: AddEntry): LegCapture {
  const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
    Buffer.from(buffer, byteOffset, byteLength).toString('base64');
  return {
    message(message, nowMs) {
      switch (message.type) {
        case 'audio':
          return add({ k: 'audio', sequence: message.sequence, audio: base64(message.payload) }, nowMs);
        case 'mark':
          return add({ k: 'mark', name: message.name }, nowMs);
        case 'digit':
          return add({ k: 'digit', digit: message.digit }, nowMs);
        case 'hold':
          return add({ k: 'hold', held: message.full }, nowMs);
        case 'invalid':
          return add({ k: 'invalid', reason: message.reason }, nowMs);
        case 'error':
          return add({ k: 'carrier_error', reason: message.reason }, nowMs);
        case 'pong':
        case 'stop':
          return add({ k: message.type }, nowMs);
        // The tool's outcome is an entry of its own.
        case 'tool_result':
        case 'start':
        case 'unsupported':
        case 'foreign':
        case 'ignored':
          return;
      }
    },
    closed: (code, broken, nowMs) => add({ k: 'closed', code, broken }, nowMs),
    writable: (writable) => add({ k: 'socket', writable }),
    nextStream: (nowMs) => add({ k: 'stream' }, nowMs),
    packet({ sequence, timestamp, payload }, nowMs) {
      const [ms, pause] = [packetMs(payload), isDtx(payload)];
      add({ k: 'packet', sequence, timestamp, ms, pause, audio: base64(payload) }, nowMs);
    },
    muted: (muted, nowMs) => add({ k: 'mute', muted }, nowMs),
    roundTrip: (round_trip_ms, nowMs) => add({ k: 'connection_report', round_trip_ms }, nowMs),
    finished: (cause, detail, nowMs) => add({ k: 'ended', cause, detail }, nowMs),
  };
}

function capturePermits(permits: ConcurrencyPermits, { add, startTimer }: CaptureEntries): ConcurrencyPermits {
  let requests = 0;
  return {
    tryAcquire(account) {
      const permit = permits.tryAcquire(account);
      add({ k: 'permit', account, n: requests++, after: 0, granted: permit !== null });
      return permit;
    },
    async acquire(account, waitMs) {
      const n = requests++;
      const elapsed = startTimer();
      const permit = await permits.acquire(account, waitMs);
      add({ k: 'permit', account, n, after: elapsed(), granted: permit !== null });
      return permit;
    },
    reportRefusal: (account) => permits.reportRefusal(account),
    inUse: (account) => permits.inUse(account),
    close: () => permits.close(),
  };
}

function captureVad(vad: Vad, { add, at }: CaptureEntries): Vad {
  return {
    stats: vad.stats,
    open: (listener, rateHz) =>
      vad.open((p, endMs, periodicity) => {
        add({ k: 'vad', p: Math.round(p * 1e6) / 1e6, end: at(endMs), periodicity });
        listener(p, endMs, periodicity);
      }, rateHz),
  };
}
