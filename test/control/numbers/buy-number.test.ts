import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeCurrency } from '../../../control/billing/change-currency.ts';
import { configuredCarriers } from '../../../control/carriers/configured-carriers.ts';
import { readControlConfig } from '../../../control/config.ts';
import { addNumber } from '../../../control/numbers/connect-number.ts';
import { settleOrder } from '../../../control/numbers/settle-order.ts';
import { insertNumber } from '../../../control/numbers/store.ts';
import { type NumberSimulator, newStock } from '../../../fixtures/simulators/number-stock.ts';
import { startTwilioNumbers } from '../../../fixtures/simulators/twilio-numbers.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';
import { settleAll } from '../../support/number-orders.ts';

const INBOUND = 'https://voice.example.com/carriers/twilio/inbound';
/** A dollar and 15 cents. */
const FEE_PAISE = 10_120;
let twilio: NumberSimulator;
let api: TestApi;
let acme: UserClient;
let settings: Record<string, string>;
let count = 0;

beforeAll(async () => {
  twilio = await startTwilioNumbers({ accountSid: 'AC1', authToken: 'secret' }, newStock([]));
  settings = {
    ...{ PUBLIC_API_URL: 'https://voice.example.com', TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'secret' },
    ...{ TWILIO_API_URL: twilio.url, TWILIO_PRICING_URL: twilio.url },
  };
  api = await startTestApi({}, settings);
});
afterAll(() => twilio.close());
beforeEach(async () => {
  acme = await api.asUser('admin');
  twilio.stock.faults = [];
});

/** A number that a search has just found. */
async function found(by = acme): Promise<string> {
  const number = `+1415${String(5_550_000 + count++)}`;
  twilio.stock.numbers.push({ number, country: 'US', type: 'local', monthly: 1.15 });
  const { body } = await by.send('GET', `/numbers/available?country=US&contains=${number.slice(-7)}`);
  expect(body).toMatchObject([{ number }]);
  return number;
}
const buy = (number: string, by = acme, headers = {}) => by.send('POST', '/numbers', { number }, headers);
const list = async (by = acme) => (await by.send('GET', '/numbers')).body;
const ledger = async () =>
  (
    await api.sql<{ amount_paise: number; free_paise: number }[]>`
    select amount_paise, free_paise from ledger where workspace_id = ${acme.workspace_id} and kind = 'number' order by seq`
  ).map(({ amount_paise }) => amount_paise);
const settle = async () => {
  let shiftedMs = 0;
  const config = readControlConfig({
    ...{ DATABASE_URL: 'x', MEDIA_TOKEN_SECRET: 'x'.repeat(16), RECORDINGS_DIR: 'x', ...settings },
  });
  const clock = { ...systemClock, wall: () => Date.now() + shiftedMs };
  const log = createLogger('control', 'silent');
  await settleAll({ sql: api.sql, clock, log, carriers: await configuredCarriers(config) }, (ms) => {
    shiftedMs += ms;
  });
};

