import type { Sql } from '../../control/db/connect.ts';
import { giveCredits } from '../../control/operators/credits.ts';
import type { CarrierSimulator } from '../../fixtures/simulators/carrier-simulator.ts';
import { pause } from '../support/until.ts';
import { ask, type CallSetup, makeTenant, type Tenant } from './crash-calls.ts';
import type { EventReceiver } from './event-receiver.ts';
import type { EngineCall } from './outage-engine.ts';

/** The calls of `make outage`: how they are placed, and what must be true of them afterwards. */

/** What a request of contacts takes. */
const MAX_CONTACTS = 1_000;
const PLACED_AT_ONCE = 20;
/** What a workspace may have at once by the API's rules. */
const MAX_SLOTS = 100;
const CREDITS_PAISE = 50_000_00;

/** Makes as many workspaces as so many live calls need, which share them and the queued ones evenly. */
export async function makeTenants(
  setup: Parameters<typeof makeTenant>[0],
  sql: Sql,
  seed: number,
  { live, queued }: { live: number; queued: number },
): Promise<Tenant[]> {
  const count = Math.ceil(live / MAX_SLOTS);
  const calls = Math.ceil((live + queued) / count);
  const tenants: Tenant[] = [];
  for (let at = 0; at < count; at++) {
    const sizes = { calls, slots: Math.ceil(live / count), first: at * calls };
    const tenant = await makeTenant(setup, sql, seed, sizes);
    await giveCredits({ sql, wallMs: Date.now() }, 'grant', tenant.workspaceId, CREDITS_PAISE, 'outage');
    tenants.push(tenant);
  }
  return tenants;
}

/**
 * Places half of the calls one by one and the other half as batches. Returns the ids of the calls that were answered for, empty where
 * the response was lost.
 */
export async function placeCalls(stack: CallSetup['stack'], tenant: Tenant): Promise<string[]> {
  const { apiKey, agentId, numbers } = tenant;
  const half = Math.ceil(numbers.length / 2);
  const ids: string[] = [];
  const single = numbers.slice(0, half).values();
  const place = async () => {
    for (const to_number of single) {
      const placed = await ask(stack, apiKey, 'POST', `/agents/${agentId}/call`, { to_number });
      ids.push((placed as { id: string }).id);
    }
  };
  await Promise.all(Array.from({ length: PLACED_AT_ONCE }, place));
  for (let at = half; at < numbers.length; at += MAX_CONTACTS) {
    const contacts = numbers.slice(at, at + MAX_CONTACTS).map((to_number) => ({ to_number }));
    await ask(stack, apiKey, 'POST', '/batches', { agent_id: agentId, contacts, name: `from ${at}` });
  }
  return ids;
}

/** Resumes batches that paused themselves, because too many of their calls failed meanwhile, as their owner does. */
export async function resumeBatches(stack: CallSetup['stack'], sql: Sql, tenants: readonly Tenant[]): Promise<void> {
  const workspaceIds = tenants.map(({ workspaceId }) => workspaceId);
  const paused = await sql<{ workspace_id: string; id: string }[]>`
    select workspace_id, id from batches where workspace_id = any(${workspaceIds}) and status = 'paused'`;
  for (const { workspace_id, id } of paused) {
    const { apiKey } = tenants.find(({ workspaceId }) => workspaceId === workspace_id)!;
    await ask(stack, apiKey, 'POST', `/batches/${id}/resume`, {});
  }
}

/** Waits until every batch is over. */
export async function untilBatchesEnd(sql: Sql, workspaceId: string, withinMs: number): Promise<boolean> {
  const startMs = performance.now();
  while (performance.now() - startMs < withinMs) {
    const rows = await sql`
      select 1 from batches where workspace_id = ${workspaceId} and status <> 'completed' limit 1`.catch(() => [1]);
    if (rows.length === 0) return true;
    await pause(500);
  }
  return false;
}

interface Outcome {
  id: string;
  to_number: string;
  status: string;
  hangup_reason: string;
  duration_seconds: number;
  connected: boolean;
  cost_paise: number;
}

export interface Truth {
  carrier: CarrierSimulator;
  receiver: EventReceiver;
  /** Of the simulated engines. */
  engineCalls: readonly EngineCall[];
}

/** What is not as carrier, engines and the receiver of the webhooks know it. */
export async function contradictions(
  sql: Sql,
  tenant: Tenant,
  { carrier, receiver, engineCalls }: Truth,
): Promise<string[]> {
  const found: string[] = [];
  const { workspaceId } = tenant;
  const rows = await sql<Outcome[]>`
    select id, to_number, status, hangup_reason, duration_seconds, cost_paise, started_at is not null as connected
    from calls where workspace_id = ${workspaceId}`;
  const rule = (name: string, wrong: readonly unknown[]) => {
    if (wrong.length > 0) found.push(`${name}: ${wrong.length}, such as ${JSON.stringify(wrong[0])}`);
  };
  const byId = new Map(rows.map((row) => [row.id, row]));

  const ended = engineCalls.flatMap(({ callId, end }) =>
    end && byId.has(callId) ? [{ end, row: byId.get(callId)! }] : [],
  );
  rule(
    'a call that an engine conducted to its end is not recorded so',
    ended.filter(({ end, row }) => {
      const { hangup_reason, duration_seconds } = row;
      const isWhole = row.status === 'completed' && row.connected;
      return !isWhole || hangup_reason !== end.hangup_reason || duration_seconds !== end.duration_seconds;
    }),
  );
  const taken = new Set(carrier.calls.map(({ to }) => to));
  rule(
    'a call that the carrier took counts as not dialled',
    rows.filter(
      ({ to_number, hangup_reason }) =>
        taken.has(to_number) && (hangup_reason.startsWith('dial refused') || hangup_reason === 'error: dispatch'),
    ),
  );
  rule(
    '`call.completed` was not sent once, with the final cost',
    rows.flatMap((row) => {
      const sent = receiver.completed.get(row.id) ?? [];
      const isRight = row.connected ? sent.length === 1 && sent[0]!.cost_paise === row.cost_paise : sent.length === 0;
      return isRight ? [] : [{ id: row.id, status: row.status, cost_paise: row.cost_paise, sent }];
    }),
  );
  const batches = await sql`
    select b.id, b.status, count(c.*) filter (where c.status in ('pending', 'queued', 'in-progress', 'retrying'))::integer as open
    from batches b left join batch_contacts c on c.batch_id = b.id
    where b.workspace_id = ${workspaceId} group by b.id, b.status`;
  rule(
    'a batch is not finished',
    batches.filter(({ status, open }) => status !== 'completed' || open > 0),
  );
  return found;
}
