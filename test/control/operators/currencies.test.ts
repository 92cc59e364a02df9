import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeCurrency } from '../../../control/billing/change-currency.ts';
import { chargeAnalysis } from '../../../control/billing/charge-analysis.ts';
import { ownPlan } from '../../../control/billing/priced-plans.ts';
import { priceOfTokens } from '../../../control/billing/rates.ts';
import { walletOf } from '../../../control/billing/wallet.ts';
import { pricingOf } from '../../../control/billing/workspace-pricing.ts';
import type { Sql } from '../../../control/db/connect.ts';
import { lockWorkspace } from '../../../control/workspaces/lock-workspace.ts';
import { newId } from '../../../shared/ids.ts';
import { giveWallet } from '../../support/credits.ts';
import { createOperatorCommand, type OperatorCommand } from '../../support/operator-command.ts';
import { eventually } from '../../support/until.ts';
import { type CallFixture, createCallFixture } from '../calls/call-fixture.ts';

let fixture: CallFixture;
let sql: Sql;
let operator: OperatorCommand['operator'];
let refusal: OperatorCommand['refusal'];
let trailOf: OperatorCommand['trailOf'];
let workspaceId: string;

beforeAll(async () => {
  fixture = await createCallFixture();
  ({ sql } = fixture);
  ({ operator, refusal, trailOf } = createOperatorCommand(sql));
});

beforeEach(async () => {
  await sql`delete from rates`;
  workspaceId = newId();
  await sql`insert into workspaces (id, name, state, created_at) values (${workspaceId}, 'Acme', 'active', now())`;
  await giveWallet(sql, workspaceId, 0);
});

const setWallet = (paid: number, free: number) =>
  sql`update wallets set paid_paise = ${paid}, free_paise = ${free} where workspace_id = ${workspaceId}`;

const conversions = () => sql`
  select kind, amount_paise, paid_paise, free_paise, balance_after_paise, currency from ledger
  where workspace_id = ${workspaceId} order by seq`;

describe('the exchange rate', () => {
  it('is the standard one until the operator sets one, which prices of dollars follow', async () => {
    await operator(`workspace currency ${workspaceId} USD`);
    const before = await pricingOf(sql, workspaceId);
    expect(before).toMatchObject({ price_per_minute_paise: 7, rates: { paise_per_dollar: 8_800 } });
    expect((await operator('exchange set USD 110')).text).toBe('1 USD is 110.00 INR from now on');
    const now = await pricingOf(sql, workspaceId);
    expect(now).toMatchObject({ price_per_minute_paise: 5, rates: { paise_per_dollar: 11_000 } });
    expect(now.rates.platform).toBe(Math.ceil((100_000_000 * 100) / 11_000));
    expect((await ownPlan(sql, workspaceId, Date.now())).price_per_minute_paise).toBe(5);
    expect((await operator('exchange list')).result).toEqual({ USD: 11_000, EUR: 10_200 });
  });

  it.each(['0', '0.5', '-3', 'eighty', '1e3', '100000'])('is no %s', async (rupees) => {
    expect(await refusal(`exchange set USD ${rupees}`)).toBe('an exchange rate is a number of rupees, like 88.50');
  });
});

