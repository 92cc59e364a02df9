import { carrier } from './manifest.ts';

export const plivo = carrier({
  name: 'plivo',
  label: 'Plivo',
  settings: {
    PLIVO_AUTH_ID: { default: '', required: true, meaning: 'the Plivo account' },
    PLIVO_AUTH_TOKEN: { default: '', required: true, meaning: 'its auth token, which also signs callbacks' },
    PLIVO_API_URL: { default: 'https://api.plivo.com', meaning: "Plivo's REST API" },
    PLIVO_APPLICATION_ID: {
      default: '',
      meaning:
        'its application whose answer URL is `PUBLIC_API_URL`/carriers/plivo/inbound; only with it can workspaces buy numbers of Plivo',
    },
    PLIVO_SAMPLE_RATE: {
      default: '8000',
      meaning: 'of the audio of calls in Hz; `16000` (wideband) where the lines have it',
    },
  },
  pricePerMinute: 0.74,
  capabilities: {
    events: 'callbacks',
    signedCallbacks: true,
    hangUp: true,
    transfers: true,
    numbers: true,
    callOutlivesStream: false,
  },
});
