import type { CarrierName } from '../../shared/carriers/registry.ts';
import type { AnySql, Transaction } from '../db/connect.ts';
import { HttpError } from '../http/errors.ts';
import type { SearchHit, SearchTerms } from '../workspaces/search.ts';

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

/** Which of these are active numbers of the workspace. They stay so until the transaction ends. */
export async function ownActiveNumbers(
  tx: Transaction,
  workspaceId: string,
  numbers: readonly string[],
): Promise<Set<string>> {
  const rows = await tx<{ number: string }[]>`
    select number from numbers
    where workspace_id = ${workspaceId} and number = any(${[...numbers]}) and status = 'active'
    order by number for key share`;
  return new Set(rows.map(({ number }) => number));
}

/**
 * The workspace's numbers that contain the digits, or are answered by an agent of that name; newest first. The index of
 * its numbers by agent finds them.
 */
export async function searchNumbers(
  sql: AnySql,
  workspaceId: string,
  { pattern, digits }: SearchTerms,
  limit: number,
): Promise<SearchHit[]> {
  return sql<SearchHit[]>`
    select n.number as id, n.number as title, coalesce(a.name, '') as subtitle, n.created_at as at
    from numbers n left join agents a on a.workspace_id = n.workspace_id and a.id = n.agent_id
    where n.workspace_id = ${workspaceId} and n.status <> 'released'
      and (a.name ilike ${pattern} or (${digits} <> '' and n.number like ${`%${digits}%`}))
    order by n.created_at desc, n.number limit ${limit}`;
}
