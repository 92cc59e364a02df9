import type { CarrierName } from '../../shared/carriers/registry.ts';
import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import type { OrderRow } from './order-store.ts';

/** The SQL of comparing a carrier's numbers with those known here. */

export const FINDING_KINDS = ['unknown', 'not_released', 'gone'] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

export interface Finding {
  number: string;
  kind: FindingKind;
  /** Who has it, or had it last; null: nobody. */
  workspace_id: string | null;
}

/** A number of the carrier's list, with what is known of it here. */
export interface KnownNumber {
  number: string;
  /** Who has it; null: nobody. */
  workspace_id: string | null;
  /** Its last order, if it ever had one. */
  order_workspace_id: string | null;
  order_state: OrderRow['state'] | null;
  /** When the number was given up, or the order was settled. */
  order_at: Date | null;
}

/** True when the comparison is due and this process is the one to carry it out, until `leaseUntil`. */
export async function leaseAudit(sql: AnySql, provider: CarrierName, now: Date, leaseUntil: Date): Promise<boolean> {
  const rows = await sql`
    insert into number_audits as known (provider, next_at) values (${provider}, ${leaseUntil})
    on conflict (provider) do update set next_at = excluded.next_at where known.next_at <= ${now} returning 1`;
  return rows.length > 0;
}

/** @param error why it failed; empty: it did not. */
export async function endAudit(
  sql: AnySql,
  provider: CarrierName,
  at: Date,
  nextAt: Date,
  error: string,
): Promise<void> {
  await sql`
    update number_audits set next_at = ${nextAt}, error = ${error},
      finished_at = case when ${error} = '' then ${at} else finished_at end
    where provider = ${provider}`;
}

export async function knownNumbers(
  sql: Sql,
  provider: CarrierName,
  numbers: readonly string[],
): Promise<KnownNumber[]> {
  return sql<KnownNumber[]>`
    select listed.number, n.workspace_id, o.workspace_id as order_workspace_id, o.state as order_state,
      coalesce(given.released_at, o.settled_at) as order_at
    from unnest(${[...numbers]}::text[]) as listed (number)
    left join numbers n on n.number = listed.number and n.provider = ${provider} and n.status <> 'released'
    left join lateral (
      select * from number_orders where number = listed.number and provider = ${provider}
      order by created_at desc limit 1
    ) o on true
    left join numbers given on given.number = listed.number and given.order_id = o.id`;
}

/** Numbers that workspaces have had at the carrier since then, and that are not in its list. */
export async function missingNumbers(
  sql: Sql,
  provider: CarrierName,
  listed: readonly string[],
  since: Date,
): Promise<{ number: string; workspace_id: string }[]> {
  return sql<{ number: string; workspace_id: string }[]>`
    select number, workspace_id from numbers
    where provider = ${provider} and status <> 'released' and created_at < ${since} and number <> all(${[...listed]})`;
}

/** Replaces what the last comparison found. @returns what is new. */
export async function replaceFindings(
  tx: Transaction,
  provider: CarrierName,
  findings: readonly Finding[],
  at: Date,
): Promise<Finding[]> {
  const numbers = findings.map(({ number }) => number);
  await tx`delete from number_findings where provider = ${provider} and number <> all(${numbers})`;
  const before = await tx<Pick<Finding, 'number' | 'kind'>[]>`
    select number, kind from number_findings where provider = ${provider}`;
  const kinds = new Map(before.map(({ number, kind }) => [number, kind]));
  const added = findings.filter(({ number, kind }) => kinds.get(number) !== kind);
  await tx`
    insert into number_findings (number, provider, kind, workspace_id, found_at)
    select f.number, ${provider}, f.kind, f.workspace_id, ${at}
    from jsonb_to_recordset(${tx.json(added as never)}) as f (number text, kind text, workspace_id text)
    on conflict (provider, number) do update set kind = excluded.kind,
      workspace_id = excluded.workspace_id, found_at = excluded.found_at`;
  return added;
}

/** By kind, of all carriers, up to a number of them. */
export async function countFindings(sql: AnySql, max: number): Promise<Record<FindingKind, number>> {
  const rows = await sql<{ kind: FindingKind; count: number }[]>`
    select kind, count(*)::integer as count from (select kind from number_findings order by provider, number limit ${max}) f group by kind`;
  const counts = new Map(rows.map(({ kind, count }) => [kind, count]));
  return Object.fromEntries(FINDING_KINDS.map((kind) => [kind, counts.get(kind) ?? 0])) as Record<FindingKind, number>;
}

export interface NumberAudit {
  carriers: { provider: string; finished_at: Date | null; error: string }[];
  findings: (Finding & { provider: string; found_at: Date })[];
  /** Orders that wait for their carrier. */
  orders: { number: string; provider: string; state: string; workspace_id: string; since: Date; reason: string }[];
}

/** What the last comparisons found, and the orders that are not settled; oldest first. */
export async function readAudit(sql: Sql): Promise<NumberAudit> {
  const [carriers, findings, orders] = await Promise.all([
    sql<NumberAudit['carriers']>`select provider, finished_at, error from number_audits order by provider`,
    sql<NumberAudit['findings']>`
      select number, kind, workspace_id, provider, found_at from number_findings order by found_at, number limit 1000`,
    sql<NumberAudit['orders']>`
      select o.number, o.provider, o.state, o.workspace_id, o.reason,
        coalesce(n.released_at, o.settled_at, o.created_at) as since
      from number_orders o left join numbers n on n.number = o.number and n.order_id = o.id
      where o.state in ('ordering', 'releasing') order by since, o.number limit 1000`,
  ]);
  return { carriers, findings, orders };
}
