import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { addPhoneNumber } from '../../control/operators/numbers.ts';
import { type ApiClient, type CallRecord, createApiClient, type TimelineRecord } from '../../dev/api-client.ts';
import { asOperator, firstWorkspace } from '../../dev/first-workspace.ts';
import { type Stack, startStack } from '../../dev/stack.ts';
import type { Callee } from '../../fixtures/simulators/carrier-call.ts';
import type { CarrierSimulator } from '../../fixtures/simulators/carrier-simulator.ts';
import type { DeepgramSimulator } from '../../fixtures/simulators/deepgram.ts';
import { SIMULATOR_SEED } from '../../fixtures/simulators/draws.ts';
import type { ElevenLabsSimulator } from '../../fixtures/simulators/elevenlabs.ts';
import type { NumberStock } from '../../fixtures/simulators/number-stock.ts';
import type { OpenAiSimulator, ScriptedAnswer } from '../../fixtures/simulators/openai.ts';
import type { RequestMessage } from '../../fixtures/simulators/openai-request.ts';
import { startPlivoSimulator } from '../../fixtures/simulators/plivo.ts';
import { startTwilioSimulator } from '../../fixtures/simulators/twilio.ts';
import { type CallStatus, isOver } from '../../shared/call.ts';
import type { CarrierName } from '../../shared/carriers/registry.ts';
import { toE164 } from '../../shared/phone.ts';
import { makeFastFolder } from './fast-folder.ts';
import { copyPreparedPostgres } from './prepared-postgres.ts';
import { startSimulatedProviders } from './simulated-providers.ts';
import { withNumbers } from './twilio-account.ts';
import { eventually } from './until.ts';

/**
 * The whole service: both programs as processes, PostgreSQL, NATS, and simulated carriers and providers on real sockets, which
 * draw what the real ones do in several ways by `SIMULATOR_SEED`.
 */
export interface Service {
  stack: Stack;
  api: ApiClient;
  apiKey: string;
  carriers: { twilio: CarrierSimulator; plivo: CarrierSimulator };
  stt: DeepgramSimulator;
  llm: OpenAiSimulator;
  tts: ElevenLabsSimulator;
  /** Creates an agent with the simulated providers and a number of this carrier. */
  agentOn(carrier: CarrierName, config?: object): Promise<{ agentId: string; number: string }>;
  /** Sends a request with the workspace's key. */
  request(method: string, path: string, body?: object): Promise<Response>;
  /** Resolves with the call and its events when it is over. */
  finished(
    callId: string,
    withinMs?: number,
  ): Promise<{ call: CallRecord & Record<string, unknown>; events: TimelineRecord[] }>;
  /** Resolves with the newest call to or from this number. */
  callOf(number: string): Promise<string>;
  close(): Promise<void>;
}

export interface ServiceOptions {
  /** The caller's transcripts of every call, in order. */
  transcripts: readonly string[];
  answer(lastWords: string, messages: readonly RequestMessage[]): ScriptedAnswer;
  /** Further settings of both programs. */
  settings?: Record<string, string>;
  /** Behaviour of the called number (E.164); default: answers. */
  callee?: (to: string) => Callee;
  /** What Twilio rents out; default: nothing can be searched. */
  numbers?: NumberStock;
}

