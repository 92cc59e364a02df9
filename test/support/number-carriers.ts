import { exotelNumbers } from '../../control/carriers/exotel-numbers.ts';
import type { NumberInventory } from '../../control/carriers/number-inventory.ts';
import { plivoNumbers } from '../../control/carriers/plivo-numbers.ts';
import { telnyxNumbers } from '../../control/carriers/telnyx-numbers.ts';
import { twilioNumbers } from '../../control/carriers/twilio-numbers.ts';
import { vonageNumbers } from '../../control/carriers/vonage-numbers.ts';
import { startExotelNumbers } from '../../fixtures/simulators/exotel-numbers.ts';
import { type NumberSimulator, newStock } from '../../fixtures/simulators/number-stock.ts';
import { startPlivoNumbers } from '../../fixtures/simulators/plivo-numbers.ts';
import { startTelnyxNumbers, type TelnyxOrders } from '../../fixtures/simulators/telnyx-numbers.ts';
import { startTwilioNumbers } from '../../fixtures/simulators/twilio-numbers.ts';
import { startVonageNumbers } from '../../fixtures/simulators/vonage-numbers.ts';

/** All carriers that rent numbers, simulated, each with an inventory over it. */

export const RENTING_CARRIERS = ['twilio', 'plivo', 'telnyx', 'vonage', 'exotel'] as const;
export type RentingCarrier = (typeof RENTING_CARRIERS)[number];

export interface NumberCarriers {
  simulators: Record<RentingCarrier, NumberSimulator>;
  inventories: Record<RentingCarrier, NumberInventory>;
  /** How Telnyx decides orders. */
  telnyxOrders: TelnyxOrders;
  close(): Promise<void>;
}

export async function startNumberCarriers(): Promise<NumberCarriers> {
  const telnyxOrders = { looksUntilDecided: 1, fail: false, keepsPending: false };
  const simulators = {
    twilio: await startTwilioNumbers({ accountSid: 'AC1', authToken: 'secret' }, newStock([])),
    plivo: await startPlivoNumbers({ authId: 'MA1', authToken: 'secret' }, newStock([])),
    telnyx: await startTelnyxNumbers({ apiKey: 'key' }, newStock([]), telnyxOrders),
    vonage: await startVonageNumbers({ apiKey: 'key', apiSecret: 'secret' }, newStock([])),
    exotel: await startExotelNumbers({ accountSid: 'acme1', apiKey: 'key', apiToken: 'secret' }, newStock([])),
  };
  const { twilio, plivo, telnyx, vonage, exotel } = simulators;
  const inventories = {
    twilio: twilioNumbers({
      ...{ account_sid: 'AC1', auth_token: 'secret', api_url: twilio.url, pricing_url: twilio.url },
      inbound_url: 'https://voice.example.com/inbound',
    }),
    plivo: plivoNumbers({ auth_id: 'MA1', auth_token: 'secret', api_url: plivo.url, application_id: '77' }),
    telnyx: telnyxNumbers({ api_key: 'key', api_url: telnyx.url, connection_id: '99', pause: async () => {} }),
    vonage: vonageNumbers({ api_key: 'key', api_secret: 'secret', numbers_url: vonage.url, application_id: 'app' }),
    exotel: exotelNumbers({
      ...{ account_sid: 'acme1', api_key: 'key', api_token: 'secret', api_url: exotel.url, app_id: '4711' },
    }),
  };
  return {
    ...{ simulators, inventories, telnyxOrders },
    close: async () => {
      await Promise.all(Object.values(simulators).map(({ close }) => close()));
    },
  };
}

/** Puts a number into a carrier's stock. Telnyx sells only what a search has shown. */
export async function stockNumber(
  { simulators, inventories }: NumberCarriers,
  carrier: RentingCarrier,
  number: string,
) {
  simulators[carrier].stock.numbers.push({ number, country: 'US', type: 'local', monthly: 1 });
  if (carrier !== 'telnyx') return;
  await inventories.telnyx.search({ country: 'US', type: 'local', contains: number.slice(1), limit: 20 });
}
