import type { AgentConfig } from '../../shared/agent.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import type { Session, SessionKnowledge } from '../../shared/bus/messages.ts';
import type { Clock } from '../../shared/clock.ts';
import type { LanguageModel } from '../../shared/llm/language-model.ts';
import type { HistoryLine } from '../../shared/llm/prompt.ts';
import type { ProviderUsage } from '../../shared/usage.ts';
import { fillVariables } from '../../shared/variables.ts';
import { type CallEndFacts, type CallEvents, createCallEvents } from './call-events.ts';
import type { ScenarioInput } from './scenario-record.ts';
import { createSimulatedCaller } from './simulated-caller.ts';
import { startTestCaller, TestCallError, type TurnOutcome } from './test-caller-client.ts';
import { ENDINGS, type Ending, type TestItem } from './test-transcript.ts';
import type { TurnOnLine, VoiceRequest } from './voice-run.ts';

export interface VoiceConversationOptions {
  run: { workspace_id: string; id: string; agent_id: string };
  agent: AgentConfig;
  scenario: ScenarioInput;
  request: VoiceRequest;
  knowledge: SessionKnowledge | undefined;
  llmFallbacks: string[];
  callerModel: LanguageModel;
  bus: Pick<Bus, 'sendHangUp' | 'testCalls'>;
  clock: Clock;
  signal: AbortSignal;
}

/** A conversation aloud, whatever has become of it. */
export interface VoiceConversation {
  /** What was said and done so far, in order. */
  transcript(): TestItem[];
  /** What the caller's synthesizer used. */
  callerUsage(): ProviderUsage[];
  readonly turns: readonly TurnOnLine[];
  readonly events: CallEvents;
  /** Plays it to its end. @throws TestCallError or LanguageModelError */
  play(): Promise<{ ending: Ending; end: CallEndFacts }>;
}

/** Leaves the judge a minute of the five that a run has. */
const MAX_CALL_SECONDS = 240;
/** The agent's words are on the bus before it is silent on the line, unless the bus is slow. */
const EVENTS_DEADLINE_MS = 2_000;
/** Until an engine has ended a call whose line is closed. */
const END_DEADLINE_MS = 15_000;

/**
 * Plays a conversation between the simulated caller and the agent aloud: the caller's words are a language model's, as in text, and
 * a synthesizer at a media engine speaks them on a line to the agent's call. The caller's model reads what the agent said as far
 * as it was played out, and not through a transcriber of its own: its errors would be the test's, not the agent's.
 */
