import { beforeAll, describe, expect, it } from 'vitest';
import type { Sql } from '../../../control/db/connect.ts';
import { runCommand } from '../../../control/operator.ts';
import { newBuyer, SELLER } from '../../support/invoices.ts';
import { createOperatorCommand, type OperatorCommand } from '../../support/operator-command.ts';
import { createTestDatabase } from '../../support/postgres.ts';

let sql: Sql;
let operator: OperatorCommand['operator'];
let refusal: OperatorCommand['refusal'];
let trailOf: OperatorCommand['trailOf'];

beforeAll(async () => {
  ({ sql } = await createTestDatabase());
  ({ operator, refusal, trailOf } = createOperatorCommand(sql));
});

describe('invoice seller', () => {
  it('shows and changes who issues the invoices', async () => {
    expect((await operator('invoice seller')).text).toContain('no GSTIN: no GST is charged');
    const address = '12 Residency Road, Bengaluru 560025';
    const { name, lut } = SELLER;
    const { text } = await operator('invoice seller', { name, address, lut, gstin: SELLER.gstin.toLowerCase() });
    expect(text).toBe(
      `${name}\n12 Residency Road\nBengaluru 560025\nGSTIN ${SELLER.gstin}\nSAC 998319\nletter of undertaking ${lut}`,
    );
    const [event] = await sql`select action, changes from service_events`;
    expect(event).toMatchObject({ action: 'seller.updated', changes: { gstin: ['', SELLER.gstin] } });
  });

  it('refuses what an invoice cannot have', async () => {
    expect(await refusal('invoice seller', { gstin: '29ABCDE1234F1Z5' })).toBe('the GSTIN is not valid');
    expect(await refusal('invoice seller', { sac: '99831' })).toContain('4, 6 or 8 digits');
    expect(await refusal('invoice seller', { address: ' ' })).toBe('a registered seller has an address');
  });
});

describe('alert thresholds', () => {
  it('are those of the service until a workspace has its own', async () => {
    const workspace = await newBuyer(sql);
    expect((await operator(`alert thresholds ${workspace}`)).text).toBe(
      'credits for fewer than 10 minutes\n30 % of at least 5 calls failed',
    );
    await operator(`alert thresholds ${workspace}`, { minutes: '60', calls: '20' });
    const { result } = await operator(`alert thresholds ${workspace}`, { calls: 'default', percent: '50' });
    expect(result).toEqual({ low_balance_minutes: 60, failing_min_calls: 5, failing_percent: 50 });
    expect(await trailOf(workspace)).toEqual(['workspace.alerts_changed', 'workspace.alerts_changed']);
    expect(await refusal(`alert thresholds ${workspace}`, { percent: '101' })).toContain('failing_percent');
  });
});

describe('billing audit', () => {
  const audit = () => runCommand({ sql, wallMs: Date.now() }, ['billing', 'audit']);

  it('says what differs, by its exit code too', async () => {
    const workspace = await newBuyer(sql);
    expect(await audit()).toMatchObject({ lines: ['everything adds up', expect.anything()], failed: false });
    await sql`update wallets set paid_paise = 7 where workspace_id = ${workspace}`;
    const { lines, failed } = await audit();
    expect(failed).toBe(true);
    expect(lines.join('\n')).toContain(`${workspace}  the wallet has 7 paid`);
    await sql`update wallets set paid_paise = 0 where workspace_id = ${workspace}`;
    await sql`insert into money_findings (subject, difference, found_at) values ('gateway', 'pay_x was not credited', now())`;
    expect((await audit()).lines.join('\n')).toContain('pay_x was not credited');
  });
});
