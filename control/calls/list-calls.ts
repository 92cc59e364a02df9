import type { AnsweredBy, CallStatus, Channel, Direction } from '../../shared/call.ts';
import type { AnySql } from '../db/connect.ts';
import type { CallRow } from './call-row.ts';

export interface CallFilters {
  agent_id?: string | undefined;
  batch_id?: string | undefined;
  status?: readonly CallStatus[] | undefined;
  direction?: Direction | undefined;
  channel?: Channel | undefined;
  /** Of either side: E.164, or at least its last 4 digits. */
  number?: string | undefined;
  answered_by?: AnsweredBy | undefined;
  /** On created_at; `until` is left out itself. */
  since?: Date | undefined;
  until?: Date | undefined;
  /** Seconds. */
  min_duration?: number | undefined;
  /** Looked for in summary and transcript. */
  q?: string | undefined;
}

export interface CallPage {
  items: CallRow[];
  total: number;
}

/** One page of the workspace's calls, newest first. */
export async function listCalls(
  sql: AnySql,
  workspaceId: string,
  filters: CallFilters,
  limit: number,
  skip: number,
): Promise<CallPage> {
  const matching = where(sql, workspaceId, filters);
  const items = await sql<CallRow[]>`
    select * from calls where ${matching} order by created_at desc, id desc limit ${limit} offset ${skip}`;
  // A first page that is not full says it all; counting reads every match.
  if (skip === 0 && items.length < limit) return { items: [...items], total: items.length };
  const [counted] = await sql<{ total: number }[]>`
    select count(*)::integer as total from calls where ${where(sql, workspaceId, filters)}`;
  return { items: [...items], total: counted!.total };
}

function where(sql: AnySql, workspaceId: string, filters: CallFilters) {
  const { agent_id, batch_id, status, direction, channel, number, answered_by, since, until, min_duration, q } =
    filters;
  const words = q === undefined ? '' : `%${literal(q)}%`;
  return sql`
    workspace_id = ${workspaceId}
    ${agent_id === undefined ? sql`` : sql`and agent_id = ${agent_id}`}
    ${batch_id === undefined ? sql`` : sql`and batch_id = ${batch_id}`}
    ${status === undefined ? sql`` : sql`and status = any(${[...status]})`}
    ${direction === undefined ? sql`` : sql`and direction = ${direction}`}
    ${channel === undefined ? sql`` : sql`and channel = ${channel}`}
    ${number === undefined ? sql`` : endsWith(sql, number)}
    ${answered_by === undefined ? sql`` : sql`and answered_by = ${answered_by}`}
    ${since === undefined ? sql`` : sql`and created_at >= ${since}`}
    ${until === undefined ? sql`` : sql`and created_at < ${until}`}
    ${min_duration === undefined ? sql`` : sql`and duration_seconds >= ${min_duration}`}
    ${
      q === undefined
        ? sql``
        : sql`and (summary ilike ${words} or exists (
            select 1 from jsonb_array_elements(transcript) as line where line ->> 'text' ilike ${words}
          ))`
    }`;
}

/** Numbers are indexed from their end. */
function endsWith(sql: AnySql, number: string) {
  const pattern = `${[...number].reverse().join('')}%`;
  return sql`and (reverse(to_number) like ${pattern} or reverse(from_number) like ${pattern})`;
}

const literal = (text: string) => text.replace(/[\\%_]/g, '\\$&');
