import { beforeAll, describe, expect, it } from 'vitest';
import { startTestApi, type TestApi } from '../../support/control-app.ts';
import { createOperatorCommand, type OperatorCommand } from '../../support/operator-command.ts';

let api: TestApi;
let operator: OperatorCommand['operator'];
let refusal: OperatorCommand['refusal'];
let trailOf: OperatorCommand['trailOf'];

beforeAll(async () => {
  api = await startTestApi();
  ({ operator, refusal, trailOf } = createOperatorCommand(api.sql));
});

describe('what things cost', () => {
  it('plans: are there, made, changed and given', async () => {
    const plans = (await operator('plan list')).result;
    expect(plans.map(({ id }: { id: string }) => id)).toEqual(['starter', 'growth', 'scale', 'enterprise']);
    expect(plans[1]).toMatchObject({
      prices: { INR: { price_per_minute_paise: 475, browser_price_per_minute_paise: 475, monthly_fee_paise: 299_900 } },
      included_minutes: 600,
      concurrency_limit: 15,
      member_limit: 20,
    });
    const made = { name: 'Large', concurrency: '60', price: '320', members: 'none', custom: 'yes' };
    expect((await operator('plan set large', made)).result).toMatchObject({
      name: 'Large',
      concurrency_limit: 60,
      member_limit: null,
      custom: true,
      prices: { INR: { price_per_minute_paise: 320, browser_price_per_minute_paise: null, monthly_fee_paise: 0 } },
    });
    const dollars = { currency: 'USD', price: '6', 'browser-price': '4', 'monthly-fee': '9900', members: '30' };
    expect((await operator('plan set large', dollars)).result).toMatchObject({
      member_limit: 30,
      prices: { INR: { price_per_minute_paise: 320 }, USD: { price_per_minute_paise: 6, monthly_fee_paise: 9_900 } },
    });
    expect((await operator('plan set large', { currency: 'USD', 'browser-price': 'phone' })).result.prices.USD).toEqual(
      {
        price_per_minute_paise: 6,
        browser_price_per_minute_paise: null,
        monthly_fee_paise: 9_900,
      },
    );
    expect(await refusal('plan set small', { name: 'Small' })).toMatch(/^concurrency_limit: /);
    expect(await refusal('plan set large', { concurrency: '500' })).toMatch(/^concurrency_limit: /);
    expect(await refusal('plan set large', { price: '-1' })).toMatch(/^prices.INR.price_per_minute_paise: /);
    expect(await refusal("plan set 'Not an id'", { ...made })).toMatch(/^id: /);
    expect(await refusal('plan set large', { currency: 'EUR' })).toBe('--currency is INR or USD');

    const owner = await api.asUser('owner');
    await operator(`workspace plan ${owner.workspace_id} large`);
    const [row] = await api.sql`select plan_id, concurrency_limit from workspaces where id = ${owner.workspace_id}`;
    expect(row).toEqual({ plan_id: 'large', concurrency_limit: 60 });
    expect(await refusal(`workspace plan ${owner.workspace_id} nothing`)).toBe('plan nothing not found');
    expect(await trailOf(owner.workspace_id)).toEqual(['workspace.created', 'workspace.plan_changed']);
    const events = await api.sql`select action from service_events where target_id = 'large' order by action`;
    expect(events.map(({ action }) => action)).toEqual(['plan.created', 'plan.updated', 'plan.updated']);
  });

  it('rates: are set and removed', async () => {
    expect((await operator('rate list')).text).toBe('no rates');
    await operator('rate set llm_input 1234.5', { provider: 'groq', model: '*' });
    await operator('rate set llm_input 1300', { provider: 'groq', model: '*' });
    await operator('rate set caller_id 700', { currency: 'USD' });
    expect((await operator('rate list')).result).toMatchObject([
      { component: 'caller_id', provider: '', model: '', currency: 'USD', rate_paise: 700 },
      { component: 'llm_input', provider: 'groq', model: '*', currency: 'INR', rate_paise: 1_300 },
    ]);
    await operator('rate remove caller_id', { currency: 'USD' });
    expect(await refusal('rate remove caller_id', { currency: 'USD' })).toBe('no rate is set for caller_id in USD');
    expect(await refusal('rate set llm_input free')).toBe('a rate is a number, in the smallest unit of money');
    expect(await refusal('rate set tea 5')).toMatch(/^a component is one of transcriber, /);
    const events = await api.sql<{ action: string; changes: object }[]>`
      select action, changes from service_events where target_kind = 'rate' order by action, id`;
    expect(events.map(({ action }) => action)).toEqual(['rate.removed', 'rate.set', 'rate.set', 'rate.set']);
    expect(JSON.stringify(events)).toContain('"rate_paise":[1234.5,1300]');
  });

  it('coupons: are made and switched', async () => {
    const credit = (await operator('coupon add spring-26', { amount: '50000', redemptions: '100' })).result;
    expect(credit).toMatchObject({ code: 'SPRING-26', kind: 'credit', amount_paise: 50_000, once_per_workspace: true });
    const until = '2027-03-31T18:30:00Z';
    const bonus = (await operator('coupon add BONUS', { percent: '20', max: '100000', until, once: 'no' })).result;
    expect(bonus).toMatchObject({ kind: 'topup_bonus', percent: 20, max_paise: 100_000, once_per_workspace: false });
    expect(bonus.valid_until).toEqual(new Date(until));
    expect((await operator('coupon off spring-26')).result.enabled).toBe(false);
    expect((await operator('coupon list')).text).toContain('SPRING-26  off    500.00 INR');
    expect((await operator('coupon on spring-26')).result.enabled).toBe(true);
    expect(await refusal('coupon add Spring-26', { amount: '1' })).toBe('the code SPRING-26 exists already');
    expect(await refusal('coupon add NONE')).toBe('a credit, and only that, has an amount');
    expect(await refusal('coupon add BOTH', { amount: '5', percent: '5' })).toBe(
      'a credit, and only that, has an amount',
    );
    expect(await refusal('coupon add X', { amount: '5' })).toBe('code: a code has 3 to 40 letters, digits and hyphens');
    expect(await refusal('coupon add LATE', { amount: '5', until: 'soon' })).toMatch(/^--until is a time/);
    const backwards = { amount: '5', from: '2027-01-02', until: '2027-01-01' };
    expect(await refusal('coupon add BACK', backwards)).toBe('it would end before it begins');
    expect(await refusal('coupon off NEVER')).toBe('coupon NEVER not found');
    const events = await api.sql`select action from service_events where target_kind = 'coupon' order by action`;
    expect(events.map(({ action }) => action)).toEqual([
      'coupon.created',
      'coupon.created',
      'coupon.switched_off',
      'coupon.switched_on',
    ]);
  });

  it('credits: are granted and adjusted', async () => {
    const { workspace_id } = await api.newWorkspace();
    await operator(`grant add ${workspace_id} 25000 'for the trouble'`);
    await operator(`grant adjust ${workspace_id} 'charged twice'`, { by: '-500' });
    const rows = (await operator(`grant list ${workspace_id}`)).result;
    expect(
      rows.map(({ kind, amount_paise, note }: Record<string, unknown>) => [kind, amount_paise, note]).sort(),
    ).toEqual([
      ['adjustment', -500, 'charged twice'],
      ['grant', 25_000, 'for the trouble'],
      ['grant', 25_000, 'welcome credits'],
    ]);
    const amount = 'an amount is 1 to 1000000000; only an adjustment may be negative';
    expect(await refusal(`grant add ${workspace_id} 0 x`)).toBe(amount);
    expect(await refusal(`grant add ${workspace_id} -5 x`)).toBe(amount);
    expect(await refusal(`grant add ${workspace_id} 99999999999 x`)).toBe(amount);
    expect(await refusal(`grant add ${workspace_id} much x`)).toBe('an amount is a whole number');
    expect(await refusal(`grant adjust ${workspace_id} x`)).toBe('--by is missing');
    expect(await trailOf(workspace_id)).toEqual(['credits.adjusted', 'credits.granted', 'workspace.created']);
  });
});
