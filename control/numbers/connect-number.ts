import type { CarrierName } from '../../shared/carriers/registry.ts';
import { E164_PATTERN } from '../../shared/phone.ts';
import { agentForCall } from '../agents/agent-for-call.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import { waitsForCarrier } from './order-store.ts';
import { findNumber, insertNumber, lockNumber, setAgent } from './store.ts';

/** Why a number could not be added or connected; null when it was. */
export type Refusal = string | null;

export interface NewNumber {
  workspace_id: string;
  number: string;
  provider: CarrierName;
  /** The agent that answers it; missing: none yet. */
  agent_id?: string | undefined;
}

export const USED_ELSEWHERE = 'the number is used by another workspace';
const waiting = (number: string) =>
  `an order of the number ${number} waits for its carrier: add it when "number audit" lists it no more`;

/** Writes more in the transaction of the change, such as an audit event. */
export type OnWritten = (tx: Transaction, workspaceId: string) => Promise<void>;
const writeNothing: OnWritten = async () => {};

/** Adds a number of the operator's carrier account to a workspace; not while an order may still buy or release it there. */
export async function addNumber(
  sql: Sql,
  wallMs: number,
  added: NewNumber,
  onWritten: OnWritten = writeNothing,
): Promise<Refusal> {
  const { workspace_id, number, provider, agent_id } = added;
  if (!E164_PATTERN.test(number)) return `${number} is not a number in E.164, such as +911234567890`;
  const created_at = new Date(wallMs);
  return sql
    .begin(async (tx) => {
      const found = await findNumber(tx, number);
      const before = found?.status === 'released' ? null : found;
      if (before && before.workspace_id !== workspace_id) return USED_ELSEWHERE;
      if (before || !(await insertNumber(tx, { number, workspace_id, provider, created_at }))) {
        return `the number ${number} exists already`;
      }
      // Thrown, so that the number is not added either. Looked up after it was inserted: that waits for a release in another transaction.
      if (await waitsForCarrier(tx, number)) throw new NumberRefusedError(waiting(number));
      const refusal = agent_id === undefined ? null : await connect(tx, wallMs, workspace_id, number, agent_id);
      if (refusal !== null) throw new NumberRefusedError(refusal);
      await onWritten(tx, workspace_id);
      return null;
    })
    .catch(refusalOf);
}

/** Routes inbound calls on the number to the agent, and moves it off any other agent. */
export async function connectNumber(
  sql: Sql,
  wallMs: number,
  number: string,
  agentId: string,
  onWritten: OnWritten = writeNothing,
): Promise<Refusal> {
  return sql.begin(async (tx) => {
    const row = await lockNumber(tx, number);
    if (!row || row.status === 'released') return `the number ${number} does not exist: add it first`;
    const refusal = await connect(tx, wallMs, row.workspace_id, number, agentId);
    if (refusal === null) await onWritten(tx, row.workspace_id);
    return refusal;
  });
}

async function connect(tx: Transaction, wallMs: number, workspaceId: string, number: string, agentId: string) {
  if (!(await agentForCall(tx, workspaceId, agentId))) return `agent ${agentId} not found in the number's workspace`;
  await setAgent(tx, workspaceId, number, agentId, new Date(wallMs));
  return null;
}

class NumberRefusedError extends Error {}

function refusalOf(error: unknown): string {
  if (error instanceof NumberRefusedError) return error.message;
  throw error;
}
