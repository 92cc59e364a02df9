import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { twilioSignature } from '../fixtures/simulators/signatures.ts';
import { createReporter, type Reporter } from '../media/report/reporter.ts';
import { type Bus, connectBus } from '../shared/bus/bus.ts';
import { systemClock } from '../shared/clock.ts';
import { newId } from '../shared/ids.ts';
import { createLogger } from '../shared/log.ts';
import { readMediaToken } from '../shared/media-token.ts';

/**
 * Carrier and engines of the simulation, in this process: the carrier takes every call over its REST API, rings, and is answered after a
 * second; an engine without audio opens the session over the bus, reports four events a turn and ends the call after its time.
 */
export interface SizeLine {
  carrierUrl: string;
  /** Called with the number dialled, when the carrier's API is asked. */
  onDial(listener: (toNumber: string) => void): void;
  /** Calls that are already live begin here, with any time left of theirs. */
  adopt(callIds: readonly string[]): { engine_id: string; call_id: string }[];
  readonly live: number;
  readonly figures: LineFigures;
  /** Forgets what was measured. */
  reset(): void;
  /** An event that the bus has stored lately; null when there is none. */
  lastPublished(): { call_id: string; seq: number; publishedMs: number } | null;
  close(): Promise<void>;
}

export interface LineFigures {
  openSessionMs: number[];
  /** Sessions that were refused, or not opened in time. */
  refused: number;
  events: number;
  ended: number;
}

export interface LineOptions {
  natsUrl: string;
  tokenSecret: string;
  authToken: string;
  callSeconds: number;
  turnSeconds: number;
  engines: number;
}

const ACCOUNT = 'AC1';
const ANSWER_AFTER_MS = 1_000;
const SESSION_TIMEOUT_MS = 10_000;
const HEARTBEAT_MS = 10_000;
const SLOT_MS = 100;
const PORT_OF_FIRST_ENGINE = 9_000;

interface Engine {
  id: string;
  bus: Bus;
  calls: Set<string>;
}

interface LiveCall {
  id: string;
  engine: Engine;
  reporter: Reporter;
  startedMs: number;
  endsMs: number;
  commands: { stop(): void };
  /** Tells the carrier's side that the engine hung up. */
  hungUp(): void;
}

