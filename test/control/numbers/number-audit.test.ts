import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../../control/db/connect.ts';
import { type AuditDeps, auditNumbers } from '../../../control/numbers/audit-numbers.ts';
import { addNumber } from '../../../control/numbers/connect-number.ts';
import { createNumbers, type Numbers } from '../../../control/numbers/manage-numbers.ts';
import { saveOffers } from '../../../control/numbers/offer-store.ts';
import { createReleaseNumber } from '../../../control/numbers/release-number.ts';
import { createWorkloadMetrics } from '../../../control/observability/workload-metrics.ts';
import { runCommand } from '../../../control/operator.ts';
import { createWorkspace } from '../../../control/operators/workspaces.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { giveCredits } from '../../support/credits.ts';
import { type NumberCarriers, startNumberCarriers, stockNumber } from '../../support/number-carriers.ts';
import { BUYER, buy, settleAll } from '../../support/number-orders.ts';
import { createTestDatabase } from '../../support/postgres.ts';

const DAY_MS = 86_400_000;
let sql: Sql;
let carriers: NumberCarriers;
let deps: AuditDeps;
let numbers: Numbers;
let workspace_id: string;
let lines: { message: string; workspace_id: string; data: object }[];
let days = 0;
let count = 0;

const clock = { ...systemClock, wall: () => Date.now() + days * DAY_MS };

beforeAll(async () => {
  ({ sql } = await createTestDatabase());
  carriers = await startNumberCarriers();
  const rented = Object.entries(carriers.inventories).map(([name, each]) => [name, { name, numbers: each }]);
  deps = {
    ...{ sql, clock, log: createLogger('control', 'silent'), carriers: new Map(rented as never) },
    writeLog: (line) => lines.push(line),
  };
  const releaseNumber = createReleaseNumber(async () => {});
  numbers = createNumbers({ ...deps, releaseNumber, onReleasing() {} });
});
afterAll(() => carriers.close());
beforeEach(async () => {
  lines = [];
  for (const table of ['number_findings', 'number_audits', 'number_orders', 'numbers'])
    await sql.unsafe(`delete from ${table}`);
  for (const { stock } of Object.values(carriers.simulators)) stock.held.clear();
  ({ workspace_id } = await createWorkspace({ sql, wallMs: Date.now() }, 'Acme'));
  await giveCredits(sql, workspace_id, 1_000_000);
});

async function bought(): Promise<string> {
  const number = `+1415${String(7_000_000 + count++)}`;
  const price = { monthly: 1, setup: 0, currency: 'USD' as const };
  await stockNumber(carriers, 'twilio', number);
  await saveOffers(sql, [{ number, country: 'US', type: 'local', price, provider: 'twilio' }], clock.wall());
  expect(await buy(deps, workspace_id, number)).toBe('bought');
  return number;
}
const hold = (number: string, carrier: 'twilio' | 'exotel' = 'twilio') =>
  carriers.simulators[carrier].stock.held.set(number, { target: '', tag: '' });
async function auditAfter(later: number): Promise<unknown[]> {
  days += later;
  await auditNumbers(deps);
  return [...(await sql`select number, kind, workspace_id from number_findings order by number, kind`)];
}
const errors = async () =>
  (await sql<{ error: string }[]>`select error from number_audits where provider = 'twilio'`)[0]?.error;

describe('comparing numbers with their carriers', () => {
  it('finds nothing where both have the same numbers, nor what was just bought or given up', async () => {
    await bought();
    const released = await bought();
    await numbers.release({ workspaceId: workspace_id, actor: BUYER, number: released });
    hold('+918047100001', 'exotel');
    await addNumber(sql, Date.now(), { workspace_id, number: '+918047100001', provider: 'exotel' });
    carriers.simulators.twilio.stock.held.delete(await bought());
    expect(await auditAfter(0)).toEqual([]);
  });

  it('finds a number that is paid for and unknown here, and leaves it alone', async () => {
    hold('+14155550001');
    expect(await auditAfter(0)).toEqual([{ number: '+14155550001', kind: 'unknown', workspace_id: null }]);
    expect([...carriers.simulators.twilio.stock.held.keys()]).toEqual(['+14155550001']);
    expect(lines).toEqual([]);
  });

  it('finds a number that a workspace has and its carrier does not, and writes to the log of the workspace once', async () => {
    const number = await bought();
    carriers.simulators.twilio.stock.held.clear();
    for (const later of [1.1, 1.1]) {
      expect(await auditAfter(later)).toEqual([{ number, kind: 'gone', workspace_id }]);
    }
    expect(lines).toEqual([
      {
        ...{ workspace_id, level: 'error', message: 'the carrier does not have a phone number any more' },
        data: { provider: 'twilio', number: `+14***${number.slice(-2)}` },
      },
    ]);
  });

  it('finds a number that was entered at the wrong carrier, once at each', async () => {
    const number = '+14155550002';
    hold(number, 'exotel');
    await addNumber(sql, clock.wall(), { workspace_id, number, provider: 'twilio' });
    for (const later of [1.1, 1.1]) {
      expect(await auditAfter(later)).toEqual([
        { number, kind: 'gone', workspace_id },
        { number, kind: 'unknown', workspace_id: null },
      ]);
    }
    expect(lines).toHaveLength(1);
  });

  it('finds a number that is still there a day after it was given up', async () => {
    const number = await bought();
    await numbers.release({ workspaceId: workspace_id, actor: BUYER, number });
    await settleAll(deps, () => {});
    hold(number);
    expect(await auditAfter(0)).toEqual([]);
    expect(await auditAfter(1.1)).toEqual([{ number, kind: 'not_released', workspace_id }]);
    carriers.simulators.twilio.stock.held.clear();
    expect(await auditAfter(1.1)).toEqual([]);
  });

  it('says nothing from a part of the list, and tries again within the hour', async () => {
    await bought();
    carriers.simulators.twilio.stock.answersLeft = 0;
    expect(await auditAfter(1.1)).toEqual([]);
    expect(await errors()).toContain('429');
    carriers.simulators.twilio.stock.answersLeft = Number.POSITIVE_INFINITY;
    carriers.simulators.twilio.stock.held.clear();
    expect(await auditAfter(0.02)).toEqual([]);
    expect(await auditAfter(0.03)).toHaveLength(1);
    expect(await errors()).toBe('');
  });

  it('is done once a day, by one process', async () => {
    let asked = 0;
    const twilio = { ...carriers.inventories.twilio, list: async () => [asked++].slice(1) as never };
    const counted = { ...deps, carriers: new Map([['twilio', { name: 'twilio', numbers: twilio }]]) as never };
    await Promise.all([auditNumbers(counted), auditNumbers(counted)]);
    await auditNumbers(counted);
    days += 1.1;
    await auditNumbers(counted);
    expect(asked).toBe(2);
  });

  it('is shown to the operator, and counted', async () => {
    hold('+14155550001');
    await auditAfter(0);
    const { lines: shown } = await runCommand({ sql, wallMs: clock.wall() }, ['number', 'audit']);
    expect(shown.join('\n')).toMatch(/\+14155550001 +twilio +paid for at the carrier, unknown here/);
    // Each counts anew: one that could not count in time has no such metric.
    await expect
      .poll(async () => (await createWorkloadMetrics({ sql, clock, log: deps.log })()).metrics())
      .toContain('antiphon_numbers_differing{kind="unknown"} 1');
  });
});
