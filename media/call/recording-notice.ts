import type { AgentConfig } from '../../shared/agent.ts';
import { fillVariables } from '../../shared/variables.ts';
import type { AgentReply } from './agent-reply.ts';
import type { ChatContext } from './chat-context.ts';
import type { Speaker } from './speaker.ts';

/**
 * Says to the caller that the call is recorded, before anything else. The recording begins when that was played out to its end, and
 * never where it was not: the caller hung up, a machine answered, or the synthesizer broke off.
 */
export interface RecordingNotice {
  /** Returns false where there is none to say. */
  say(): boolean;
  /** The reply with it is over. */
  onPlayed(reply: Pick<AgentReply, 'truncated'>): void;
  /** Every 20 ms. */
  tick(): void;
  close(): void;
}

export interface RecordingNoticeOptions {
  agent: Pick<AgentConfig, 'call'>;
  values: Record<string, string | number | boolean>;
  /** It was played out to its end. */
  onRecordingNoticePlayed?(): void;
}

/** Whether a call of this agent is recorded from its notice on only. */
export const hasRecordingNotice = ({ record, recording_notice }: AgentConfig['call']) =>
  record && recording_notice.trim() !== '';

export function createRecordingNotice(
  { agent, values, onRecordingNoticePlayed }: RecordingNoticeOptions,
  context: Pick<ChatContext, 'report'>,
  speaker: Pick<Speaker, 'say' | 'reply'>,
): RecordingNotice {
  let open = false;

  function finish(completed: boolean): void {
    if (!open) return;
    open = false;
    if (completed) onRecordingNoticePlayed?.();
    const message = completed ? 'the notice of the recording was played' : 'the notice of the recording was not played';
    context.report('recording.notice', message, { level: completed ? 'info' : 'warning', data: { completed } });
  }

  return {
    say() {
      if (!hasRecordingNotice(agent.call)) return false;
      open = true;
      speaker.say('notice', fillVariables(agent.call.recording_notice, values).trim());
      return true;
    },
    onPlayed: ({ truncated }) => finish(!truncated),
    tick() {
      // A machine's greeting or a failure took it back.
      if (open && speaker.reply?.kind !== 'notice') finish(false);
    },
    close: () => finish(false),
  };
}
