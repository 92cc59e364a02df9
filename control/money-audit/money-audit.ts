import { errorText, type Logger } from '../../shared/log.ts';
import type { AnySql, Sql } from '../db/connect.ts';
import type { Gateways } from '../payments/gateway.ts';
import { gatewayDifferences } from './gateway-differences.ts';
import { type MoneyFinding, moneyDifferences } from './money-differences.ts';

const HOUR_MS = 3_600_000;
/** An audit that takes longer counts as dead. */
const LEASE_MS = HOUR_MS;
const DAY_MS = 24 * HOUR_MS;
/** 3:00 in India. */
const START_OF_DAY_MS = 21.5 * HOUR_MS;

/** When the next night's audit begins. */
export function nextAuditMs(nowMs: number): number {
  return Math.floor((nowMs - START_OF_DAY_MS) / DAY_MS + 1) * DAY_MS + START_OF_DAY_MS;
}

/**
 * Runs the audit when it is due and no other process does: all differences are logged, and replace those of the last one.
 *
 * @returns false when it is not due.
 */
export async function auditWhenDue(
  { sql, log, gateways }: { sql: Sql; log: Logger; gateways: Gateways },
  nowMs: number,
): Promise<boolean> {
  const now = new Date(nowMs);
  const leased = new Date(nowMs + LEASE_MS);
  const [due] = await sql`update money_audits set next_at = ${leased} where next_at <= ${now} returning 1`;
  if (!due) return false;
  const found = await moneyDifferences(sql, nowMs);
  const not_compared: string[] = [];
  for (const gateway of gateways.values()) {
    try {
      found.push(...(await gatewayDifferences(sql, gateway, nowMs)));
    } catch (error) {
      not_compared.push(gateway.name);
      log.warn({ gateway: gateway.name, error: errorText(error) }, 'payments not compared with the gateway');
    }
  }
  const next = new Date(nextAuditMs(nowMs));
  await sql.begin(async (tx) => {
    const [mine] = await tx`
      update money_audits set next_at = ${next}, finished_at = ${now}, not_compared = ${not_compared}
      where next_at = ${leased} returning 1`;
    if (!mine) return;
    await tx`delete from money_findings`;
    for (const finding of found) await tx`insert into money_findings ${tx({ ...finding, found_at: now })}`;
  });
  for (const { subject, workspace_id, difference } of found) {
    log.error({ subject, workspace_id, difference }, 'money does not add up');
  }
  return true;
}

export interface LastAudit {
  finished_at: Date | null;
  not_compared: string[];
  findings: (MoneyFinding & { found_at: Date })[];
}

/** How many differences the last audit found, up to a number of them. */
export async function countDifferences(sql: AnySql, max: number): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from (select from money_findings limit ${max}) as f`;
  return row!.count;
}

export async function lastAudit(sql: AnySql): Promise<LastAudit> {
  const [audit] = await sql<Omit<LastAudit, 'findings'>[]>`select finished_at, not_compared from money_audits`;
  const findings = await sql<LastAudit['findings']>`
    select subject, workspace_id, difference, found_at from money_findings order by id`;
  return { ...audit!, findings: [...findings] };
}
