import { carrier } from './manifest.ts';

export const twilio = carrier({
  name: 'twilio',
  label: 'Twilio',
  settings: {
    TWILIO_ACCOUNT_SID: { default: '', required: true, meaning: 'the Twilio account' },
    TWILIO_AUTH_TOKEN: { default: '', required: true, meaning: 'its auth token, which also signs callbacks' },
    TWILIO_API_URL: { default: 'https://api.twilio.com', meaning: "Twilio's REST API, or a regional address of it" },
    TWILIO_PRICING_URL: { default: 'https://pricing.twilio.com', meaning: 'its Pricing API: what numbers cost' },
  },
  pricePerMinute: 3.5,
  capabilities: {
    events: 'callbacks',
    signedCallbacks: true,
    hangUp: true,
    transfers: true,
    numbers: true,
    callOutlivesStream: false,
  },
});
