import { type Redaction, redactText } from './capture-redaction.ts';
import { speechRedactor } from './languages/redact-speech.ts';

/**
 * A scenario: the redacted capture of a call, `NAME.capture.gz`, with what its replay must show, `NAME.json`. Only what the caller
 * notices counts, in its order, without times: turns, interruptions, tools, who goes on, and how the call ended.
 */
export interface Scenario {
  /** The events, one line each, as `scenarioEvents` writes them. */
  events: string[];
}

interface TimelineEvent {
  type: string;
  message: string;
  data: unknown;
}

type Detail = (event: { message: string; data: Record<string, unknown> }, speech: Redaction) => unknown;

const noDetail: Detail = () => '';
const named: Detail = ({ data }) => data.name;

/** The events that count, with what counts of each. */
const DETAILS: Partial<Record<string, Detail>> = {
  welcome: ({ message }) => redactText(message),
  'user.turn': ({ message }, speech) => speech(message),
  'agent.reply': ({ message }) => redactText(message),
  interrupted: noDetail,
  'tool.call': named,
  'tool.result': ({ data }) => `${String(data.name)} ${String(data.status)}`,
  'tool.limit': noDetail,
  'agent.handoff': noDetail,
  'call.transferred': noDetail,
  'call.transfer_status': ({ data }) => data.status,
  'call.rescheduled': noDetail,
  'call.dtmf': noDetail,
  'call.voicemail': noDetail,
  'hangup.prompt': noDetail,
  'user.online_check': noDetail,
  'language.changed': noDetail,
  'fallback.used': ({ data }) => data.component,
  error: noDetail,
  'call.ended': ({ message }) => message,
};

/** The speech redaction of a scenario, by the language of the call's first agent. */
export function scenarioSpeech(agent_json: string): Redaction {
  const { voice } = JSON.parse(agent_json) as { voice?: { language?: string } };
  return speechRedactor(voice?.language);
}

/** Returns the lines of a redacted timeline that a scenario compares, each `type detail`. */
export function scenarioEvents(timeline: readonly TimelineEvent[], speech: Redaction): string[] {
  return timeline.flatMap(({ type, message, data }) => {
    const detail = DETAILS[type]?.({ message, data: (data ?? {}) as Record<string, unknown> }, speech);
    return detail === undefined ? [] : [`${type} ${String(detail)}`.trimEnd()];
  });
}
