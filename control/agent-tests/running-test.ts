import type { AgentConfig } from '../../shared/agent.ts';
import { ID_PATTERN } from '../../shared/ids.ts';
import type { AnySql } from '../db/connect.ts';
import { findRunningTest } from './run-store.ts';

/** The agent of a test's call, for what its engine asks during the call; null for any other call. */
export async function agentOfTestCall(
  sql: AnySql,
  callId: string,
): Promise<{ workspace_id: string; agent: AgentConfig } | null> {
  return ID_PATTERN.test(callId) ? findRunningTest(sql, callId) : null;
}
