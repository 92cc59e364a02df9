import { createHash } from 'node:crypto';
import type { Sql } from '../control/db/connect.ts';
import { LARGEST } from './lists-fill.ts';

const MAX_LIST_MS = 40;
const MAX_FIGURES_MS = 150;

/** Requests of every list with its filters, and of the figures, each with its limit in milliseconds. */
export async function listRequests(
  sql: Sql,
  calls: number,
  { workspace_id, agent_ids }: { workspace_id: string; agent_ids: readonly string[] },
  get: (path: string) => Promise<{ items: { id: string }[] }>,
): Promise<[path: string, limitMs: number][]> {
  const back = Math.min(5_000, Math.floor(calls / 4));
  const [some] = await sql<{ id: string; to_number: string; created_at: Date }[]>`
    select id, to_number, created_at from finished_calls
    where workspace_id = ${workspace_id} and direction = 'outbound' order by created_at desc offset ${back} limit 1`;
  const [agent] = agent_ids;
  const batch = `ba${String(LARGEST).padStart(30, '0')}`;
  const days = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString();
  const middle = (await get(`/calls?limit=1&skip=${back}`)).items[0]!.id;
  const { to_number } = some!;
  const number = encodeURIComponent(to_number);
  const lists = [
    ...[
      '',
      '&skip=1000',
      '&skip=10000',
      `&after=${middle}`,
      `&agent_id=${agent}`,
      `&agent_id=${agent_ids.at(-1)}&status=failed`,
    ],
    ...[
      `&agent_id=${agent}&channel=web`,
      `&batch_id=${batch}`,
      `&batch_id=${batch}&status=completed`,
      '&status=completed',
    ],
    ...[
      '&status=failed',
      '&status=busy,canceled',
      '&status=queued',
      '&direction=inbound',
      '&direction=outbound',
      '&channel=web',
    ],
    ...[
      '&channel=web&status=failed',
      '&answered_by=machine',
      '&answered_by=human&status=completed',
      '&answered_by=human&channel=web',
    ],
    ...[
      `&since=${days(1)}`,
      `&since=${days(30)}`,
      `&until=${days(30)}`,
      `&since=${days(45.3)}&until=${days(10.7)}&status=completed`,
    ],
    ...[
      `&agent_id=${agent}&since=${days(7.2)}`,
      `&number=${number}`,
      `&number=${to_number.slice(-4)}`,
      '&number=%2B911140000001',
    ],
    ...[
      '&number=%2B910000000000',
      '&min_duration=60',
      '&min_duration=900',
      '&min_duration=3000',
      '&min_duration=86000',
    ],
    ...[
      '&q=payment',
      '&q=zebra',
      `&q=${encodeURIComponent('भुगतान')}`,
      '&q=insurance%20claim',
      '&q=ab',
      `&q=payment&since=${days(7)}`,
    ],
    ...[
      `&q=order&agent_id=${agent}`,
      '&q=zebra&status=completed',
      '&q=payment&status=failed',
      `&q=${md5Of(Math.round(calls * 0.777))}`,
    ],
  ].map((query) => `/calls?limit=20${query}`);
  const others = [
    ...['/batches', '/batches?status=completed', `/batches?agent_id=${agent}`, `/batches/${batch}/contacts`],
    ...[
      `/batches/${batch}/contacts?status=busy&limit=500`,
      '/billing/ledger',
      '/billing/ledger?skip=100000',
      '/billing/usage',
    ],
    ...['/webhooks/deliveries', '/webhooks/deliveries?status=failed', '/webhooks/deliveries?event_type=call.completed'],
    ...[
      '/webhooks/deliveries?endpoint_id=endpoint',
      `/webhooks/deliveries?call_id=${some!.id}`,
      `/webhooks/deliveries?since=${days(2)}`,
    ],
    ...[
      '/audit-events',
      '/audit-events?action=agent.',
      '/audit-events?actor_id=user3',
      `/audit-events?target_id=${agent}`,
    ],
    ...[
      '/logs',
      '/logs?level=error',
      '/logs?level=info',
      '/logs?source=webhook',
      `/logs?call_id=${some!.id}`,
      '/logs?q=calls',
      '/logs?q=zebra',
    ],
    ...[
      '/agents',
      '/numbers',
      '/members',
      '/keys',
      '/webhooks',
      '/tools',
      '/knowledge-bases',
      '/guardrails/incidents',
      '/invites',
    ],
    ...[
      `/agents/${agent}/tests`,
      `/agents/${agent}/versions`,
      `/calls/${some!.id}/events`,
      '/search?q=9811',
      '/search?q=Agent',
    ],
    ...['/billing/payments', '/billing/invoices', '/observability/live'],
  ];
  const figures = [
    `/observability/summary?since=${days(90)}`,
    `/observability/summary?since=${days(90)}&timezone=UTC`,
    `/observability/summary?since=${days(90)}&agent_id=${agent}`,
    `/observability/summary?since=${days(30)}&bucket=hour&timezone=Asia/Kathmandu`,
    `/agents/${agent}/latency?days=90`,
    `/agents/${agent_ids.at(-1)}/latency?days=7`,
  ];
  return [
    ...[...lists, ...others].map((path): [string, number] => [path, MAX_LIST_MS]),
    ...figures.map((path): [string, number] => [path, MAX_FIGURES_MS]),
  ];
}

function md5Of(nth: number): string {
  return createHash('md5').update(String(nth)).digest('hex');
}