describe('a change of currency', () => {
  it('converts paid and free credits by two rows, there and back', async () => {
    await setWallet(88_004, 25_000);
    await sql`update workspaces set own_price_per_minute_paise = 300 where id = ${workspaceId}`;
    const { text } = await operator(`workspace currency ${workspaceId} USD`);
    expect(text).toBe('the workspace pays in USD; 1130.04 INR became 12.84 USD');
    expect(await conversions()).toMatchObject([
      { kind: 'conversion', amount_paise: -113_004, paid_paise: -88_004, balance_after_paise: 0, currency: 'INR' },
      { kind: 'conversion', amount_paise: 1_284, paid_paise: 1_000, free_paise: 284, currency: 'USD' },
    ]);
    expect(await walletOf(sql, workspaceId)).toMatchObject({ paid_paise: 1_000, free_paise: 284 });
    expect((await pricingOf(sql, workspaceId)).price_per_minute_paise).toBe(4);
    await operator(`workspace currency ${workspaceId} INR`);
    expect(await walletOf(sql, workspaceId)).toMatchObject({ paid_paise: 88_000, free_paise: 24_992 });
    expect(await trailOf(workspaceId)).toEqual(['workspace.currency_changed', 'workspace.currency_changed']);
  });

  it('converts a debt beside free credits, each for itself', async () => {
    await setWallet(-8_800, 880);
    await operator(`workspace currency ${workspaceId} USD`);
    expect(await walletOf(sql, workspaceId)).toMatchObject({ paid_paise: -100, free_paise: 10 });
    expect((await conversions()).map(({ amount_paise }) => amount_paise)).toEqual([7_920, -90]);
  });

  it('is refused to the same currency, during a call, and while a batch runs', async () => {
    expect(await refusal(`workspace currency ${workspaceId} INR`)).toBe('the workspace pays in INR already');
    expect(await refusal(`workspace currency ${workspaceId} EUR`)).toBe('--currency is INR or USD');
    const tenant = await fixture.tenant();
    await fixture.opened(tenant);
    expect(await refusal(`workspace currency ${tenant.workspace_id} USD`)).toContain('1 live calls');
    const batch = {
      ...{ workspace_id: workspaceId, id: newId(), agent_id: tenant.agent_id, agent_name: 'A', name: 'B' },
      ...{ from_numbers: [], webhook_url: '', max_attempts: 1, retry_after_minutes: 60, retry_on: [], total: 0 },
      ...{ currency: 'INR', created_by: 'tests', created_at: new Date(), keys: [], status: 'running' },
    };
    await sql`insert into batches ${sql(batch as never)}`;
    expect(await refusal(`workspace currency ${workspaceId} USD`)).toContain('a batch of the workspace is running');
    expect(await conversions()).toEqual([]);
  });

  it('is refused while the legs of a transfer are not charged', async () => {
    const tenant = await fixture.tenant();
    const { id: call_id } = await fixture.opened(tenant);
    await sql`update calls set status = 'completed', ended_at = now() where id = ${call_id}`;
    await sql`
      insert into transfers (workspace_id, call_id, id, provider, warm, name, number, reason, summary, language, state, state_at,
        status, settled_at, started_at, caller_left_at)
      values (${tenant.workspace_id}, ${call_id}, ${newId()}, 'twilio', false, 'A', '+1', '', '', 'en', 'talking', now(), 'answered', now(),
        now(), now())`;
    expect(await refusal(`workspace currency ${tenant.workspace_id} USD`)).toContain(
      'a transferred call is not charged yet',
    );
  });

  it('leaves no charge in the other currency that was under way', async () => {
    await setWallet(880_000, 0);
    const run = { provider: 'openai', model: 'gpt-4.1-mini', input_tokens: 50_000_000, output_tokens: 0 };
    const charged = { workspace_id: workspaceId, call_id: newId(), run_id: newId(), ...run, at_ms: Date.now() };
    let charge: Promise<number> | undefined;
    await sql.begin(async (tx) => {
      await lockWorkspace(tx, workspaceId);
      await changeCurrency(tx, { workspace_id: workspaceId, to: 'USD', by_name: '', at_ms: Date.now() });
      charge = sql.begin((other) => chargeAnalysis(other, charged));
      await eventually('the charge that waits', 60_000, async () => {
        const [waiting] = await sql`
          select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        return waiting;
      });
    });
    const { rates } = await pricingOf(sql, workspaceId);
    expect(await charge).toBe(priceOfTokens(run, rates));
    expect((await conversions()).at(-1)).toMatchObject({ kind: 'call', currency: 'USD' });
  });
});
