import type { AgentConfig } from '../../shared/agent.ts';
import type { Session } from '../../shared/bus/messages.ts';
import { type AnsweredBy, type CallEnd, endedByFailure } from '../../shared/call.ts';
import type { CallVariables } from '../../shared/reply/shaped-result.ts';
import { STREAM_PROVIDER } from '../../shared/stream-messages.ts';
import type { TranscriptItem } from '../../shared/transcript.ts';
import type { Usage } from '../../shared/usage.ts';
import type { Reporter } from '../report/reporter.ts';
import type { UsageMeter } from '../report/usage-meter.ts';
import type { TurnTakingFigures } from '../turn/turn-taking.ts';

/** A call's detail record (CDR): the first event of its timeline with parties and providers, and the last with the outcome. */

export function reportStart(
  reporter: Pick<Reporter, 'report'>,
  call: { session: Session; agent: AgentConfig; carrier: string; values: object },
): void {
  const { session, agent, carrier, values } = call;
  const isWeb = session.channel === 'web';
  const webCall = carrier === STREAM_PROVIDER ? "call over a client's stream" : 'browser call';
  reporter.report('call.started', isWeb ? webCall : `${session.direction} call on ${carrier}`, {
    data: {
      channel: session.channel,
      from: session.from_number,
      to: session.to_number,
      stt: `${agent.transcriber.provider}/${agent.transcriber.model}`,
      llm: `${agent.llm.provider}/${agent.llm.model}`,
      tts: `${agent.voice.provider}/${agent.voice.model}`,
      ...(isWeb ? { started_by: session.started_by ?? '' } : {}),
      values: Object.keys(values),
    },
  });
}

export interface CallOutcome {
  end: CallEnd;
  /** Wall clock. */
  endedAtMs: number;
  durationSeconds: number;
  /** Null when the agent never replied. */
  averageFirstAudioMs: number | null;
  answeredBy: AnsweredBy | null;
  /** Null for a call that did not begin. */
  turnTaking: TurnTakingFigures | null;
  recorded: boolean;
  usage: Usage;
  providerUsage: ReturnType<UsageMeter['parts']>;
  /** Transcript lines that no event carried yet. */
  transcript: TranscriptItem[];
  /** Variables that got a value in the call. */
  variables: CallVariables;
}

/** As JSON: the event of a call's end has to pass the bus whatever was set. */
const MAX_VARIABLES_CHARACTERS = 20_000;

/** What differs from the values that the call began with; a value that makes it too long is left out. */
export function changedVariables(began: CallVariables, now: CallVariables): CallVariables {
  let characters = 0;
  const changed = Object.entries(now).filter(([name, value]) => {
    if (Object.hasOwn(began, name) && began[name] === value) return false;
    const length = JSON.stringify({ [name]: value }).length;
    if (characters + length > MAX_VARIABLES_CHARACTERS) return false;
    characters += length;
    return true;
  });
  return Object.fromEntries(changed);
}

export function reportEnd(reporter: Pick<Reporter, 'report'>, outcome: CallOutcome): void {
  const {
    end,
    durationSeconds: duration_seconds,
    averageFirstAudioMs,
    answeredBy,
    usage,
    variables,
    turnTaking,
  } = outcome;
  reporter.report('call.ended', end.hangup_reason, {
    level: endedByFailure(end.hangup_reason) ? 'error' : 'info',
    at_ms: outcome.endedAtMs,
    data: {
      duration_seconds,
      avg_first_audio_ms: averageFirstAudioMs,
      usage: { ...usage, stt_seconds: Math.round(usage.stt_seconds * 100) / 100 },
      ...(turnTaking && { turn_taking: { ...turnTaking, talk_over_ms: Math.round(turnTaking.talk_over_ms) } }),
      ...(Object.keys(variables).length > 0 && { variables }),
    },
    transcript: outcome.transcript,
    ending: {
      ...end,
      duration_seconds,
      avg_first_audio_ms: averageFirstAudioMs ?? undefined,
      answered_by: answeredBy ?? undefined,
      recorded: outcome.recorded,
      provider_usage_json: JSON.stringify(outcome.providerUsage),
    },
  });
}