describe('POST /numbers', () => {
  it('buys the number for 30 days, with its calls pointed here', async () => {
    const number = await found();
    const { status, body } = await buy(number);
    expect([status, body]).toMatchObject([
      201,
      {
        ...{ number, country: 'US', type: 'local', provider: 'twilio', status: 'active', agent_id: null },
        ...{ included: false, monthly_fee_paise: FEE_PAISE, currency: 'INR', bought_by: 'The admin' },
      },
    ]);
    const days = (Date.parse(body.paid_until) - Date.parse(body.bought_at)) / 86_400_000;
    expect(Math.round(days)).toBe(30);
    expect([await list(), await ledger()]).toEqual([[body], [-FEE_PAISE]]);
    expect(twilio.stock.held.get(number)?.target).toBe(INBOUND);
  });

  it('is free for the numbers that the plan includes', async () => {
    await api.sql`
      update plans p set included_numbers = 1 from workspaces w where w.plan_id = p.id and w.id = ${acme.workspace_id}`;
    const [first, second] = [await buy(await found()), await buy(await found())];
    await api.sql`update plans set included_numbers = 0`;
    expect(first.body).toMatchObject({ included: true, monthly_fee_paise: 0, paid_until: null });
    expect(second.body).toMatchObject({ included: false, monthly_fee_paise: FEE_PAISE });
    expect(await ledger()).toEqual([-FEE_PAISE]);
  });

  it('refuses a number that no search found, or that somebody bought meanwhile', async () => {
    const refused = { status: 409, body: { detail: 'the number is no longer available' } };
    expect(await buy('+14155559999')).toMatchObject(refused);
    const number = await found();
    twilio.stock.numbers.pop();
    expect(await buy(number)).toMatchObject(refused);
    expect([await list(), await ledger()]).toEqual([[], [-FEE_PAISE, FEE_PAISE]]);
  });

  it("neither changes nor charges a number that the carrier's account has already", async () => {
    const number = await found();
    twilio.stock.held.set(number, { target: 'elsewhere', tag: '' });
    expect((await buy(number)).status).toBe(409);
    expect([twilio.stock.held.get(number)?.target, await ledger()]).toEqual(['elsewhere', []]);
  });

  it('needs credits for the fee', async () => {
    const number = await found();
    await api.sql`update wallets set paid_paise = 100, free_paise = 0 where workspace_id = ${acme.workspace_id}`;
    const detail = 'not enough credits: the number costs 101.20 INR';
    expect(await buy(number)).toMatchObject({ status: 402, body: { detail } });
    expect(twilio.stock.purchases).not.toContain(number);
  });

  it('gives free credits back as free ones', async () => {
    const number = await found();
    await api.sql`update wallets set paid_paise = 0, free_paise = 50000 where workspace_id = ${acme.workspace_id}`;
    twilio.stock.numbers.pop();
    await buy(number);
    const [wallet] =
      await api.sql`select paid_paise, free_paise from wallets where workspace_id = ${acme.workspace_id}`;
    expect(wallet).toEqual({ paid_paise: 0, free_paise: 50_000 });
  });

  it('buys once for the same Idempotency-Key, and for two at once', async () => {
    const number = await found();
    const key = { 'idempotency-key': 'k1' };
    const first = await buy(number, acme, key);
    expect(await buy(number, acme, key)).toMatchObject({ status: 201, body: first.body });
    const raced = await found();
    const other = await api.asUser('admin');
    const answers = await Promise.all([buy(raced), buy(raced, other)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(twilio.stock.purchases.filter((each) => each === number || each === raced)).toHaveLength(2);
  });

  it('is settled later when the answer is lost', async () => {
    const [sold, unsold] = [await found(), await found()];
    twilio.stock.faults = ['lost after', 'lost before'];
    const detail = 'carrier did not answer; try again shortly';
    for (const number of [sold, unsold]) expect(await buy(number)).toMatchObject({ status: 502, body: { detail } });
    expect(await buy(sold)).toMatchObject({ status: 409, body: { detail: 'the number is already being bought' } });
    expect(await list()).toEqual([]);
    await settle();
    expect(await list()).toMatchObject([{ number: sold, monthly_fee_paise: FEE_PAISE }]);
    expect(await ledger()).toEqual([-FEE_PAISE, -FEE_PAISE, FEE_PAISE]);
  });

  describe('whose answer is lost, of a workspace that is closed meanwhile,', () => {
    const closed = async () => {
      const number = await found();
      twilio.stock.faults = ['lost after'];
      await buy(number);
      await api.sql`update workspaces set state = 'closed' where id = ${acme.workspace_id}`;
      return number;
    };
    const rows = async () => [
      ...(await api.sql`select status from numbers where workspace_id = ${acme.workspace_id}`),
      ...(await api.sql`select kind from renewals where workspace_id = ${acme.workspace_id}`),
    ];

    it('gives the fee back, and the number to the carrier', async () => {
      const number = await closed();
      await settle();
      expect([await ledger(), await rows(), twilio.stock.held.has(number)]).toEqual([
        [-FEE_PAISE, FEE_PAISE],
        [],
        false,
      ]);
    });

    it('leaves the number at the carrier when the service has entered it for another workspace', async () => {
      const number = await closed();
      const { workspace_id } = await api.asUser('admin');
      await insertNumber(api.sql, { workspace_id, number, provider: 'twilio', created_at: new Date() });
      await settle();
      expect([await ledger(), await rows(), twilio.stock.held.has(number)]).toEqual([
        [-FEE_PAISE, FEE_PAISE],
        [],
        true,
      ]);
    });

    it('leaves that number there also when the lost answer comes late', async () => {
      const number = await closed();
      const { workspace_id } = await api.asUser('admin');
      await insertNumber(api.sql, { workspace_id, number, provider: 'twilio', created_at: new Date() });
      await settle();
      const [order] = await api.sql<{ id: string }[]>`select id from number_orders where number = ${number}`;
      await settleOrder(api.sql, { workspace_id: acme.workspace_id, id: order!.id }, { bought: true }, Date.now());
      await settle();
      expect(twilio.stock.held.has(number)).toBe(true);
    });
  });

  it('has an invoice in the currency of its charge, also when the workspace pays in another one by then', async () => {
    const number = await found();
    twilio.stock.faults = ['lost after'];
    await buy(number);
    const { workspace_id } = acme;
    await api.sql.begin((tx) => changeCurrency(tx, { workspace_id, to: 'USD', by_name: '', at_ms: Date.now() }));
    await settle();
    const invoices = await api.sql`select amount_paise, currency from invoices where workspace_id = ${workspace_id}`;
    expect([...invoices]).toEqual([{ amount_paise: FEE_PAISE, currency: 'INR' }]);
  });
});

describe('a number whose order waits for its carrier', () => {
  const add = (number: string) =>
    addNumber(api.sql, Date.now(), { number, workspace_id: acme.workspace_id, provider: 'twilio' });

  it('cannot be added while it is released there, and can afterwards', async () => {
    const number = await found();
    await buy(number);
    await acme.send('DELETE', `/numbers/${encodeURIComponent(number)}`);
    const refused = `an order of the number ${number} waits for its carrier: add it when "number audit" lists it no more`;
    expect(await add(number)).toBe(refused);
    expect(await list()).toEqual([]);
    await settle();
    expect([twilio.stock.held.has(number), await add(number)]).toEqual([false, null]);
  });

  it('cannot be added while it is bought there', async () => {
    const number = await found();
    twilio.stock.faults = ['lost after'];
    await buy(number);
    expect(await add(number)).toContain('waits for its carrier');
    await settle();
    expect([await list(), await ledger()]).toMatchObject([[{ number, monthly_fee_paise: FEE_PAISE }], [-FEE_PAISE]]);
  });
});

describe('a bought number', () => {
  it('has its calls pointed here again when it is connected', async () => {
    const number = await found();
    await buy(number);
    twilio.stock.held.get(number)!.target = 'elsewhere';
    const agent_id = (await acme.send('POST', '/agents', { name: 'Asha' })).body.id;
    const connected = await acme.send('POST', `/numbers/${encodeURIComponent(number)}/connect`, { agent_id });
    expect([connected.status, twilio.stock.held.get(number)?.target]).toEqual([200, INBOUND]);
  });

  it('is released at its carrier, without a refund, and can be bought again then', async () => {
    const number = await found();
    await buy(number);
    await acme.send('DELETE', `/numbers/${encodeURIComponent(number)}`);
    expect(await list()).toEqual([]);
    await settle();
    expect([twilio.stock.held.has(number), await ledger()]).toEqual([false, [-FEE_PAISE]]);
    expect((await buy(number)).status).toBe(201);
  });
});
