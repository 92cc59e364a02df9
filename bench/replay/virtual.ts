import { Call } from '../../media/call/call.ts';
import { createMediaClock } from '../../media/playout/media-clock.ts';
import type { ConcurrencyPermit, ConcurrencyPermits } from '../../media/provider/concurrency-permits.ts';
import type { Health } from '../../media/provider/health.ts';
import { type BatchModel, loadSilero } from '../../media/turn/silero.ts';
import { createVad, type Vad, type VadListener } from '../../media/turn/vad.ts';
import type { CaptureEntry } from '../../shared/capture.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';
import { createVirtualClock } from '../../test/support/virtual-clock.ts';
import { createReplayLeg } from './captured-leg.ts';
import { createCapturedBus, createCapturedProviders } from './captured-providers.ts';
import { type Capture, entriesOf } from './read-capture.ts';

/** What an engine made of a call, an event a line; `t` as on the tape. */
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
  /** What today's engine asked for and the tape does not hold. */
  missing: string[];
  /** Where the tape ends before its call, and why; null when it is whole. Nothing was played behind it. */
  truncated: { t: number; why: string } | null;
}

export interface ReplayOptions {
  /** `again`: by today's voice activity from the caller's sound. `taped`: as it was. By default again, where there is sound. */
  hearing?: 'again' | 'taped';
}

/** Longer than any call closes. */
const CLOSING_MS = 30_000;
const STEP_MS = 1_000;

/**
 * Plays a tape through today's engine on a clock that stands still while anything is computed: the same tape gives the same
 * timeline, however busy the machine is.
 */
export async function replay(tape: Capture, options: ReplayOptions = {}): Promise<Replayed> {
  const { head } = tape;
  const hearing = options.hearing ?? (head.redacted ? 'taped' : 'again');
  const startT = Math.floor(Math.min(0, tape.entries[0]?.t ?? 0));
  const log = createLogger('replay', 'silent');
  const [cut = null] = entriesOf(tape, 'truncated').map(({ t, reason }) => ({ t, why: reason }));
  const told: TimelineEvent[] = [];
  const missing: string[] = [];
  const busy = { running: 0 };
  const clock = createVirtualClock(head.wall_ms + startT, () => busy.running > 0);
  const zeroMs = -startT;
  const mediaClock = createMediaClock(clock, (error) => missing.push(`a fault on a beat: ${error}`));
  let over = false;
  const reportMissing = (what: string) => missing.push(`${((clock.now() - zeroMs) / 1_000).toFixed(3)} s: ${what}`);
  const capturedLeg = createReplayLeg(head, clock, hearing === 'again', reportMissing);
  const capturedBus = createCapturedBus(tape, clock, reportMissing);
  const providers = await createCapturedProviders(tape, clock, zeroMs, reportMissing);
  const model = hearing === 'again' ? await loadSilero(systemClock) : null;
  const listeners = new Set<VadListener>();
  const vad = model ? createVad({ model: counted(model, busy), clock, log }) : createCapturedVad(listeners);

  /** What came from the line, or from control by itself. */
  function give(entry: CaptureEntry): void {
    if (capturedLeg.deliver(entry)) return;
    if (entry.k === 'vad' && !model) for (const hear of listeners) hear(entry.p, zeroMs + entry.end, entry.periodicity);
    else if (entry.k === 'command') capturedBus.ordered(entry.command);
    else if (entry.k === 'transfer_outcome') capturedBus.outcome(entry.outcome);
  }

  const { session } = head;
  const agent = JSON.parse(session.agent_json) as { call?: object };
  // What is recorded changes nothing of what is said.
  const agent_json = JSON.stringify({ ...agent, call: { ...agent.call, record: false } });
  const call = () =>
    new Call({
      session: {
        ...session,
        agent_json,
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
          told.push({ t: rounded(clock.now() - zeroMs), type, level, message, latency_ms, data });
        },
        flushed: async () => {},
      },
      providerFactory: providers,
      permits: createCapturedPermits(tape, clock),
      health: createCapturedHealth(tape),
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
    for (const entry of tape.entries) {
      if (entry.k === 'truncated') break;
      if (!begun && entry.t >= 0) {
        await clock.advance(zeroMs - clock.now());
        begin();
      }
      await clock.advance(Math.max(0, zeroMs + entry.t - clock.now()));
      give(entry);
    }
    for (let waited = 0; !cut && !over && waited < CLOSING_MS; waited += STEP_MS) await clock.advance(STEP_MS);
    if (!cut && !over) reportMissing('the call did not end with the tape');
  } finally {
    mediaClock.stop();
    await vad.close();
  }
  return { events: told, missing, truncated: cut };
}

const rounded = (ms: number) => Math.round(ms * 1_000) / 1_000;

/** The clock waits for whoever computes. */
function counted(model: BatchModel, busy: { running: number }): BatchModel {
  return {
    ...model,
    async run(size) {
      busy.running++;
      try {
        await model.run(size);
      } finally {
        busy.running--;
      }
    },
  };
}

function createCapturedVad(listeners: Set<VadListener>): Vad {
  return {
    stats: { windows: 0, batches: 0, largestBatch: 0, gated: 0, dropped: 0, failed: 0, busyMs: 0 },
    close: async () => {},
    open(listener) {
      listeners.add(listener);
      return { push() {}, close: () => listeners.delete(listener) };
    },
  };
}

/** What earlier calls had seen of a provider; what this one sees is for later ones. */
function createCapturedHealth(tape: Capture): Health {
  const taped = entriesOf(tape, 'health');
  return {
    isHealthy(key) {
      const at = taped.findIndex((entry) => entry.key === key);
      return at < 0 ? true : taped.splice(at, 1)[0]!.healthy;
    },
    reportFailure() {},
    close() {},
  };
}

/** Places were had or not as on the tape; beyond it there is always one. */
function createCapturedPermits(tape: Capture, clock: ReturnType<typeof createVirtualClock>): ConcurrencyPermits {
  const taped = entriesOf(tape, 'permit');
  let n = 0;
  const place: ConcurrencyPermit = { release() {} };
  const next = () => taped.find((entry) => entry.n === n++);
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
