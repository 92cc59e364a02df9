import { endedByFailure } from '../../shared/call.ts';
import type { CallRow } from './call-row.ts';

/** A line about a call for the server logs of its workspace: what an integrator would otherwise have to ask us. */
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

/** Never numbers, and nothing of what was said: who carried it, and which of our reasons ended it. */
function callLogLine(call: LoggedCall, level: CallLogLine['level'], message: string, reason: string): CallLogLine {
  const { workspace_id, id: call_id, agent_id, provider, direction } = call;
  return { workspace_id, call_id, agent_id: agent_id ?? '', level, message, data: { provider, direction, reason } };
}

/** A connected call that we broke; null for every other end. */
export const failedCallLine = (call: LoggedCall): CallLogLine | null =>
  endedByFailure(call.hangup_reason) ? callLogLine(call, 'error', 'a call failed', call.hangup_reason) : null;

export const lostEngineLine = (call: LoggedCall): CallLogLine =>
  callLogLine(call, 'error', 'the engine of a call was lost', 'media engine lost');

/** The carrier's words may hold the number: they are on the call's own record. */
export const refusedDialLine = (call: LoggedCall): CallLogLine =>
  callLogLine(call, 'warning', 'a dial was refused', 'refused by the carrier');

/** It rang until we gave up, and the carrier told nothing. */
export const ringTimeoutLine = (call: LoggedCall): CallLogLine =>
  callLogLine(call, 'warning', 'a call rang too long and was ended', 'the carrier told no outcome');
