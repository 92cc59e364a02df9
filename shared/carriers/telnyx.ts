import { carrier } from './manifest.ts';

export const telnyx = carrier({
  name: 'telnyx',
  label: 'Telnyx',
  settings: {
    TELNYX_API_KEY: { default: '', required: true, meaning: 'key of the Telnyx account' },
    TELNYX_CONNECTION_ID: { default: '', required: true, meaning: 'the Call Control application of the numbers' },
    TELNYX_PUBLIC_KEY: {
      default: '',
      required: true,
      meaning: 'checks the signature of webhooks; base64, as the account shows it',
    },
    TELNYX_API_URL: { default: 'https://api.telnyx.com', meaning: "Telnyx's REST API" },
    TELNYX_SAMPLE_RATE: {
      default: '8000',
      meaning: 'of the audio of calls in Hz; `16000` (wideband) where the lines have it',
    },
  },
  pricePerMinute: 2.5,
  capabilities: {
    events: 'callbacks',
    signedCallbacks: true,
    hangUp: true,
    transfers: true,
    numbers: true,
    callOutlivesStream: true,
  },
});
