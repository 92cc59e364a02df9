import type { CarrierName } from '../../shared/carriers/registry.ts';
import type { AnySql, Fragment, Transaction } from '../db/connect.ts';
import { HttpError } from '../http/errors.ts';
import type { SearchHit, SearchTerms } from '../workspaces/search.ts';

export interface CallerNumber {
  number: string;
  provider: CarrierName;
}

/**
 * Chooses the number a call is placed from: the requested one, else the agent's own, else the workspace's only one.
 * @throws HttpError 400 when there is none, or the requested one is not an active number of the workspace.
 */
export async function chooseCallerNumber(
  sql: AnySql,
  workspaceId: string,
  agentId: string,
  fromNumber: string | undefined,
): Promise<CallerNumber> {
  const from = fromNumber === undefined ? null : [fromNumber];
  return chooseAmong(await sql<CandidateNumber[]>`${candidateNumbers(sql, workspaceId, agentId, from)}`, fromNumber);
}

export interface CandidateNumber extends CallerNumber {
  /** Connected to the agent. */
  own: boolean;
}

/**
 * A query for the numbers that `chooseAmong` needs: those requested that are active; without any, the first two that the agent could
 * call from.
 */
export const candidateNumbers = (
  sql: AnySql,
  workspaceId: string | Fragment,
  agentId: string | Fragment,
  from: readonly string[] | Fragment | null,
) => sql`
    select number, provider, coalesce(agent_id = ${agentId}, false) as own from numbers
    where workspace_id = ${workspaceId} and status = 'active'
      ${from === null ? sql`` : sql`and number = any(${from as string[]})`}
    order by own desc, connected_at nulls last, number ${from === null ? sql`limit 2` : sql``}`;

/** @throws HttpError as `chooseCallerNumber`. */
export function chooseAmong(numbers: readonly CandidateNumber[], fromNumber: string | undefined): CallerNumber {
  const [first] = numbers;
  const chosen =
    fromNumber === undefined
      ? first && (first.own || numbers.length === 1) && first
      : numbers.find(({ number }) => number === fromNumber);
  if (!chosen && fromNumber !== undefined) {
    throw new HttpError(400, `${fromNumber} is not an active number of this workspace`);
  }
  if (!chosen) throw new HttpError(400, 'no caller number: connect a number or send from_number');
  return { number: chosen.number, provider: chosen.provider };
}

/** The workspace of a number and the agent connected to it; null when it belongs to nobody or is another carrier's. */
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

/** Returns which of these are active numbers of the workspace, and keeps them so until the transaction ends. */
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
 * Returns the workspace's numbers that contain the digits or are connected to an agent of that name, newest first, by the index
 * of numbers by agent.
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
