import type { EventType, TimelineEvent } from '../../shared/events.ts';

/** The subject of an event; `agent_id` is empty when the called number has no agent. */
export interface EventSubject {
  workspace_id: string;
  call_id: string;
  agent_id: string;
}

/** What is stored of a delivery's body: what lies in other tables is left out of it. Null when it was deleted. */
export interface StoredBody {
  event_type: string;
  call_id: string;
  body: string | null;
}

/** Returns the body as it is sent, with every attempt the same; null when it, or what was left out of it, was deleted. */
export type CompleteBody = (stored: StoredBody) => Promise<string | null>;

/** For events of which nothing is left out. */
export const storedWhole: CompleteBody = async ({ body }) => body;

/** The event id of every ping. */
export const PING_EVENT_ID = `evt_${'0'.repeat(32)}`;

/**
 * Returns the body of a delivery; the same bytes go to every receiver and with every attempt. Times are in UTC with milliseconds,
 * so that receivers can sort by `created_at`.
 */
export function envelope(
  { workspace_id, call_id, agent_id }: EventSubject,
  event: Omit<TimelineEvent, 'type'> & { id: string; type: EventType | 'ping'; created_at: Date },
): string {
  const { id, type, created_at, message, level, latency_ms } = event;
  const common = { message, level, latency_ms };
  return JSON.stringify({
    id,
    type,
    created_at: utc(created_at),
    workspace_id,
    call_id,
    agent_id,
    data: { ...common, ...event.data, ...common },
  });
}

export function pingEnvelope(workspace_id: string, created_at: Date): string {
  const subject = { workspace_id, call_id: '', agent_id: '' };
  return envelope(subject, {
    id: PING_EVENT_ID,
    type: 'ping',
    created_at,
    message: 'a test of this endpoint',
    level: 'info',
    latency_ms: null,
    data: {},
  });
}

const utc = (instant: Date) => instant.toISOString().replace('Z', '+00:00');
