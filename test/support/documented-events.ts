import { z } from 'zod';
import { EVENT_DATA } from '../../control/calls/events/event-records.ts';

/** What of these events' data the OpenAPI document does not say; events that webhooks do not get are left out. */
export function undocumented(events: readonly { type: string; data?: unknown }[]): string[] {
  return events.flatMap(({ type, data = {} }) => {
    if (!Object.hasOwn(EVENT_DATA, type)) return [];
    const { error } = z.strictObject(EVENT_DATA[type as keyof typeof EVENT_DATA]).safeParse(data);
    return error ? [`${type} ${JSON.stringify(data)}: ${z.prettifyError(error)}`] : [];
  });
}
