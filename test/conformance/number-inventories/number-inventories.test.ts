import { exotelNumbers } from '../../../control/carriers/exotel-numbers.ts';
import { plivoNumbers } from '../../../control/carriers/plivo-numbers.ts';
import { telnyxNumbers } from '../../../control/carriers/telnyx-numbers.ts';
import { twilioNumbers } from '../../../control/carriers/twilio-numbers.ts';
import { vonageNumbers } from '../../../control/carriers/vonage-numbers.ts';
import { startExotelNumbers } from '../../../fixtures/simulators/exotel-numbers.ts';
import { startPlivoNumbers } from '../../../fixtures/simulators/plivo-numbers.ts';
import { startTelnyxNumbers } from '../../../fixtures/simulators/telnyx-numbers.ts';
import { startTwilioNumbers } from '../../../fixtures/simulators/twilio-numbers.ts';
import { startVonageNumbers } from '../../../fixtures/simulators/vonage-numbers.ts';
import { describeInventory } from '../number-inventory-suite.ts';

const inbound_url = 'https://voice.example.com/carriers/twilio/inbound';

describeInventory({
  name: 'twilio',
  start: (stock) => startTwilioNumbers({ accountSid: 'AC1', authToken: 'secret' }, stock),
  inventory: (url) =>
    twilioNumbers({ account_sid: 'AC1', auth_token: 'secret', api_url: url, pricing_url: url, inbound_url }),
  target: inbound_url,
  price: { monthly: 1.15, setup: 0, currency: 'USD' },
});

describeInventory({
  name: 'plivo',
  start: (stock) => startPlivoNumbers({ authId: 'MA1', authToken: 'secret' }, stock),
  inventory: (url) => plivoNumbers({ auth_id: 'MA1', auth_token: 'secret', api_url: url, application_id: '77' }),
  target: '77',
  price: { monthly: 1.15, setup: 0.5, currency: 'USD' },
});

describeInventory({
  name: 'telnyx',
  start: (stock) => startTelnyxNumbers({ apiKey: 'key' }, stock),
  inventory: (url) => telnyxNumbers({ api_key: 'key', api_url: url, connection_id: '99', pause: async () => {} }),
  target: '99',
  price: { monthly: 1.15, setup: 0.5, currency: 'USD' },
});

describeInventory({
  name: 'vonage',
  start: (stock) => startVonageNumbers({ apiKey: 'key', apiSecret: 'secret' }, stock),
  inventory: (url) =>
    vonageNumbers({ api_key: 'key', api_secret: 'secret', numbers_url: url, application_id: 'an-application' }),
  target: 'an-application',
  price: { monthly: 1.15, setup: 0.5, currency: 'EUR' },
  documentsUnknown: true,
});

describeInventory({
  name: 'exotel',
  start: (stock) => startExotelNumbers({ accountSid: 'acme1', apiKey: 'key', apiToken: 'secret' }, stock),
  inventory: (url) =>
    exotelNumbers({ account_sid: 'acme1', api_key: 'key', api_token: 'secret', api_url: url, app_id: '4711' }),
  target: 'http://my.exotel.com/acme1/exoml/start_voice/4711',
  price: { monthly: 1.15, setup: 0, currency: 'INR' },
  documentsUnknown: true,
});
