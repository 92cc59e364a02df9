import type { ConnectionOptions } from 'node:tls';
import { type AgentConfig, agentConfigSchema } from '../../shared/agent.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import type { Session, StartTestCall } from '../../shared/bus/messages.ts';
import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { signMediaToken } from '../../shared/media-token.ts';
import { LINE_RATE } from '../audio/format.ts';
import type { ProviderFactory } from '../call/provider-factory.ts';
import { openAmbient } from '../playout/ambient.ts';
import type { MediaClock } from '../playout/media-clock.ts';
import type { ConcurrencyPermits } from '../provider/concurrency-permits.ts';
import type { Vad } from '../turn/vad.ts';
import { openCallerVoice } from './caller-voice.ts';
import { createTestCaller, type TestCaller } from './test-caller.ts';
import { openTestLine } from './test-line.ts';

export interface TestCallsDeps {
  bus: Pick<Bus, 'testCalls'>;
  /** `Engine.expectTestCall`. */
  expectCall(session: Session): string;
  /** `ws://…` or `wss://…`: this engine's own carrier gateway. */
  address: string;
  /** What its certificate is checked with. */
  tls?(): ConnectionOptions;
  tokenSecret: string;
  providerFactory: ProviderFactory;
  permits: ConcurrencyPermits;
  vad: Vad;
  mediaClock: MediaClock;
  clock: Clock;
  log: Logger;
}

/** Of the background noise: some 20 dB below the caller's speech. */
const BACKGROUND_VOLUME = 20;
/** The line opens at once. */
const TOKEN_TTL_MS = 10_000;

/**
 * Serves control's requests for callers of agent tests. The caller opens a carrier's stream of this engine over a socket, and the
 * agent's call is one like any other: admitted by its token, with a leg, a jitter buffer, voice activity and its own providers.
 */
export function serveTestCalls(deps: TestCallsDeps): void {
  const { bus, expectCall, log } = deps;
  bus.testCalls.serveStarts((command) => {
    const { call_id } = command.session;
    const refused = expectCall(command.session);
    if (refused !== '') return { done: false, detail: refused };
    log.info({ call_id }, 'test caller started');
    void startCaller(deps, command);
    return { done: true, detail: '' };
  });
}

async function startCaller(deps: TestCallsDeps, command: StartTestCall): Promise<void> {
  const { bus, address, tls, tokenSecret, providerFactory, permits, vad, mediaClock, clock, log } = deps;
  const { session, background_noise } = command;
  const { call_id: callId, workspace_id } = session;
  let end: (reason: string, failed?: string) => void = () => {};
  // Served from the beginning: control asks at once.
  const caller: Promise<TestCaller> = openCallerVoice({
    ...{ agent: callerOf(command), providerFactory, permits, clock, log },
    onFailed: (reason) => end('the voice failed', `the caller's voice failed: ${reason}`),
  }).then((voice) => {
    const url = `${address}/carrier/twilio/${signMediaToken(tokenSecret, callId, clock.wall() + TOKEN_TTL_MS)}`;
    const line = openTestLine({ url, callId, tls: tls?.(), onClosed: (reason) => end(reason) });
    const sound = background_noise === '' ? null : providerFactory.ambientSound(background_noise, workspace_id);
    const background = openAmbient(sound, BACKGROUND_VOLUME, LINE_RATE);
    const opened = createTestCaller({
      ...{ line, voice, background, vad, mediaClock, clock },
      onOver: () => serving.stop(),
    });
    end = (reason, failed) => {
      log.info({ call_id: callId, reason }, 'test caller ended');
      opened.end(reason, failed);
    };
    return opened;
  });
  const serving = bus.testCalls.serveTurns(callId, async (turn) => {
    try {
      return await (await caller).take(turn);
    } catch (error) {
      return { done: true, over: true, failed: errorText(error) };
    }
  });
  caller.catch((error: unknown) => {
    log.warn({ call_id: callId, error: errorText(error) }, 'test caller could not start');
    clock.after(TOKEN_TTL_MS, () => serving.stop());
  });
}

/** An agent that speaks as the caller does: with the voice of the agent that is tested, in the caller's language. */
function callerOf({ session, language }: StartTestCall): AgentConfig {
  const agent = agentConfigSchema.parse(JSON.parse(session.agent_json));
  return language === '' ? agent : { ...agent, voice: { ...agent.voice, language } };
}
