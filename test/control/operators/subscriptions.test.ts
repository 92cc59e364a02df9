import { beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';
import { giveCredits } from '../../support/credits.ts';
import { renewDue } from '../../support/due-renewals.ts';
import { createOperatorCommand, type OperatorCommand } from '../../support/operator-command.ts';

const DAY_MS = 86_400_000;

let api: TestApi;
let team: OperatorCommand;

beforeAll(async () => {
  api = await startTestApi();
  team = createOperatorCommand(api.sql);
});

async function ownerWith(credits_paise: number): Promise<UserClient> {
  const owner = await api.asUser('owner');
  await api.sql`update wallets set paid_paise = 0, free_paise = 0 where workspace_id = ${owner.workspace_id}`;
  if (credits_paise > 0) await giveCredits(api.sql, owner.workspace_id, credits_paise);
  return owner;
}

const feesOf = async ({ workspace_id }: UserClient) =>
  (await api.sql`select 1 from ledger where workspace_id = ${workspace_id} and kind = 'plan'`).length;

describe('the plan of a workspace', () => {
  it('is set without a charge, and its fee is taken after 30 days', async () => {
    const owner = await ownerWith(300_000);
    await team.operator(`workspace plan ${owner.workspace_id} growth`);
    expect((await owner.send('GET', '/billing/plan')).body).toMatchObject({
      ...{ id: 'growth', plan_minutes_left_seconds: 36_000, next_charge_paise: 299_900 },
      plan_paid_until: expect.any(String),
    });
    expect(await feesOf(owner)).toBe(0);
    expect(await team.trailOf(owner.workspace_id)).toContain('workspace.plan_changed');
    await renewDue(api.sql, Date.now() + 30 * DAY_MS);
    expect(await feesOf(owner)).toBe(1);
  });

  it('may include minutes without a fee, every 30 days', async () => {
    await team.operator('plan set agreed', {
      name: 'Agreed',
      concurrency: '50',
      minutes: '100',
      price: '300',
      custom: 'yes',
    });
    const owner = await ownerWith(0);
    await team.operator(`workspace plan ${owner.workspace_id} agreed`);
    await api.sql`update wallets set plan_seconds_left = 0 where workspace_id = ${owner.workspace_id}`;
    await renewDue(api.sql, Date.now() + 30 * DAY_MS);
    expect((await owner.send('GET', '/billing')).body).toMatchObject({ plan_minutes_left_seconds: 6_000 });
    expect(await feesOf(owner)).toBe(0);
  });

  it('is shown to nobody else when it was made for one customer', async () => {
    await team.operator('plan set acme', { name: 'Acme', concurrency: '50', price: '250', custom: 'yes' });
    const [acme, other] = [await ownerWith(0), await ownerWith(1_000_000)];
    await team.operator(`workspace plan ${acme.workspace_id} acme`);
    const shownTo = async (owner: UserClient) =>
      (await owner.send('GET', '/billing/plans')).body.map(({ id }: { id: string }) => id);
    expect(await shownTo(acme)).toEqual(['starter', 'growth', 'scale', 'enterprise', 'acme']);
    expect(await shownTo(other)).toEqual(['starter', 'growth', 'scale', 'enterprise']);
    const refused = await other.send('POST', '/billing/plan', { plan_id: 'acme' });
    expect(refused).toMatchObject({ status: 404, body: { detail: 'plan not found' } });
  });
});

describe('the price of a workspace', () => {
  it('holds on every plan until it is taken back', async () => {
    const owner = await ownerWith(300_000);
    const { workspace_id } = owner;
    await team.operator(`workspace price ${workspace_id} 375`, { 'browser-price': '300' });
    const priced = { price_per_minute_paise: 375, browser_price_per_minute_paise: 300 };
    const plans = (await owner.send('GET', '/billing/plans')).body;
    expect(plans[0]).toMatchObject(priced);
    expect((await owner.send('POST', '/billing/plan', { plan_id: 'growth' })).body).toMatchObject(priced);
    expect((await owner.send('GET', '/billing')).body).toMatchObject({ price_per_minute_paise: 375 });
    await team.operator(`workspace price ${workspace_id} 380`);
    expect((await owner.send('GET', '/billing/plan')).body).toMatchObject({ browser_price_per_minute_paise: null });
    const { text } = await team.operator(`workspace price ${workspace_id} plan`);
    expect(text).toBe("the plan's price applies");
    expect((await owner.send('GET', '/billing')).body).toMatchObject({ price_per_minute_paise: 475 });
    expect(await team.refusal(`workspace price ${workspace_id} plan`, { 'browser-price': '1' })).toBe(
      '--browser-price goes with a price',
    );
    expect(await team.refusal(`workspace price ${workspace_id} -5`)).toBe('a price is 0 or more');
  });
});

describe('unpaid fees', () => {
  it('are listed, and tried again at once', async () => {
    const owner = await ownerWith(0);
    const { workspace_id } = owner;
    expect((await team.operator(`fee list ${workspace_id}`)).text).toBe('no fees');
    await team.operator(`workspace plan ${workspace_id} growth`);
    // A cycle that ended an hour ago.
    await api.sql`
      update renewals set cycle_end = now() - interval '1 hour', next_attempt_at = now() - interval '1 hour'
      where workspace_id = ${workspace_id}`;
    await renewDue(api.sql, Date.now());
    expect((await team.operator(`fee list ${workspace_id}`)).text).toMatch(/^FEE.*UNPAID SINCE.*\nplan +growth/);
    await giveCredits(api.sql, workspace_id, 299_900);
    expect((await team.operator(`fee retry ${workspace_id}`)).result).toEqual({ workspace_id, retried: 1 });
    await renewDue(api.sql, Date.now());
    expect(await feesOf(owner)).toBe(1);
    const retries = await api.sql`
      select actor_name from audit_events where workspace_id = ${workspace_id} and action = 'fees.retried'`;
    expect([...retries]).toEqual([{ actor_name: 'operator' }]);
  });
});
