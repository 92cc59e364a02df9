import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addNumber } from '../../../control/numbers/connect-number.ts';
import { type NumberSimulator, newStock } from '../../../fixtures/simulators/number-stock.ts';
import { startPlivoNumbers } from '../../../fixtures/simulators/plivo-numbers.ts';
import { startTwilioNumbers } from '../../../fixtures/simulators/twilio-numbers.ts';
import { startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';

const stocked = (number: string, country: string, monthly: number, type = 'local' as 'local' | 'toll_free') => ({
  ...{ number, country, monthly, type },
});

let twilio: NumberSimulator;
let plivo: NumberSimulator;
let api: TestApi;
let acme: UserClient;

beforeAll(async () => {
  twilio = await startTwilioNumbers(
    { accountSid: 'AC1', authToken: 'secret' },
    newStock([
      stocked('+14155550101', 'US', 1.15),
      stocked('+14155550102', 'US', 1.15),
      stocked('+18005550103', 'US', 2, 'toll_free'),
    ]),
  );
  plivo = await startPlivoNumbers(
    { authId: 'MA1', authToken: 'secret' },
    newStock([stocked('+14155550201', 'US', 0.5), stocked('+912248900001', 'IN', 2)]),
  );
  api = await startTestApi(
    {},
    {
      ...{ PUBLIC_API_URL: 'https://voice.example.com', TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'secret' },
      ...{ TWILIO_API_URL: twilio.url, TWILIO_PRICING_URL: twilio.url },
      ...{ PLIVO_AUTH_ID: 'MA1', PLIVO_AUTH_TOKEN: 'secret', PLIVO_API_URL: plivo.url, PLIVO_APPLICATION_ID: '77' },
    },
  );
});
afterAll(() => Promise.all([twilio.close(), plivo.close()]));
beforeEach(async () => {
  acme = await api.asUser('admin');
});

const search = (query: string, by = acme) => by.send('GET', `/numbers/available?${query}`);
const numbersOf = async (query: string) => (await search(query)).body.map(({ number }: { number: string }) => number);

describe('GET /numbers/available', () => {
  it('has the numbers of all carriers in turn, with fees in the currency of the workspace', async () => {
    const { status, body } = await search('country=US&type=local');
    const common = { country: 'US', type: 'local', currency: 'INR' };
    expect([status, body]).toEqual([
      200,
      [
        { ...common, number: '+14155550101', provider: 'twilio', monthly_fee_paise: 10_120, setup_fee_paise: 0 },
        { ...common, number: '+14155550201', provider: 'plivo', monthly_fee_paise: 4_400, setup_fee_paise: 4_400 },
        { ...common, number: '+14155550102', provider: 'twilio', monthly_fee_paise: 10_120, setup_fee_paise: 0 },
      ],
    ]);
  });

  it('looks in India for every type when nothing is said', async () => {
    expect(await numbersOf('')).toEqual(['+912248900001']);
    expect(await numbersOf('country=US&type=toll_free')).toEqual(['+18005550103']);
    expect(await numbersOf('country=IN&type=series_140')).toEqual([]);
  });

  it('looks for digits, as many numbers as asked for', async () => {
    expect(await numbersOf('country=US&contains=50102')).toEqual(['+14155550102']);
    expect(await numbersOf('country=US&limit=2')).toHaveLength(2);
  });

  it("shows the operator's rate instead of the carrier's price", async () => {
    await api.sql`
      insert into rates (component, provider, model, currency, rate_paise, updated_at)
      values ('number', 'plivo', '', 'INR', 19900, now())`;
    const { body } = await search('country=IN');
    await api.sql`delete from rates`;
    expect(body).toMatchObject([{ number: '+912248900001', monthly_fee_paise: 19_900, setup_fee_paise: 0 }]);
  });

  it('leaves out what the service has already', async () => {
    const taken = { number: '+14155550101', workspace_id: acme.workspace_id, provider: 'twilio' as const };
    expect(await addNumber(api.sql, Date.now(), taken)).toBeNull();
    expect(await numbersOf('country=US&contains=50101')).toEqual([]);
  });

  it('refuses other countries, digits and lengths', async () => {
    for (const query of ['country=india', 'contains=x', 'limit=51', 'type=pager']) {
      expect((await search(query)).status, query).toBe(422);
    }
  });

  it('goes on without a carrier that does not answer, and is a 502 without any', async () => {
    await twilio.close();
    expect(await numbersOf('country=US')).toEqual(['+14155550201']);
    await plivo.close();
    const detail = 'carrier did not answer; try again shortly';
    expect(await search('country=US')).toMatchObject({ status: 502, body: { detail } });
  });
});
