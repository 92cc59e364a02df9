import { carrier } from './manifest.ts';

export const plivo = carrier({
  name: 'plivo',
  label: 'Plivo',
  settings: {
    PLIVO_AUTH_ID: { default: '', required: true, meaning: 'the Plivo account' },
    PLIVO_AUTH_TOKEN: { default: '', required: true, meaning: 'its auth token, which also signs callbacks' },
    PLIVO_API_URL: { default: 'https://api.plivo.com', meaning: "Plivo's REST API" },
  },
  pricePerMinute: 0.74,
  capabilities: {
    events: 'callbacks',
    signedCallbacks: true,
    hangUp: true,
    transfers: true,
    callOutlivesStream: false,
  },
});
