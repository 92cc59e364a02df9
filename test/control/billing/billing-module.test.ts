import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBillingModule } from '../../../control/billing/billing-module.ts';
import { exchangeRates } from '../../../control/billing/exchange-rates.ts';
import type { RenewalSubject } from '../../../control/billing/renewals/renew.ts';
import { findRenewal, startRenewal } from '../../../control/billing/renewals/renewals.ts';
import type { Sql } from '../../../control/db/connect.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { newBuyer } from '../../support/invoices.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { eventually } from '../../support/until.ts';

const DAY_MS = 86_400_000;

let sql: Sql;
const feed = createServer((_request, response) => response.end('{"base":"USD","rates":{"INR":89}}'));

beforeAll(async () => {
  ({ sql } = await createTestDatabase());
  await new Promise<void>((resolve) => feed.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void feed.close());

/** Whose `subject_id` is the fee. */
const subjectOf = (kind: RenewalSubject['kind']): RenewalSubject => ({
  kind,
  nextCharge: async (_tx, { subject_id }) =>
    subject_id === 'gone' ? null : { amount_paise: Number(subject_id), description: 'a fee' },
  paid: async () => {},
  pastDue: async () => {},
  lapsed: async () => {},
});

it('takes fees and exchange rates from its start on, and logs what could not be taken', async () => {
  const lines: string[] = [];
  const module = createBillingModule({
    ...{
      sql,
      clock: systemClock,
      log: createLogger('control', 'silent'),
      subjects: [subjectOf('number'), subjectOf('caller_id')],
    },
    billingUrl: 'https://console.example.com/billing',
    exchangeRateUrl: `http://127.0.0.1:${(feed.address() as AddressInfo).port}/`,
    writeLog: ({ workspace_id, level, message, data }) =>
      void lines.push(`${workspace_id} ${level} ${data.kind}: ${message}`),
  });
  const workspace_id = await newBuyer(sql);
  await sql`delete from rates`;
  const due = (subject_id: string, kind: RenewalSubject['kind'] = 'number') =>
    sql.begin((tx) => startRenewal(tx, { workspace_id, kind, subject_id, cycle_end: new Date(Date.now() - 1) }));
  for (const subject of ['0', 'gone', '500']) await due(subject);
  await due('700', 'caller_id');
  await sql`update renewals set past_due_since = ${new Date(Date.now() - 7 * DAY_MS)} where kind = 'caller_id'`;
  module.start();
  await eventually(
    'the renewals',
    60_000,
    async () => ((await exchangeRates(sql)).USD === 8_900 && lines.length === 2) || null,
  );
  expect(lines.sort()).toEqual([
    `${workspace_id} warning caller_id: unpaid for seven days and ended`,
    `${workspace_id} warning number: fee could not be taken`,
  ]);
  const renewal = (subject_id: string, kind: RenewalSubject['kind'] = 'number') =>
    findRenewal(sql, { workspace_id, kind, subject_id });
  await eventually('the fees without a failure', 60_000, async () => {
    const [paid, gone] = [await renewal('0'), await renewal('gone')];
    return (!gone && paid!.cycle_end.getTime() > Date.now()) || null;
  });
  expect(await renewal('700', 'caller_id')).toBeNull();
  await module.stop();
});
