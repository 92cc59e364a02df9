import type { Bus } from '../../shared/bus/bus.ts';
import type { SessionKnowledge } from '../../shared/bus/messages.ts';
import type { Clock } from '../../shared/clock.ts';
import { createFallbackModel } from '../../shared/llm/fallback-model.ts';
import { type LanguageModel, LanguageModelError } from '../../shared/llm/language-model.ts';
import { createLanguageModel } from '../../shared/llm/models.ts';
import type { Logger } from '../../shared/log.ts';
import { type LanguageModelSettings, missingSetting } from '../../shared/providers/settings.ts';
import type { RecordingStore } from '../../shared/recordings/recording-store.ts';
import { createKnowledge, type Knowledge } from '../../shared/reply/knowledge.ts';
import type { Analyst, ModelChoice } from '../analysis/analyst.ts';
import { storableValue } from '../analysis/model-json.ts';
import { hasCredits } from '../billing/wallet.ts';
import { modelChoicesOf } from '../calls/after-call/after-call-worker.ts';
import type { Sql } from '../db/connect.ts';
import { knowledgeForCall } from '../knowledge/knowledge-lookups.ts';
import type { SearchKnowledge } from '../knowledge/search.ts';
import { deleteRecording } from '../recordings/stored-recording.ts';
import { modelFallbacksOf } from '../workspaces/model-fallbacks.ts';
import { converse } from './conversation.ts';
import { judge } from './judge.ts';
import type { TokenMeter } from './metered-model.ts';
import type { LeasedRun, RunResult } from './run-store.ts';
import { TestCallError } from './test-caller-client.ts';
import type { Ending, TestItem } from './test-transcript.ts';
import { createVoiceConversation } from './voice-conversation.ts';
import { figuresOf } from './voice-run.ts';

export interface PlayDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  settings: LanguageModelSettings;
  analyst: Analyst;
  /** Plays the caller and judges; null for the agent's own model. */
  testModel: ModelChoice | null;
  searchKnowledge: SearchKnowledge;
  /** The engines, for runs aloud. */
  bus: Pick<Bus, 'sendHangUp' | 'testCalls'>;
  recordings: RecordingStore;
}

export type Outcome = Omit<RunResult, 'usage'>;

/** Nobody waits on the line: longer than in a call, so that a slow search changes no result. */
const KNOWLEDGE_DEADLINE_MS = 2_000;

export const errorOutcome = (error: string) => ({ status: 'error' as const, criteria: [], error });

/** Plays the conversation of a run, in text or aloud, and judges it. Rejects only when the database fails. */
export async function playRun(
  deps: PlayDeps,
  run: LeasedRun,
  meter: TokenMeter,
  signal: AbortSignal,
): Promise<Outcome> {
  const { sql, clock, log, settings, testModel, analyst } = deps;
  const { workspace_id, agent, scenario } = run;
  const played: Pick<Outcome, 'voice' | 'recorded'> & { transcript: TestItem[] } = {
    ...{ transcript: [], voice: null, recorded: false },
  };
  const outcome = (result: Pick<Outcome, 'status' | 'criteria' | 'error'>): Outcome => ({
    ...played,
    transcript: storableValue(played.transcript),
    ...result,
  });
  const failed = (error: string) => outcome(errorOutcome(error));

  if (!(await hasCredits(sql, workspace_id))) return failed('out of credits');
  const own = await modelChoicesOf({ sql }, workspace_id, agent.llm);
  const test = testModel ? [testModel] : own;
  const model = modelOf(own);
  const callerModel = modelOf(test);
  if (!model || !callerModel) return failed('provider failed: no language model is set up');
  const known = await knowledgeForCall(sql, workspace_id, agent);
  try {
    const started_at_ms = clock.wall();
    const ending =
      run.mode === 'voice' ? await playAloud(callerModel, known) : await playAsText(model, callerModel, known);
    const judging = analyst.open(test);
    const conversation = { transcript: played.transcript, ending, started_at_ms, timezone: agent.call.timezone };
    const judgement = await judge(judging, scenario.criteria, conversation, signal);
    meter.add(judging.tokensUsed(), judgement.calls);
    if ('failed' in judgement) return failed(`provider failed: the judge did not answer (${judgement.failed})`);
    const status = judgement.verdicts.every(({ passed }) => passed) ? 'passed' : 'failed';
    return outcome({ status, criteria: storableValue(judgement.verdicts), error: '' });
  } catch (error) {
    if (signal.aborted) return failed('aborted');
    if (error instanceof LanguageModelError) return failed(`provider failed: ${error.kind}`);
    if (error instanceof TestCallError) return failed(`provider failed: ${error.message}`);
    throw error;
  }

  async function playAsText(
    model: LanguageModel,
    callerModel: LanguageModel,
    known: SessionKnowledge | undefined,
  ): Promise<Ending> {
    const knowledge = knowledgeOf(deps, run, known);
    const onItem = (item: TestItem) => played.transcript.push(item);
    return converse({ agent, scenario, knowledge, model, callerModel, clock, log, signal, onItem });
  }

  async function playAloud(callerModel: LanguageModel, knowledge: SessionKnowledge | undefined): Promise<Ending> {
    const request = run.voice_request!;
    // A process died in it: what its call had recorded is not of this one.
    if (run.tries > 1) await deleteRecording(deps.recordings, workspace_id, run.id).catch(() => {});
    const llmFallbacks = await modelFallbacksOf(sql, workspace_id);
    const conversation = createVoiceConversation({
      ...{ run, agent, scenario, request, knowledge, llmFallbacks, callerModel, bus: deps.bus, clock, signal },
    });
    const { events } = conversation;
    try {
      const { ending, end } = await conversation.play();
      meter.addCall([...end.provider_usage, ...conversation.callerUsage()], end.usage.llm_calls);
      const sum = (field: 'stt_seconds' | 'tts_characters') =>
        meter.speechUsed.reduce((total, used) => total + (used[field] ?? 0), 0);
      const used = { stt_seconds: sum('stt_seconds'), tts_characters: sum('tts_characters') };
      played.voice = figuresOf(
        request,
        conversation.turns,
        { ...events, duration_seconds: end.duration_seconds },
        used,
      );
      return ending;
    } finally {
      played.transcript = conversation.transcript();
      played.recorded = events.end?.recorded ?? events.started;
    }
  }

  /** Null when none of them is set up. */
  function modelOf(choices: readonly ModelChoice[]): LanguageModel | null {
    const models = choices
      .filter(({ provider }) => missingSetting(provider, settings) === null)
      .map(({ provider, model: name }) => meter.metered(createLanguageModel(provider, name, settings, log, clock)));
    return models.length === 0 ? null : createFallbackModel({ choices: models, clock, onFallback() {} });
  }
}

/** The agent's knowledge, as a call has it. */
function knowledgeOf(
  { clock, searchKnowledge }: PlayDeps,
  { workspace_id, agent }: LeasedRun,
  known: SessionKnowledge | undefined,
): Knowledge {
  const { knowledge_base_ids } = agent;
  return createKnowledge({
    inline: known?.text ?? '',
    search: known?.search
      ? async ({ query, limit, within_ms }) => {
          const request = { workspace_id, knowledge_base_ids, query, limit, semantic_timeout_ms: within_ms };
          const { items, ...found } = await searchKnowledge(request);
          const passages = items.map(({ source_name, text, score, keyword_match }) => {
            return { source: source_name, text, score, keyword_match };
          });
          return { error: '', passages, ...found };
        }
      : null,
    deadlineMs: KNOWLEDGE_DEADLINE_MS,
    clock,
    language: agent.voice.language,
  });
}
