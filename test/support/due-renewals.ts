import { linesRenewal } from '../../control/billing/lines-renewal.ts';
import { planRenewal } from '../../control/billing/plan-renewal.ts';
import type { RenewalSubject } from '../../control/billing/renewals/renew.ts';
import { attemptRenewal } from '../../control/billing/renewals/renewal-worker.ts';
import { leaseDueRenewals } from '../../control/billing/renewals/renewals.ts';
import { callerIdRenewal } from '../../control/caller-id/caller-id-renewal.ts';
import type { Sql } from '../../control/db/connect.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';

const SUBJECTS: readonly RenewalSubject[] = [planRenewal, linesRenewal, callerIdRenewal];
const LEASE_MS = 60_000;

/** Does what the worker of one process does until nothing is due any more. */
export async function renewDue(sql: Sql, wallMs: number, subjects = SUBJECTS): Promise<void> {
  const byKind = new Map(subjects.map((subject) => [subject.kind, subject]));
  const deps = {
    ...{
      sql,
      log: createLogger('control', 'silent'),
      subjects: byKind,
      billingUrl: 'https://console.example.com/billing',
    },
    clock: { ...systemClock, wall: () => wallMs },
  };
  for (;;) {
    const leased = await leaseDueRenewals(sql, 2, wallMs, LEASE_MS);
    if (leased.length === 0) return;
    for (const each of leased) await attemptRenewal(deps, each);
  }
}
