import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { lastLines } from '../../dev/child.ts';
import { startNats } from '../../dev/nats.ts';
import { freePort } from '../../dev/ports.ts';
import { plivoStreamProtocol } from '../../fixtures/simulators/carrier-media-plivo.ts';
import { twilioStreamProtocol } from '../../fixtures/simulators/carrier-media-twilio.ts';
import { type MediaStreamProtocol, Phone } from '../../fixtures/simulators/carrier-phone.ts';
import { type AgentInput, agentConfigSchema } from '../../shared/agent.ts';
import { type Bus, connectBus } from '../../shared/bus/bus.ts';
import type { CallEvent, Heartbeat } from '../../shared/bus/messages.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/log.ts';
import { signMediaToken } from '../../shared/media-token.ts';
import type { Holdings } from './media-probe.ts';
import { eventually, GivenUp } from './until.ts';

/**
 * The media program as a process with its own NATS server; this process plays control and the carrier. A call is a real
 * WebSocket with audio in real time. For tests that do not need control.
 */
export interface MediaProgram {
  /** Starts a call with an agent of this configuration. */
  call(agent: object, carrier?: 'twilio' | 'plivo'): Promise<MediaCall>;
  /** Admits a call whose stream the test opens: returns its id, the stream's path and its events. */
  admit(agent: object, carrier?: 'twilio' | 'plivo' | 'browser'): AdmittedCall;
  /**
   * Opens the stream of an admitted Twilio call, also repeatedly, on the program's port or another one. `beforeStart` is waited for
   * between the open socket and its `start`.
   */
  join(call: AdmittedCall, port?: number, beforeStart?: () => Promise<unknown>): Promise<Phone>;
  /** Runs before every answer to an engine that asks for a session, which waits for it. */
  beforeSession: () => Promise<unknown>;
  /** Control's end. */
  bus: Bus;
  pid: number;
  port: number;
  /** Every heartbeat of its engines so far. */
  heartbeats: readonly Heartbeat[];
  /** Waits until the engines of its supervisor are as expected, and returns them. */
  engines(expected: (all: readonly EngineMetrics[]) => boolean): Promise<EngineMetrics[]>;
  /** Returns the resources of the media process; without calls, what calls left behind. */
  holdings(): Promise<Holdings>;
  /** Returns the end of its log. */
  tail(lines?: number): string;
  stop(): Promise<void>;
}

/** What a supervisor tells of one engine. */
export interface EngineMetrics {
  engine_id: string;
  pid: number;
  port: number;
  calls: number;
  headroom: number;
}

/** Of all engines together, and of each. */
export type SupervisorMetrics = Pick<EngineMetrics, 'calls' | 'headroom'> & { engines: EngineMetrics[] };

export interface MediaCall {
  id: string;
  phone: Phone;
  /** The events so far. */
  events: CallEvent[];
  /** Resolves with all events at the end of the call. */
  ended(withinMs?: number): Promise<CallEvent[]>;
}

export type AdmittedCall = Omit<MediaCall, 'phone'> & { path: string };

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SECRET = 'a secret between this process and media';
const READY_TIMEOUT_MS = 150_000;
/** On a busy machine an engine takes ten seconds and more to start. */
const ENGINES_TIMEOUT_MS = 90_000;