export async function startLine(options: LineOptions): Promise<SizeLine> {
  const { natsUrl, tokenSecret, authToken, callSeconds, turnSeconds } = options;
  const log = createLogger('media', 'silent');
  const engines: Engine[] = [];
  for (let nth = 0; nth < options.engines; nth++) {
    const id = newId();
    engines.push({ id, bus: await connectBus({ url: natsUrl, name: `engine ${nth}`, log }), calls: new Set() });
  }
  const figures: LineFigures = { openSessionMs: [], refused: 0, events: 0, ended: 0 };
  const live = new Map<string, LiveCall>();
  /** Calls by the slot of time of their next turn. */
  const turns = new Map<number, LiveCall[]>();
  let dialled: (toNumber: string) => void = () => {};
  let published: { call_id: string; seq: number; publishedMs: number } | null = null;
  let carrierIds = 0;

  const sendHeartbeat = ({ id, bus, calls }: Engine) =>
    bus.sendHeartbeat({
      ...{ engine_id: id, at_ms: Date.now(), call_ids: [...calls], headroom: 10_000 },
      public_url: `ws://127.0.0.1:${PORT_OF_FIRST_ENGINE + engines.findIndex((engine) => engine.id === id)}`,
    });
  for (const engine of engines) sendHeartbeat(engine);
  const heartbeats = setInterval(() => engines.forEach(sendHeartbeat), HEARTBEAT_MS);

  let slot = Math.floor(performance.now() / SLOT_MS);
  const clock = setInterval(() => {
    for (const now = Math.floor(performance.now() / SLOT_MS); slot < now; slot++) {
      for (const call of turns.get(slot) ?? []) takeTurn(call);
      turns.delete(slot);
    }
  }, SLOT_MS);

  function begin(id: string, engine: Engine, leftMs: number, hungUp: () => void): void {
    const bus: Pick<Bus, 'publishEvent'> = {
      async publishEvent(event) {
        await engine.bus.publishEvent(event);
        figures.events++;
        published = { call_id: event.call_id, seq: event.seq, publishedMs: performance.now() };
      },
    };
    const reporter = createReporter({ callId: id, engineId: engine.id, bus, clock: systemClock, log });
    const nowMs = performance.now();
    const commands = engine.bus.serveCommands(id, () => {
      end(call);
      return { done: true, detail: '' };
    });
    const call: LiveCall = {
      ...{ id, engine, reporter, commands, hungUp, startedMs: nowMs, endsMs: nowMs + leftMs },
    };
    live.set(id, call);
    engine.calls.add(id);
    later(call, Math.random() * turnSeconds * 1_000);
  }

  function later(call: LiveCall, delayMs: number): void {
    // Not in the present one, which is being worked through.
    const at = Math.max(slot + 1, Math.floor((performance.now() + delayMs) / SLOT_MS));
    turns.set(at, [...(turns.get(at) ?? []), call]);
  }

  function takeTurn(call: LiveCall): void {
    if (!live.has(call.id)) return;
    if (performance.now() >= call.endsMs) return void end(call);
    const { reporter } = call;
    const line = (role: 'user' | 'agent', text: string) => [{ role, text, at_ms: Date.now(), interrupted: false }];
    const said = 'A table for two please, tomorrow evening.';
    reporter.report('user.turn', said, { transcript: line('user', said) });
    reporter.report('llm.first_token', '', { latency_ms: 310 });
    reporter.report('tts.first_audio', '', { latency_ms: 640 });
    const reply = 'Tomorrow evening, for two. At what time would you like to come?';
    reporter.report('agent.reply', reply, { transcript: line('agent', reply) });
    later(call, Math.min(turnSeconds * 1_000, call.endsMs - performance.now()));
  }

  function end(call: LiveCall): void {
    if (!live.delete(call.id)) return;
    const duration_seconds = Math.ceil((performance.now() - call.startedMs) / 1_000);
    const usage = {
      stt_seconds: duration_seconds,
      tts_characters: 600,
      llm_input_tokens: 9_000,
      llm_output_tokens: 300,
      llm_calls: 9,
    };
    const provider_usage_json = JSON.stringify([
      { component: 'transcriber', provider: 'deepgram', model: 'nova-3', stt_seconds: duration_seconds },
      { component: 'llm', provider: 'openai', model: 'gpt-4.1-mini', llm_input_tokens: 9_000, llm_output_tokens: 300 },
      { component: 'voice', provider: 'elevenlabs', model: 'eleven_flash_v2_5', tts_characters: 600 },
    ]);
    const by = { hangup_by: 'caller', hangup_reason: 'caller hung up' } as const;
    const ending = { ...by, duration_seconds, recorded: false, provider_usage_json };
    call.reporter.report('call.ended', by.hangup_reason, { data: { duration_seconds, usage }, ending });
    call.commands.stop();
    void call.reporter.flushed().then(() => {
      call.engine.calls.delete(call.id);
      figures.ended++;
      call.hungUp();
    });
  }

  /** Sends a callback as Twilio signs it. */
  async function callBack(url: string, fields: [string, string][]): Promise<string> {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': twilioSignature(authToken, url, fields),
      },
      body: new URLSearchParams(fields).toString(),
    });
    return response.text();
  }

  async function ring(form: URLSearchParams, sid: string): Promise<void> {
    const field = (name: string) => form.get(name) ?? '';
    const fields = (status: string): [string, string][] => [
      ...([
        ['CallSid', sid],
        ['AccountSid', ACCOUNT],
        ['From', field('From')],
      ] as [string, string][]),
      ...([
        ['To', field('To')],
        ['CallStatus', status],
        ['Direction', 'outbound-api'],
      ] as [string, string][]),
    ];
    const report = (status: string) => callBack(field('StatusCallback'), fields(status)).catch(() => '');
    await report('ringing');
    await new Promise((resolve) => setTimeout(resolve, ANSWER_AFTER_MS));
    void report('in-progress');
    const document = await callBack(field('Url'), fields('in-progress')).catch(() => '');
    const [, port, text] = /url="ws:\/\/127\.0\.0\.1:(\d+)\/carrier\/twilio\/([^"]+)"/.exec(document) ?? [];
    const token = readMediaToken(tokenSecret, text ?? '', Date.now());
    if (typeof token === 'string') return void figures.refused++;
    const engine = engines[Number(port) - PORT_OF_FIRST_ENGINE] ?? engines[0]!;
    const askedMs = performance.now();
    const { call_id, nonce } = token;
    const request = { call_id, nonce, engine_id: engine.id, carrier: 'twilio', provider_call_id: sid };
    const { session } = await engine.bus.openSession(request, SESSION_TIMEOUT_MS).catch(() => ({ session: undefined }));
    if (!session) return void figures.refused++;
    figures.openSessionMs.push(performance.now() - askedMs);
    begin(call_id, engine, callSeconds * 1_000, () => void report('completed'));
    live.get(call_id)!.reporter.report('call.started', 'outbound call on twilio');
  }

  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      const reply = (status: number, json: object) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
      if (request.method === 'GET') return reply(200, { calls: [] });
      if (!(request.url ?? '').endsWith('/Calls.json')) return reply(200, {});
      const form = new URLSearchParams(body);
      dialled(form.get('To') ?? '');
      const sid = `CA${String(++carrierIds).padStart(32, '0')}`;
      reply(201, { sid, status: 'queued' });
      void ring(form, sid).catch(() => figures.refused++);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    carrierUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    onDial(listener) {
      dialled = listener;
    },
    adopt(callIds) {
      const adopted = callIds.map((call_id, nth) => {
        const engine = engines[nth % engines.length]!;
        begin(call_id, engine, Math.random() * callSeconds * 1_000, () => {});
        return { engine_id: engine.id, call_id };
      });
      for (const engine of engines) sendHeartbeat(engine);
      return adopted;
    },
    get live() {
      return live.size;
    },
    figures,
    reset() {
      Object.assign(figures, { openSessionMs: [], refused: 0, events: 0, ended: 0 });
    },
    lastPublished: () => published,
    async close() {
      clearInterval(heartbeats);
      clearInterval(clock);
      server.closeAllConnections();
      server.close();
      await Promise.all(engines.map(({ bus }) => bus.close()));
    },
  };
}
