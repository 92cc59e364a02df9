import type { CarrierName } from '../../shared/carriers/registry.ts';
import { errorText } from '../../shared/log.ts';
import { maskNumber } from '../../shared/phone.ts';
import type { NumberInventory } from '../carriers/number-inventory.ts';
import { type PollingJob, startPollingJob } from '../db/polling-job.ts';
import {
  endAudit,
  type Finding,
  type KnownNumber,
  knownNumbers,
  leaseAudit,
  missingNumbers,
  replaceFindings,
} from './audit-store.ts';
import type { InventoryDeps } from './search-inventory.ts';

/**
 * Compares once a day what each carrier lists with what is known here. Nothing follows by itself: what differs is the operator's
 * to decide, and may be a number that the service's team keeps for itself.
 */

const HOUR_MS = 3_600_000;
const EVERY_MS = 24 * HOUR_MS;
/** After a failure, or when its process died. */
const RETRY_MS = HOUR_MS;
const POLL_MS = 10 * 60_000;
/** Carriers may list a number some time after they sold it, and until some time after its release. */
const SETTLED_MS = 24 * HOUR_MS;
/** An account with many numbers of its own is found at once; the rest is in `number audit`. */
const LOGGED_AT_ONCE = 20;

export interface AuditDeps extends InventoryDeps {
  /** Writes to the server logs of the workspace. */
  writeLog(line: {
    workspace_id: string;
    level: 'error';
    message: string;
    data: { number: string; provider: string };
  }): void;
}

export function startNumberAudit(deps: AuditDeps): PollingJob {
  const { clock, log } = deps;
  const stopping = new AbortController();
  const job = startPollingJob({
    ...{ name: 'number audit', intervalMs: POLL_MS, clock, log },
    run: () => auditNumbers(deps, stopping.signal),
  });
  return {
    wake: job.wake,
    async stop() {
      stopping.abort();
      await job.stop();
    },
  };
}

/** Compares the carriers whose turn it is. */
export async function auditNumbers(deps: AuditDeps, stopping?: AbortSignal): Promise<void> {
  const { sql, clock, log, carriers } = deps;
  for (const { name: provider, numbers } of carriers.values()) {
    const startedMs = clock.wall();
    if (!numbers || stopping?.aborted) continue;
    if (!(await leaseAudit(sql, provider, new Date(startedMs), new Date(startedMs + RETRY_MS)))) continue;
    const error = await compare(deps, provider, numbers, startedMs, stopping).then(
      () => '',
      (reason: unknown) => errorText(reason).slice(0, 200) || 'failed',
    );
    if (error !== '') log.warn({ provider, error }, 'numbers could not be compared with their carrier');
    const nextMs = startedMs + (error === '' ? EVERY_MS : RETRY_MS);
    await endAudit(sql, provider, new Date(clock.wall()), new Date(nextMs), error);
  }
}

async function compare(
  { sql, clock, log, writeLog }: AuditDeps,
  provider: CarrierName,
  inventory: NumberInventory,
  startedMs: number,
  stopping?: AbortSignal,
): Promise<void> {
  const listed = (await inventory.list(stopping)).map(({ number }) => number);
  // Read after the list: whatever was bought meanwhile is known by its order.
  const known = await knownNumbers(sql, provider, listed);
  const missing = await missingNumbers(sql, provider, listed, new Date(startedMs - SETTLED_MS));
  const findings = [
    ...known.flatMap((row) => findingOf(row, startedMs) ?? []),
    ...missing.map((row): Finding => ({ ...row, kind: 'gone' })),
  ];
  const added = await sql.begin((tx) => replaceFindings(tx, provider, findings, new Date(clock.wall())));
  const facts = (number: string) => ({ provider, number: maskNumber(number) });
  for (const { number, kind } of added.slice(0, LOGGED_AT_ONCE)) {
    log.warn({ ...facts(number), kind, findings: added.length }, 'a number is not the same here and at its carrier');
  }
  for (const { number, kind, workspace_id } of added) {
    if (kind !== 'gone' || workspace_id === null) continue;
    const message = 'the carrier does not have a phone number any more';
    writeLog({ workspace_id, level: 'error', message, data: facts(number) });
  }
}

/** What a number of the carrier's list is; null: all is well. */
function findingOf(row: KnownNumber, nowMs: number): Finding | null {
  const { number, workspace_id, order_workspace_id, order_state, order_at } = row;
  if (workspace_id !== null || order_state === 'ordering') return null;
  if (order_state === 'releasing' || order_state === 'released') {
    const settled = order_at !== null && nowMs - order_at.getTime() >= SETTLED_MS;
    return settled ? { number, kind: 'not_released', workspace_id: order_workspace_id } : null;
  }
  return { number, kind: 'unknown', workspace_id: order_workspace_id };
}
