import { expect, it } from 'vitest';
import { eventMetrics } from '../../../control/observability/event-metrics.ts';

const NOW_MS = 1_000_000;

const valuesOf = (text: string) =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => /^antiphon/.test(line))
      .map((line) => line.split(' ')),
  );

it('shows what is unread, how old it is, and the space of the stream', async () => {
  const backlog = { unread: 7, oldest_unread_at_ms: NOW_MS - 90_000, bytes: 600, max_bytes: 1_000 };
  const registry = await eventMetrics(async () => ({ ...backlog, first_position: 1, read_position: 2 }), NOW_MS);
  expect(valuesOf(await registry.metrics())).toEqual({
    antiphon_events_unread: '7',
    antiphon_events_oldest_unread_age_seconds: '90',
    antiphon_events_stream_free_bytes: '400',
    antiphon_events_stream_max_bytes: '1000',
  });
});

it('has no gauges while the bus is away', async () => {
  const registry = await eventMetrics(async () => Promise.reject(new Error('away')), NOW_MS);
  expect(Object.keys(valuesOf(await registry.metrics()))).toEqual([]);
});
