import { plivoNumbers } from '../../../control/carriers/plivo-numbers.ts';
import { twilioNumbers } from '../../../control/carriers/twilio-numbers.ts';
import { startPlivoNumbers } from '../../../fixtures/simulators/plivo-numbers.ts';
import { startTwilioNumbers } from '../../../fixtures/simulators/twilio-numbers.ts';
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