export function createVoiceConversation(options: VoiceConversationOptions): VoiceConversation {
  const { run, agent, scenario, request, callerModel, bus, clock, signal } = options;
  const { persona, first_message, max_turns, user_data: values } = scenario;
  const events = createCallEvents(clock);
  const said: Extract<TestItem, { role: 'user' | 'agent' }>[] = [];
  const turns: TurnOnLine[] = [];
  let callerUsage: ProviderUsage[] = [];
  const language = scenario.language || agent.voice.language;
  const caller = createSimulatedCaller({ model: callerModel, persona, language, clock, signal });

  const spoken = () =>
    [...said, ...events.items].filter((item) => item.role !== 'tool').toSorted((a, b) => a.at_ms - b.at_ms);
  function history(): HistoryLine[] {
    const lines = spoken().map(({ role, text }): HistoryLine => ({ role, text, interrupted: false }));
    const greeted = events.welcome === '' || lines[0]?.role === 'agent';
    return greeted ? lines : [{ role: 'agent', text: events.welcome, interrupted: false }, ...lines];
  }

  function onTurn({ result }: TurnOutcome, text: string, interruption: string): void {
    if (!result) return;
    const { said_at_ms, interrupted_at_ms, stopped_after_ms, talk_over_ms } = result;
    const addSaid = (words: string, at_ms?: number) => {
      if (at_ms !== undefined) said.push({ role: 'user', text: words, at_ms, interrupted: false });
    };
    addSaid(text, said_at_ms);
    addSaid(interruption, interrupted_at_ms);
    callerUsage = JSON.parse(result.provider_usage_json) as ProviderUsage[];
    turns.push({
      interrupted: interrupted_at_ms !== undefined,
      stopped_after_ms: stopped_after_ms ?? null,
      talk_over_ms,
    });
  }

  async function firstWords(): Promise<{ text: string; hangsUp: boolean }> {
    const given = fillVariables(first_message, values).trim();
    return given === '' ? caller.next(history()) : { text: given, hangsUp: false };
  }

  /** The caller's side of the conversation; false when either side has hung up before the last turn. */
  async function converse(take: (text: string, interruption: string, hangsUp: boolean) => Promise<TurnOutcome>) {
    const welcomes = fillVariables(agent.welcome_message, values).trim() !== '';
    // A caller who speaks first knows what to say before it calls.
    let next = welcomes ? null : await firstWords();
    if (welcomes && (await takeAndRead('', '', false)).over) return false;
    for (let turn = 1; turn <= max_turns; turn++) {
      next ??= turn === 1 ? await firstWords() : await caller.next(history());
      const { text, hangsUp } = next;
      next = null;
      const interrupts = !hangsUp && turns.filter(({ interrupted }) => interrupted).length < request.interruptions;
      const interruption = interrupts
        ? await caller.interruption([...history(), { role: 'user', text, interrupted: false }])
        : '';
      if ((await takeAndRead(text, interruption, hangsUp)).over || hangsUp) return false;
    }
    await take('', '', true);
    return true;

    async function takeAndRead(...words: Parameters<typeof take>): Promise<TurnOutcome> {
      const outcome = await take(...words);
      const { result, over } = outcome;
      if (over || !result?.agent_spoke) return outcome;
      const sinceMs = result.interrupted_at_ms ?? result.said_at_ms ?? 0;
      const answered = () => events.items.some(({ role, at_ms }) => role === 'agent' && at_ms >= sinceMs);
      const isKnown = sinceMs === 0 ? () => events.welcome !== '' : answered;
      await events.until(() => isKnown() || events.end !== null, EVENTS_DEADLINE_MS);
      return outcome;
    }
  }

  return {
    turns,
    events,
    callerUsage: () => callerUsage,
    transcript: () => withTranscribed([...said, ...events.items], events.transcribed),
    async play() {
      const listening = bus.testCalls.onEvents(run.id, events.onEvent);
      try {
        const line = await startTestCaller({
          ...{ bus, session: sessionOf(options), language: scenario.language, clock, signal },
          background_noise: request.background_noise === 'none' ? '' : request.background_noise,
        });
        const tooLong = await converse(async (text, interruption, hangs_up) => {
          const outcome = await line.take({ text, interruption, hangs_up });
          onTurn(outcome, text, interruption);
          return outcome;
        }).finally(() => line.hangUp());
        if (!(await events.until(() => events.end !== null, END_DEADLINE_MS))) {
          throw new TestCallError('the media engine is lost');
        }
        const end = events.end!;
        const ending = ENDINGS.find((each) => each === end.reason);
        if (!ending) throw new TestCallError(`the call broke off, ${end.reason}`);
        return { ending: tooLong && ending === 'caller hung up' ? 'too many turns' : ending, end };
      } finally {
        listening.stop();
      }
    },
  };
}

function sessionOf({ run, agent, scenario, knowledge, llmFallbacks }: VoiceConversationOptions): Session {
  // A warm transfer would wait for somebody who is never called.
  const call = { ...agent.call, record: true, transfer_summary: false };
  return {
    ...{ call_id: run.id, workspace_id: run.workspace_id, agent_id: run.agent_id },
    ...{ direction: 'inbound', channel: 'phone', from_number: '', to_number: '' },
    agent_json: JSON.stringify({ ...agent, call }),
    user_data_json: JSON.stringify(scenario.user_data),
    max_duration_seconds: Math.min(agent.call.max_duration_seconds, MAX_CALL_SECONDS),
    llm_fallbacks: llmFallbacks,
    knowledge,
    test: { tool_results_json: JSON.stringify(scenario.tool_results) },
  };
}

/** All lines in order; each of the caller's with what was transcribed of speech that ended before the next one began. */
function withTranscribed(items: TestItem[], transcribed: readonly { text: string; at_ms: number }[]): TestItem[] {
  const ordered = items.toSorted((a, b) => a.at_ms - b.at_ms);
  const starts = ordered.filter(({ role }) => role === 'user').map(({ at_ms }) => at_ms);
  let line = 0;
  return ordered.map((item) => {
    if (item.role !== 'user') return item;
    const [from, until = Number.POSITIVE_INFINITY] = starts.slice(line++);
    const own = transcribed.filter(({ at_ms }) => at_ms >= from! && at_ms < until);
    return { ...item, transcribed: own.map(({ text }) => text).join(' ') };
  });
}