/** `nodeOptions`: for the media process, such as those of the profiler. */
export async function startMediaProgram(
  settings: Record<string, string>,
  nodeOptions: readonly string[] = [],
): Promise<MediaProgram> {
  const home = mkdtempSync(join(tmpdir(), 'antiphon-media-'));
  const closing: (() => Promise<unknown>)[] = [async () => rmSync(home, { recursive: true, force: true })];
  const stop = async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  };
  try {
    const nats = await startNats({ dataDir: join(home, 'nats') });
    closing.push(() => nats.stop());
    const bus = await connectBus({ url: nats.url, name: 'test', log: createLogger('test', 'silent') });
    closing.push(() => bus.close());
    await bus.prepare();
    const agents = new Map<string, { json: string; carrier: string }>();
    const timelines = new Map<string, CallEvent[]>();
    bus.serveSessions(async ({ call_id }) => {
      await program.beforeSession();
      const agent = agents.get(call_id);
      if (!agent) return { refused: 'unknown call' };
      const isWeb = agent.carrier === 'browser';
      const session = {
        call_id,
        workspace_id: newId(),
        agent_id: newId(),
        direction: 'inbound',
        channel: isWeb ? 'web' : 'phone',
        from_number: isWeb ? '' : '+911140000001',
        to_number: isWeb ? '' : '+911140000002',
        agent_json: agent.json,
        user_data_json: '{}',
        max_duration_seconds: 600,
        llm_fallbacks: [],
        capture: settings.CAPTURES_DIR !== undefined,
      };
      return { refused: '', session };
    });
    const consumer = bus.consumeEvents('timeline', 100, async (events) => {
      for (const { event, ack: done } of events) {
        if (event) timelines.get(event.call_id)?.push(event);
        done();
      }
    });
    closing.push(() => consumer.stop());
    const heartbeats: Heartbeat[] = [];
    bus.onHeartbeat((heartbeat) => void heartbeats.push(heartbeat));

    const port = await freePort();
    const logFile = join(home, 'media.log');
    const media = await startProgram(logFile, nodeOptions, {
      MEDIA_PORT: String(port),
      MEDIA_TOKEN_SECRET: SECRET,
      NATS_URL: nats.url,
      RECORDINGS_DIR: join(home, 'recordings'),
      DRAIN_SECONDS: '1',
      // Tests must not depend on the load of the machine.
      ADMISSION: 'fixed',
      ...settings,
    });
    closing.push(() => end(media));
    await eventually('media to be ready', READY_TIMEOUT_MS, async () => {
      if (media.exitCode !== null) throw new GivenUp(`media did not start:\n${lastLines(logFile, 12)}`);
      const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
      await response?.body?.cancel();
      return response?.ok || null;
    });

    const admit = (agent: object, carrier: 'twilio' | 'plivo' | 'browser' = 'twilio'): AdmittedCall => {
      const id = newId();
      const config: AgentInput = { name: 'Agent', system_prompt: 'Answer.', ...agent };
      agents.set(id, { json: JSON.stringify(agentConfigSchema.parse(config)), carrier });
      const events: CallEvent[] = [];
      timelines.set(id, events);
      const token = signMediaToken(SECRET, id, Date.now() + 60_000);
      return {
        id,
        path: carrier === 'browser' ? `/web/${token}` : `/carrier/${carrier}/${token}`,
        events,
        async ended(withinMs = 60_000) {
          await eventually('the call to end', withinMs, async () => events.at(-1)?.type === 'call.ended' || null);
          agents.delete(id);
          timelines.delete(id);
          return events;
        },
      };
    };

    const program: MediaProgram = {
      stop,
      admit,
      beforeSession: async () => {},
      bus,
      async join({ id, path }, at = port, beforeStart) {
        const socket = await opened(`ws://127.0.0.1:${at}${path}`);
        await beforeStart?.();
        return new Phone({ socket, protocol: protocolOf('twilio', id), violations: [], onEnd() {} });
      },
      pid: media.pid!,
      port,
      heartbeats,
      engines: (expected) =>
        eventually('the engines to be as expected', ENGINES_TIMEOUT_MS, async () => {
          const all = (await supervisorMetrics(port))?.engines;
          return all && expected(all) ? all : null;
        }),
      tail: (lines = 12) => lastLines(logFile, lines),
      async call(agent, carrier = 'twilio') {
        const { id, path, events, ended: over } = admit(agent, carrier);
        const socket = await opened(`ws://127.0.0.1:${port}${path}`);
        const violations: string[] = [];
        const phone = new Phone({ socket, protocol: protocolOf(carrier, id), violations, onEnd() {} });
        return {
          id,
          phone,
          events,
          async ended(withinMs) {
            const timeline = await over(withinMs);
            if (violations.length > 0) throw new Error(`rejected by the carrier: ${violations[0]}`);
            return timeline;
          },
        };
      },
      async holdings() {
        const answered = once(media, 'message', { signal: AbortSignal.timeout(60_000) });
        media.send('probe');
        return (await answered)[0] as Holdings;
      },
    };
    return program;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Null where it does not answer. */
export async function supervisorMetrics(port: number): Promise<SupervisorMetrics | null> {
  const response = await fetch(`http://127.0.0.1:${port}/metricsz`).catch(() => null);
  return response?.ok ? ((await response.json()) as SupervisorMetrics) : null;
}

function startProgram(logFile: string, nodeOptions: readonly string[], settings: Record<string, string>): ChildProcess {
  const log = openSync(logFile, 'a');
  try {
    return fork(join(ROOT, 'media/main.ts'), {
      cwd: ROOT,
      execArgv: [
        '--disable-warning=ExperimentalWarning',
        '--expose-gc',
        `--import=${new URL('./media-probe.ts', import.meta.url)}`,
        ...nodeOptions,
      ],
      env: { ...process.env, ORT_DISABLE_TELEMETRY: '1', ...settings },
      stdio: ['ignore', log, log, 'ipc'],
    });
  } finally {
    closeSync(log);
  }
}

async function opened(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await once(socket, 'open');
  return socket;
}

async function end(media: ChildProcess): Promise<void> {
  if (media.exitCode !== null || media.signalCode !== null) return;
  const exited = once(media, 'exit');
  media.kill('SIGTERM');
  const killTimer = setTimeout(() => media.kill('SIGKILL'), 15_000);
  await exited;
  clearTimeout(killTimer);
}

function protocolOf(carrier: 'twilio' | 'plivo', callId: string): MediaStreamProtocol {
  if (carrier === 'twilio') {
    return twilioStreamProtocol({
      accountSid: `AC${callId}`,
      callSid: `CA${callId}`,
      streamSid: `MZ${callId}`,
      parameters: {},
    });
  }
  return plivoStreamProtocol({
    accountId: `MA${callId}`,
    callId,
    streamId: callId,
    contentType: 'audio/x-mulaw;rate=8000',
    bidirectional: true,
    extraHeaders: '{}',
  });
}
