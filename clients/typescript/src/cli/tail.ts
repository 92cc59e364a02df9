import { setTimeout as sleep } from 'node:timers/promises';
import type { CallSummary, TimelineItem } from '../../generated/operations.ts';
import type { Client } from '../client.ts';

/** A key may send 120 requests in a minute. */
const POLL_MS = 1_500;
const OVER = ['completed', 'failed', 'no-answer', 'busy', 'canceled'];

interface Output {
  print(text: string): void;
  /** Ends it. */
  signal: AbortSignal;
  /** A line of JSON for each event or change. */
  json: boolean;
}

/** Whose words an event carries. */
const SPEAKERS: Record<string, string> = {
  welcome: 'agent',
  'agent.reply': 'agent',
  'user.turn': 'caller',
  'human_agent.turn': 'human agent',
};

/** Prints what is said in a call as it goes on, until the record of the call is final. */
export const tailSpeech = (client: Client, call_id: string, output: Output): Promise<void> =>
  tailCall(client, call_id, output, (event) => (Object.hasOwn(SPEAKERS, event.type) ? speechOf(event) : null));

/** Prints the timeline of a call as it grows, until the record of the call is final. @param lineOf null: the event is left out. */
export async function tailCall(
  client: Client,
  call_id: string,
  { print, signal, json }: Output,
  lineOf: (event: TimelineItem) => string | null = eventLine,
): Promise<void> {
  let printed = 0;
  for (;;) {
    // Asked before the timeline, so that nothing is missed between the two.
    const { status } = await client.getCall({ call_id }, { signal });
    const events = await client.listCallEvents({ call_id }, { signal });
    for (const event of events.filter(({ seq }) => seq > printed)) {
      const line = lineOf(event);
      if (line !== null) print(json ? JSON.stringify(event) : line);
      printed = event.seq;
    }
    if (OVER.includes(status)) return;
    if (!(await waited(signal))) return;
  }
}

/** Prints every call that changes its status, from now on. */
export async function tailCalls(client: Client, { print, signal, json }: Output): Promise<void> {
  let before: Map<string, string> | null = null;
  for (;;) {
    const { items } = await client.listCalls({ limit: 100 }, { signal });
    const known = before;
    if (known) {
      for (const call of items.filter(({ id, status }) => known.get(id) !== status).toReversed()) {
        print(json ? JSON.stringify(call) : changeOf(call));
      }
    }
    before = new Map(items.map(({ id, status }) => [id, status]));
    if (!(await waited(signal))) return;
  }
}

/** Returns false when it was ended meanwhile. */
const waited = (signal: AbortSignal) =>
  sleep(POLL_MS, true, { signal }).catch(() => {
    if (signal.aborted) return false;
    throw signal.reason;
  });

const timeOf = ({ offset_ms, created_at }: TimelineItem) =>
  (offset_ms === null ? created_at.slice(11, 19) : `${(offset_ms / 1_000).toFixed(1)} s`).padStart(8);

function eventLine(event: TimelineItem): string {
  const { type, message, latency_ms } = event;
  return [timeOf(event), type.padEnd(18), message, ...(latency_ms === null ? [] : [`(${latency_ms} ms)`])].join('  ');
}

const speechOf = (event: TimelineItem) => [timeOf(event), SPEAKERS[event.type]!.padEnd(11), event.message].join('  ');

const changeOf = ({ id, status, direction, from_number, to_number, agent_name, hangup_reason }: CallSummary) =>
  [
    id,
    status.padEnd(11),
    direction.padEnd(8),
    `${from_number || 'web'} → ${to_number || 'web'}`,
    agent_name,
    hangup_reason,
  ]
    .filter((each) => each !== '')
    .join('  ');
