import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { createReporter, type Reporter } from '../../media/report/reporter.ts';
import { requestSession } from '../../media/session-request.ts';
import { type Bus, connectBus } from '../../shared/bus/bus.ts';
import type { CallEnd } from '../../shared/call.ts';
import { systemClock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import type { Logger } from '../../shared/log.ts';
import { readMediaToken } from '../../shared/media-token.ts';
import { emptyUsage } from '../../shared/usage.ts';
import { eventually } from '../support/until.ts';

/**
 * An engine without audio, in this process: it opens sessions and reports events over the bus as the real one does, by the same
 * reporter, and knows what became of its calls.
 */
export interface OutageEngine {
  /** `ws://127.0.0.1:<port>` */
  url: string;
  /** Of all its lives. */
  calls: EngineCall[];
  /** As by `kill -9`: everything that it holds is lost. */
  crash(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface EngineCall {
  callId: string;
  /** What was reported; null when the engine crashed before. */
  end: (CallEnd & { duration_seconds: number }) | null;
}

interface Options {
  natsUrl: string;
  tokenSecret: string;
  headroom: number;
  log: Logger;
}

const HEARTBEAT_MS = 10_000;
const TURN_MS = 3_000;
const CONNECTED_WITHIN_MS = 300_000;

export async function startOutageEngine(options: Options): Promise<OutageEngine> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sockets = new WebSocketServer({ server });
  const calls: EngineCall[] = [];
  let life: Life | null = null;
  sockets.on('connection', (socket, request) => {
    socket.on('error', () => {});
    const token = (request.url ?? '').split('/').at(-1) ?? '';
    if (life) life.open(socket, token);
    else socket.terminate();
  });

  const engine: OutageEngine = {
    url,
    calls,
    async crash() {
      await life?.end();
      life = null;
    },
    async start() {
      // The bus may be away.
      const begin = () => live(options, url, calls).catch(() => null);
      life = await eventually('a simulated engine to be connected', CONNECTED_WITHIN_MS, begin);
    },
    async stop() {
      await engine.crash();
      sockets.close();
      server.closeAllConnections();
      server.close();
    },
  };
  await engine.start();
  return engine;
}

interface Life {
  open(socket: WebSocket, token: string): void;
  end(): Promise<void>;
}

/** One process's life: an id, a connection to the bus, and calls. */
async function live({ natsUrl, tokenSecret, headroom, log }: Options, url: string, calls: EngineCall[]): Promise<Life> {
  const engine_id = newId();
  const bus = await connectBus({ url: natsUrl, name: `simulated engine ${engine_id}`, log });
  const held = new Map<string, WebSocket>();
  /** Not everything that they reported is stored by the bus. */
  const unpublished = new Set<EngineCall>();
  let over = false;
  /** After the crash nothing more is published. */
  const publishing: Pick<Bus, 'publishEvent'> = {
    publishEvent: (event) => (over ? new Promise(() => {}) : bus.publishEvent(event)),
  };
  const sendHeartbeat = () =>
    bus.sendHeartbeat({
      ...{ engine_id, at_ms: Date.now(), call_ids: [...held.keys()], public_url: url },
      headroom: Math.max(0, headroom - held.size),
    });
  const heartbeats = setInterval(sendHeartbeat, HEARTBEAT_MS);
  sendHeartbeat();

  async function open(socket: WebSocket, tokenText: string): Promise<void> {
    const token = readMediaToken(tokenSecret, tokenText, Date.now());
    if (typeof token === 'string') return socket.close();
    const callSid = await startOf(socket);
    const { call_id, nonce } = token;
    const request = { call_id, nonce, engine_id, carrier: 'twilio', provider_call_id: callSid };
    const { session } = await requestSession(request, { bus, clock: systemClock, log });
    if (over || !session || socket.readyState !== socket.OPEN) return socket.close();
    held.set(call_id, socket);
    converse(
      socket,
      call_id,
      createReporter({ callId: call_id, engineId: engine_id, bus: publishing, clock: systemClock, log }),
    );
  }

  function converse(socket: WebSocket, call_id: string, reporter: Reporter): void {
    const call: EngineCall = { callId: call_id, end: null };
    calls.push(call);
    unpublished.add(call);
    const startedMs = performance.now();
    reporter.report('call.started', 'outbound call on twilio');
    reporter.report('welcome', 'Good evening.');
    const turns = setInterval(() => {
      const line = { role: 'user', text: 'a table for two please', at_ms: Date.now(), interrupted: false } as const;
      reporter.report('user.turn', line.text, { transcript: [line] });
    }, TURN_MS);
    const commands = bus.serveCommands(call_id, ({ hangup_by, hangup_reason }) => {
      end({ hangup_by, hangup_reason });
      return { done: true, detail: '' };
    });
    socket.on('close', () => end({ hangup_by: 'caller', hangup_reason: 'caller hung up' }));

    function end(by: CallEnd): void {
      clearInterval(turns);
      if (over || call.end) return;
      const duration_seconds = Math.ceil((performance.now() - startedMs) / 1_000);
      call.end = { ...by, duration_seconds };
      const ending = { ...call.end, recorded: false, provider_usage_json: '[]' };
      reporter.report('call.ended', by.hangup_reason, { data: { duration_seconds, usage: emptyUsage() }, ending });
      commands.stop();
      socket.close();
      void reporter.flushed().then(() => {
        held.delete(call_id);
        unpublished.delete(call);
      });
    }
  }

  return {
    open: (socket, token) => void open(socket, token).catch(() => socket.terminate()),
    async end() {
      over = true;
      for (const call of unpublished) call.end = null;
      clearInterval(heartbeats);
      for (const socket of held.values()) socket.terminate();
      await bus.close();
    },
  };
}

/** The carrier's id of the call, from the stream's first messages. */
function startOf(socket: WebSocket): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.on('close', () => reject(new Error('the stream closed before it started')));
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as { event: string; start?: { callSid: string } };
      if (message.start) resolve(message.start.callSid);
    });
  });
}
