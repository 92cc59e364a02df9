import { endedByFailure } from '../../shared/call.ts';
import type { CallRow } from './call-row.ts';

/** An entry about a call in the server logs of its workspace. */
export interface CallLogLine {
  workspace_id: string;
  call_id: string;
  agent_id: string;
  level: 'warning' | 'error';
  message: string;
  data: Record<string, string | number>;
}
export type WriteCallLog = (line: CallLogLine) => void;

type LoggedCall = Pick<CallRow, 'workspace_id' | 'id' | 'agent_id' | 'provider' | 'direction' | 'hangup_reason'>;

/** Holds neither phone numbers nor speech: only the carrier, the direction and the hangup reason. */
function callLogLine(call: LoggedCall, level: CallLogLine['level'], message: string, reason: string): CallLogLine {
  const { workspace_id, id: call_id, agent_id, provider, direction } = call;
  return { workspace_id, call_id, agent_id: agent_id ?? '', level, message, data: { provider, direction, reason } };
}

/** For a connected call that ended by a failure of the service; null for every other end. */
export const failedCallLine = (call: LoggedCall): CallLogLine | null =>
  endedByFailure(call.hangup_reason) ? callLogLine(call, 'error', 'call failed', call.hangup_reason) : null;

export const lostEngineLine = (call: LoggedCall): CallLogLine =>
  callLogLine(call, 'error', 'media engine lost', 'media engine lost');

/** The carrier's own error text may contain the number, so it is only on the call's record. */
export const refusedDialLine = (call: LoggedCall): CallLogLine =>
  callLogLine(call, 'warning', 'dial refused', 'refused by the carrier');

/** The ringing timeout passed without a status from the carrier. */
export const ringTimeoutLine = (call: LoggedCall): CallLogLine =>
  callLogLine(call, 'warning', 'ringing timed out', 'no status from the carrier');
