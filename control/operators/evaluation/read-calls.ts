import type { EventType } from '../../../shared/events.ts';
import type { TestItem } from '../../agent-tests/test-transcript.ts';
import type { StoredTranscriptItem } from '../../calls/call-row.ts';
import type { AnySql } from '../../db/connect.ts';

/** Finished calls as they are evaluated: what their timelines say, in order. */

export interface EvaluatedCall {
  id: string;
  agent_version: number;
  started_at: Date;
  hangup_reason: string;
  transcript: StoredTranscriptItem[];
  events: CallEvent[];
}

export interface CallEvent {
  type: EventType;
  latency_ms: number | null;
  data: Record<string, unknown>;
  created_at: Date;
}

export interface EvaluatedSet {
  workspace_id: string;
  /** Null: all agents. */
  agent_id: string | null;
  since: Date;
  /** Exclusive. */
  until: Date;
  /** The newest. */
  max: number;
}

/** Those that figures and judges look at. */
const TYPES: readonly EventType[] = [
  ...(['llm.first_token', 'tts.first_audio', 'interrupted', 'tool.call', 'tool.result', 'call.ended'] as const),
];
/** Timelines are read of so many calls at once. */
const CALLS_AT_ONCE = 100;

/** Reads the answered calls of the set, newest first. */
export async function readCalls(sql: AnySql, set: EvaluatedSet): Promise<EvaluatedCall[]> {
  const { workspace_id, agent_id, since, until, max } = set;
  const calls = await sql<Omit<EvaluatedCall, 'events'>[]>`
    select id, agent_version, started_at, hangup_reason, transcript from finished_calls
    where workspace_id = ${workspace_id} ${agent_id === null ? sql`` : sql`and agent_id = ${agent_id}`}
      and created_at >= ${since} and created_at < ${until} and started_at is not null
    order by created_at desc, id desc limit ${max}`;
  const events = new Map<string, CallEvent[]>(calls.map(({ id }) => [id, []]));
  for (let at = 0; at < calls.length; at += CALLS_AT_ONCE) {
    const ids = calls.slice(at, at + CALLS_AT_ONCE).map(({ id }) => id);
    for (const { call_id, ...event } of await eventsOf(sql, workspace_id, ids)) events.get(call_id)!.push(event);
  }
  return calls.map((call) => ({ ...call, events: events.get(call.id)! }));
}

async function eventsOf(sql: AnySql, workspaceId: string, ids: string[]): Promise<(CallEvent & { call_id: string })[]> {
  return sql<(CallEvent & { call_id: string })[]>`
    select call_id, type, latency_ms, data, created_at from call_events
    where workspace_id = ${workspaceId} and call_id = any(${ids}) and type = any(${[...TYPES]})
    order by call_id, seq`;
}

/**
 * The call as a judge reads it: what was said, with the tools in their place. Events name no call of a tool: of several at once the
 * first result is taken for the first call's.
 */
export function judgedItems({ transcript, events }: EvaluatedCall): TestItem[] {
  const spoken = transcript.flatMap(({ role, at, ...item }): TestItem[] =>
    role === 'user' || role === 'agent' ? [{ ...item, role, at_ms: at }] : [],
  );
  const asked = new Map<unknown, Record<string, unknown>[]>();
  const tools = events.flatMap(({ type, data, created_at }): TestItem[] => {
    const { name, result } = data;
    if (type === 'tool.call') {
      const args = (data.args ?? {}) as Record<string, unknown>;
      if (!asked.get(name)?.push(args)) asked.set(name, [args]);
    }
    if (type !== 'tool.result') return [];
    return [
      {
        ...{ role: 'tool', name: String(name), args: asked.get(name)?.shift() ?? {}, result: String(result ?? '') },
        at_ms: created_at.getTime(),
      },
    ];
  });
  return [...spoken, ...tools].toSorted((a, b) => a.at_ms - b.at_ms);
}