export async function startService(options: ServiceOptions): Promise<Service> {
  const home = makeFastFolder('antiphon-e2e-');
  const account = { id: randomBytes(16).toString('hex'), token: randomBytes(16).toString('hex') };
  const closing: (() => Promise<unknown>)[] = [async () => rmSync(home, { recursive: true, force: true })];
  const close = async () => {
    for (const each of closing.splice(0).toReversed()) await each();
  };
  const closeLater = <T extends { close(): Promise<void> }>(made: T): T => {
    closing.push(() => made.close());
    return made;
  };
  const callee = (to: string) => options.callee?.(toE164(to)) ?? ({ outcome: 'answer' } as const);
  try {
    const authToken = account.token;
    const seed = SIMULATOR_SEED;
    const twilio = closeLater(await startTwilioSimulator({ accountSid: `AC${account.id}`, authToken, callee, seed }));
    const { numbers: stock } = options;
    const twilioApi = stock
      ? closeLater(await withNumbers(twilio.url, { accountSid: `AC${account.id}`, authToken }, stock))
      : twilio;
    const plivo = closeLater(await startPlivoSimulator({ authId: `MA${account.id}`, authToken, callee, seed }));
    const { stt, llm, tts, ...providers } = closeLater(
      await startSimulatedProviders({
        stt: {
          seed,
          script: {
            turns: (index) => ({ text: options.transcripts[index] ?? '', startAfterMs: 120, endAfterMs: 500 }),
          },
        },
        llm: {
          seed,
          firstTokenMs: 50,
          answer: (messages) => {
            const last = messages.at(-1)?.content;
            return options.answer(typeof last === 'string' ? last : '', messages);
          },
        },
        tts: { firstAudioMs: 40 },
      }),
    );
    await copyPreparedPostgres(join(home, 'postgres'));
    const stack = await startStack({
      home,
      apiPort: 0,
      mediaPort: 0,
      settings: () => ({
        TWILIO_ACCOUNT_SID: `AC${account.id}`,
        TWILIO_AUTH_TOKEN: account.token,
        TWILIO_API_URL: twilioApi.url,
        ...(stock && { TWILIO_PRICING_URL: twilioApi.url }),
        PLIVO_AUTH_ID: `MA${account.id}`,
        PLIVO_AUTH_TOKEN: account.token,
        PLIVO_API_URL: plivo.url,
        ...providers.settings,
        // Less to start for each of these tests.
        API_PROCESSES: '0',
        // Tests must not depend on the load of the machine.
        ADMISSION: 'fixed',
        ...options.settings,
      }),
      onProgress: () => {},
    });
    closing.push(() => stack.stop());
    const { workspace_id, api_key } = await firstWorkspace(stack, 'Test');
    const api = createApiClient(stack.apiUrl, api_key);
    let numbers = 0;

    const request = (method: string, path: string, body?: object) =>
      fetch(`${stack.apiUrl}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${api_key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
        signal: AbortSignal.timeout(60_000),
        ...(body ? { body: JSON.stringify(body) } : {}),
      });

    return {
      stack,
      api,
      apiKey: api_key,
      carriers: { twilio, plivo },
      stt,
      llm,
      tts,
      request,
      async agentOn(carrier, config = {}) {
        const agent = await api.createAgent({
          name: `Agent ${numbers}`,
          welcome_message: 'Welcome.',
          system_prompt: 'Answer.',
          voice: { provider: 'elevenlabs', voice_id: 'test', language: 'en' },
          ...config,
          // A slow machine leaves both sides silent for longer than an agent usually waits.
          call: { hangup_after_silence_seconds: 120, ...(config as { call?: object }).call },
        });
        const number = `+9111400001${String(numbers++).padStart(2, '0')}`;
        await asOperator(stack, (sql) =>
          addPhoneNumber({ sql, wallMs: Date.now() }, { workspace_id, number, provider: carrier, agent_id: agent.id }),
        );
        return { agentId: agent.id, number };
      },
      async finished(callId, withinMs = 120_000) {
        const call = await eventually('the call to be over', withinMs, async () => {
          const seen = await api.call(callId).catch(() => null);
          return seen && isOver(seen.status as CallStatus) && seen.status !== 'ended' ? seen : null;
        });
        const events = await eventually('its events', withinMs, () => api.events(callId));
        return { call: call as CallRecord & Record<string, unknown>, events };
      },
      async callOf(number) {
        return eventually('the call to be known', 60_000, async () => {
          const answer = await request('GET', `/calls?number=${encodeURIComponent(number)}&limit=1`);
          const { items } = (await answer.json()) as { items: { id: string }[] };
          return items[0]?.id;
        });
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
