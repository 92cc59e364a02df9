import { Registry } from 'prom-client';
import type { EventBacklog } from '../../shared/bus/event-stream.ts';
import { addGauge } from './workload-metrics.ts';

/**
 * What is unread of the calls' events, and how full their stream is.
 *
 * @param eventBacklog rejects while the bus is away: the registry is then without gauges, and `antiphon_bus_connected` says so.
 */
export async function eventMetrics(eventBacklog: () => Promise<EventBacklog>, wallMs: number): Promise<Registry> {
  const registry = new Registry();
  const backlog = await eventBacklog().catch(() => null);
  if (!backlog) return registry;
  const { unread, oldest_unread_at_ms, bytes, max_bytes } = backlog;
  const ageMs = Math.max(0, wallMs - (oldest_unread_at_ms ?? wallMs));
  addGauge(registry, 'antiphon_events_unread', 'Events on the bus that control has not written yet.', unread);
  addGauge(
    registry,
    'antiphon_events_oldest_unread_age_seconds',
    'Age of the oldest of them; 0: there is none.',
    ageMs / 1_000,
  );
  const free = 'Space in the stream of events; without any it refuses them.';
  addGauge(registry, 'antiphon_events_stream_free_bytes', free, max_bytes - bytes);
  addGauge(registry, 'antiphon_events_stream_max_bytes', 'Size of the stream of events.', max_bytes);
  return registry;
}
