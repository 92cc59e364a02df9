import { Call } from '../../media/call/call.ts';
import { createMediaClock } from '../../media/playout/media-clock.ts';
import type { ConcurrencyPermit, ConcurrencyPermits } from '../../media/provider/concurrency-permits.ts';
import type { Health } from '../../media/provider/health.ts';
import { loadSilero } from '../../media/turn/silero.ts';
import { createVad, type Vad, type VadListener } from '../../media/turn/vad.ts';
import type { CaptureEntry } from '../../shared/capture.ts';
import { createLogger } from '../../shared/log.ts';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import { createCapturedBus, valuesOf } from './captured-bus.ts';
import { createReplayLeg } from './captured-leg.ts';
import { createCapturedProviders } from './captured-providers.ts';
import { type Capture, entriesOf } from './read-capture.ts';

/** A timeline event; `t` as in the capture. */
export interface TimelineEvent {
  t: number;
  type: string;
  level: string;
  message: string;
  latency_ms: number | null;
  data: unknown;
}

export interface Replayed {
  events: TimelineEvent[];
  /** Requests of the engine that are not in the capture. */
  missing: string[];
  /** Where a truncated capture ends, and why; null when it is complete. */
  truncated: { t: number; why: string } | null;
}

export interface ReplayOptions {
  /** `rerun`: by today's voice activity from the caller's audio. `captured`: as it was. By default again, where there is audio. */
  vad?: 'rerun' | 'captured';
}

/** Longer than any call takes to close. */
const CLOSING_MS = 30_000;
const STEP_MS = 1_000;

/**
 * Replays a capture through the current engine on a virtual clock, so that the timeline does not
 * depend on the load of the machine.
 */
export async function replay(capture: Capture, options: ReplayOptions = {}): Promise<Replayed> {
  const { head } = capture;
  const vadMode = options.vad ?? (head.redacted ? 'captured' : 'rerun');
  const startT = Math.floor(Math.min(0, capture.entries[0]?.t ?? 0));
  const log = createLogger('replay', 'silent');
  const [cut = null] = entriesOf(capture, 'truncated').map(({ t, reason }) => ({ t, why: reason }));
  const events: TimelineEvent[] = [];
  const missing: string[] = [];
  const clock = createVirtualClock(head.wall_ms + startT);
  const zeroMs = -startT;
  const mediaClock = createMediaClock(clock, (error) => missing.push(`tick handler failed: ${error}`));
  let over = false;
  const reportMissing = (what: string) => missing.push(`${((clock.now() - zeroMs) / 1_000).toFixed(3)} s: ${what}`);
  const capturedLeg = createReplayLeg(capture, clock, vadMode === 'rerun', reportMissing);
  const capturedBus = createCapturedBus(capture, clock, reportMissing);
  const providers = await createCapturedProviders(capture, clock, zeroMs, reportMissing);
  const model = vadMode === 'rerun' ? await loadSilero() : null;
  const listeners = new Set<VadListener>();
  const vad = model ? createVad({ model, log }) : createCapturedVad(listeners);

  /** Delivers an entry of the leg, of VAD, or of control. */
  function give(entry: CaptureEntry): void {
    if (capturedLeg.deliver(entry)) return;
    if (entry.k === 'vad' && !model) for (const hear of listeners) hear(entry.p, zeroMs + entry.end, entry.periodicity);
    else if (entry.k === 'command') capturedBus.ordered(entry.command);
    else if (entry.k === 'live_order') capturedBus.live(entry.order);
    else if (entry.k === 'transfer_outcome') capturedBus.outcome(entry.outcome);
  }

  const { session } = head;
  const agent = JSON.parse(session.agent_json) as { call?: object };
  // Recording does not affect the conversation.
  const agent_json = JSON.stringify({ ...agent, call: { ...agent.call, record: false } });
  const call = () =>
    new Call({
      session: {
        ...session,
        agent_json,
        user_data_json: valuesOf(capture),
        call_id: head.call_id,
        workspace_id: '',
        agent_id: '',
        from_number: '',
        to_number: '',
        knowledge: session.knowledge ?? undefined,
      },
      leg: capturedLeg.leg,
      bus: capturedBus.bus,
      reporter: {
        report(type, message, { level = 'info', latency_ms = null, data = {} } = {}) {
          events.push({ t: rounded(clock.now() - zeroMs), type, level, message, latency_ms, data });
        },
        flushed: async () => {},
      },
      providerFactory: providers,
      permits: createCapturedPermits(capture, clock),
      health: createCapturedHealth(capture),
      vad,
      mediaClock,
      recordings: null as never,
      clock,
      log,
    });

  let begun: Call | null = null;
  const begin = () => {
    begun = call();
    void begun.over.then(() => {
      over = true;
    });
    begun.start();
  };
  try {
    for (const entry of capture.entries) {
      if (entry.k === 'truncated') break;
      if (!begun && entry.t >= 0) {
        await clock.advance(zeroMs - clock.now());
        begin();
      }
      await clock.advance(Math.max(0, zeroMs + entry.t - clock.now()));
      give(entry);
    }
    for (let waited = 0; !cut && !over && waited < CLOSING_MS; waited += STEP_MS) await clock.advance(STEP_MS);
    if (!cut && !over) reportMissing('the call did not end by the end of the capture');
  } finally {
    mediaClock.stop();
  }
  return { events, missing, truncated: cut };
}

const rounded = (ms: number) => Math.round(ms * 1_000) / 1_000;

function createCapturedVad(listeners: Set<VadListener>): Vad {
  return {
    stats: { windows: 0, gated: 0 },
    open(listener) {
      listeners.add(listener);
      return { push() {}, dropped: 0, close: () => listeners.delete(listener) };
    },
  };
}

/** The captured health of providers from earlier calls. */
function createCapturedHealth(capture: Capture): Health {
  const captured = entriesOf(capture, 'health');
  return {
    unhealthyReason(key) {
      const at = captured.findIndex((entry) => entry.key === key);
      if (at < 0) return null;
      const { healthy, reason } = captured.splice(at, 1)[0]!;
      return healthy ? null : reason;
    },
    onTried() {},
    onOutcome() {},
    unhealthy: () => [],
  };
}

/** Grants permits as captured; beyond the capture always. */
function createCapturedPermits(capture: Capture, clock: ReturnType<typeof createVirtualClock>): ConcurrencyPermits {
  const captured = entriesOf(capture, 'permit');
  let n = 0;
  const place: ConcurrencyPermit = { release() {} };
  const next = () => captured.find((entry) => entry.n === n++);
  return {
    tryAcquire: () => ((next()?.granted ?? true) ? place : null),
    async acquire() {
      const entry = next();
      await new Promise<void>((resolve) => clock.after(entry?.after ?? 0, resolve));
      return (entry?.granted ?? true) ? place : null;
    },
    reportRefusal() {},
    inUse: () => 0,
    close: async () => {},
  };
}
