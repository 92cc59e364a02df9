import type { CarrierName } from '../../shared/carriers/registry.ts';
import type { AnySql } from '../db/connect.ts';
import { HttpError } from '../http/errors.ts';

export interface CallerNumber {
  number: string;
  provider: CarrierName;
}

/**
 * The number a call is placed from: the one asked for, else the agent's own, else the workspace's only one.
 * @throws HttpError 400 when there is none, or the one asked for is not an active number of the workspace.
 */
export async function chooseCallerNumber(
  sql: AnySql,
  workspaceId: string,
  agentId: string,
  asked: string | undefined,
): Promise<CallerNumber> {
  const numbers = await sql<(CallerNumber & { agent_id: string | null })[]>`
    select number, provider, agent_id from numbers
    where workspace_id = ${workspaceId} and status = 'active'
      and (${asked ?? null}::text is null or number = ${asked ?? null})
    order by connected_at nulls last, number`;
  const chosen =
    asked === undefined
      ? (numbers.find(({ agent_id }) => agent_id === agentId) ?? (numbers.length === 1 ? numbers[0] : undefined))
      : numbers[0];
  if (!chosen) throw new HttpError(400, 'no caller number: connect a number or send from_number');
  return { number: chosen.number, provider: chosen.provider };
}

/** Whose number is it, and which agent answers it? Null when it is nobody's, or another carrier's. */
export async function ownerOfNumber(
  sql: AnySql,
  provider: CarrierName,
  number: string,
): Promise<{ workspace_id: string; agent_id: string | null } | null> {
  const [row] = await sql<{ workspace_id: string; agent_id: string | null }[]>`
    select workspace_id, agent_id from numbers
    where number = ${number} and provider = ${provider} and status <> 'released'`;
  return row ?? null;
}
