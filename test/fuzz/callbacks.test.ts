import { beforeAll, expect, it } from 'vitest';
import { razorpaySignature } from '../../fixtures/simulators/razorpay-state.ts';
import { type FormFields, plivoSignatureV3, twilioSignature } from '../../fixtures/simulators/signatures.ts';
import { stripeSignature } from '../../fixtures/simulators/stripe-state.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/log.ts';
import { request, startTestApi, type TestApi, type UserClient } from '../support/control-app.ts';
import { furnish } from '../support/furnish.ts';
import { createDraws, type Draws } from './draws.ts';
import { bentJson, damaged, hostileString } from './hostile-json.ts';
import { createTally, requestsOf, SEED } from './tally.ts';

/** Callbacks of carriers and payment gateways, most of them rightly signed: none is a 500. SEED, COUNT. */

const PUBLIC = 'https://api.example.com';
const KEY = 'k'.repeat(16);
const SETTINGS = {
  PUBLIC_API_URL: PUBLIC,
  SECRETS_KEY: 's'.repeat(32),
  ...{ TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'tw', TWILIO_API_URL: 'http://127.0.0.1:9' },
  ...{ PLIVO_AUTH_ID: 'MA1', PLIVO_AUTH_TOKEN: 'pl', PLIVO_API_URL: 'http://127.0.0.1:9' },
  ...{
    EXOTEL_ACCOUNT_SID: 'E1',
    EXOTEL_API_KEY: 'k',
    EXOTEL_API_TOKEN: 't',
    EXOTEL_CALLBACK_KEY: KEY,
    EXOTEL_APP_ID: '1',
  },
  EXOTEL_API_URL: 'http://127.0.0.1:9',
  ...{ RAZORPAY_KEY_ID: 'rzp_test_1', RAZORPAY_KEY_SECRET: 'rk', RAZORPAY_WEBHOOK_SECRET: 'rw' },
  ...{ STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec', RAZORPAY_API_URL: 'http://127.0.0.1:9' },
  STRIPE_API_URL: 'http://127.0.0.1:9',
};
const FORM = 'application/x-www-form-urlencoded';

let api: TestApi;
let owner: UserClient;
let callIds: string[];
const errors: string[] = [];

beforeAll(async () => {
  const log = createLogger('control', 'error', { write: (line: string) => void errors.push(line) });
  api = await startTestApi({}, SETTINGS, { log });
  owner = await api.asUser('owner');
  await furnish(api.sql, owner, '+911140000001');
  callIds = (await api.sql<{ id: string }[]>`select id from calls`).map(({ id }) => id);
});

interface Callback {
  method: 'POST' | 'GET';
  url: string;
  payload?: string | Buffer;
  headers: Record<string, string>;
}

const FIELDS: Record<string, readonly string[]> = {
  CallSid: ['CA1', 'CA2'],
  CallUUID: ['u1'],
  From: ['+919811112222', '09811112222'],
  To: ['+911140000001'],
  CallFrom: ['09811112222'],
  CallTo: ['01140000001'],
  Direction: ['inbound', 'outbound-api', 'outbound-dial'],
  CallStatus: ['ringing', 'in-progress', 'completed', 'busy', 'no-answer', 'failed'],
  Status: ['completed', 'no-answer'],
  EventType: ['terminal', 'answered'],
  Event: ['StartApp', 'Hangup', 'DialAnswer'],
  Duration: ['12'],
  CallDuration: ['12'],
  DialCallStatus: ['completed', 'busy'],
  SequenceNumber: ['0'],
};

function fieldsOf(draws: Draws): FormFields {
  const fields = Object.entries(FIELDS)
    .filter(() => draws.chance(0.7))
    .map(([name, values]) => [name, draws.chance(0.8) ? draws.pick(values) : hostileString(draws)] as const);
  if (draws.chance(0.1)) fields.push([hostileString(draws).slice(0, 50), hostileString(draws)]);
  if (draws.chance(0.05)) fields.push(['CallSid', 'twice']);
  return fields.map(([name, value]) => [name, value.toWellFormed()] as const);
}

function fromCarrier(draws: Draws): Callback {
  const carrier = draws.pick(['twilio', 'plivo', 'exotel', 'exotel', '__proto__']);
  const kind = draws.pick(['inbound', 'answer', 'status']);
  const callId = draws.chance(0.7)
    ? draws.pick(callIds)
    : draws.pick([newId(), '', '%00', '__proto__', 'x'.repeat(70)]);
  const key = carrier === 'exotel' ? `&key=${draws.chance(0.95) ? KEY : 'x'}` : '';
  const url = `/carriers/${carrier}/${kind}?call_id=${callId}${key}`;
  const fields = fieldsOf(draws);
  const asJson = draws.chance(0.1);
  const body = asJson
    ? bentJson(draws, Object.fromEntries(fields), 0.2)
    : new URLSearchParams(fields as [string, string][]).toString();
  const headers: Record<string, string> = { 'content-type': asJson ? 'application/json' : FORM };
  if (carrier === 'twilio') headers['x-twilio-signature'] = twilioSignature('tw', PUBLIC + url, asJson ? [] : fields);
  if (carrier === 'plivo') {
    const nonce = String(draws.below(1e9));
    headers['x-plivo-signature-v3-nonce'] = nonce;
    headers['x-plivo-signature-v3'] = plivoSignatureV3('pl', 'POST', PUBLIC + url, nonce, asJson ? [] : fields);
  }
  if (carrier === 'exotel' && draws.chance(0.3)) {
    const query = new URLSearchParams(fields as [string, string][]).toString();
    return { method: 'GET', url: `${url}&${query}`.slice(0, 8_000), headers: {} };
  }
  return { method: 'POST', url, payload: draws.chance(0.95) ? body : damaged(draws, body), headers };
}

const PAYMENT = { id: 'pay_1', order_id: 'order_1', amount: 10_000, currency: 'INR', status: 'captured', notes: [] };
const RAZORPAY_EVENTS = [
  'payment.captured',
  'payment.failed',
  'order.paid',
  'refund.processed',
  'payment.dispute.created',
];
const STRIPE_EVENTS = [
  'checkout.session.completed',
  'charge.refunded',
  'charge.dispute.created',
  'payment_intent.payment_failed',
];

function fromGateway(draws: Draws): Callback {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  const refund = { id: 'rfnd_1', payment_id: 'pay_1', amount: 100, status: 'processed' };
  const razorpay = {
    ...{ entity: 'event', event: draws.pick(RAZORPAY_EVENTS), created_at: 1_790_000_000 },
    payload: { payment: { entity: PAYMENT }, order: { entity: { id: 'order_1' } }, refund: { entity: refund } },
  };
  const session = { id: 'cs_1', payment_intent: 'pi_1', amount_total: 100, currency: 'usd', payment_status: 'paid' };
  const stripe = {
    ...{ id: 'evt_1', type: draws.pick(STRIPE_EVENTS), created: 1_790_000_000 },
    data: { object: { ...session, amount_refunded: 50, refunds: { data: [{ id: 're_1', amount: 50 }] } } },
  };
  const gateway = draws.pick(['razorpay', 'stripe', 'x']);
  const text = bentJson(draws, gateway === 'stripe' ? stripe : razorpay, draws.pick([0, 0.05, 0.3]));
  const seconds = Math.floor(Date.now() / 1000);
  headers['x-razorpay-signature'] = razorpaySignature('rw', text);
  headers['x-razorpay-event-id'] = draws.chance(0.8)
    ? newId()
    : hostileString(draws)
        .replace(/[^\x20-\x7e]/g, '')
        .slice(0, 500);
  headers['stripe-signature'] = draws.chance(0.9)
    ? stripeSignature(['whsec'], seconds, text)
    : draws.pick(['', 't=', 't=x,v1=', ',,,=']);
  return { method: 'POST', url: `/hooks/payments/${gateway}`, payload: text, headers };
}

it.each([
  ['carriers', fromCarrier],
  ['payment gateways', fromGateway],
] as const)(
  'no callback of %s is a 500',
  async (who, anyCallback) => {
    const total = requestsOf(400);
    const tally = createTally(`callbacks of ${who}`, total);
    const draws = createDraws(SEED);
    for (let count = 0; count < total; count++) {
      const callback = anyCallback(draws);
      const before = process.cpuUsage();
      const { status, headers } = await request(api.http, callback);
      const { user, system } = process.cpuUsage(before);
      tally.add(status < 500 ? `${Math.floor(status / 100)}xx` : status, (user + system) / 1000);
      // A busy machine may have no free connection to the database in time.
      const isBusy = status === 503 && headers['retry-after'] !== undefined;
      if (status >= 500 && status !== 502 && !isBusy)
        tally.found(`${status} ${JSON.stringify(callback).slice(0, 800)} ${errors.at(-1)}`);
      errors.length = 0;
    }
    expect(tally.end()).toEqual([]);
  },
  86_400_000,
);
