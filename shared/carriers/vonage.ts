import { carrier } from './manifest.ts';

export const vonage = carrier({
  name: 'vonage',
  label: 'Vonage',
  settings: {
    VONAGE_APPLICATION_ID: { default: '', required: true, meaning: 'the Vonage application' },
    VONAGE_PRIVATE_KEY: { default: '', required: true, meaning: 'its key in PEM; line ends may be written `\\n`' },
    VONAGE_SIGNATURE_SECRET: { default: '', required: true, meaning: 'checks the signature of webhooks' },
    VONAGE_API_URL: { default: 'https://api.nexmo.com', meaning: "Vonage's REST API, or a regional address of it" },
    VONAGE_API_KEY: {
      default: '',
      meaning: 'key of the Vonage account; only with it and `VONAGE_API_SECRET` can workspaces buy numbers of Vonage',
    },
    VONAGE_API_SECRET: { default: '', meaning: 'secret of the Vonage account' },
    VONAGE_NUMBERS_URL: { default: 'https://rest.nexmo.com', meaning: "Vonage's Numbers API" },
    VONAGE_SAMPLE_RATE: {
      default: '8000',
      meaning: 'of the audio of calls in Hz; `16000` (wideband) where the lines have it',
    },
  },
  pricePerMinute: 3,
  capabilities: {
    events: 'callbacks',
    signedCallbacks: true,
    hangUp: true,
    transfers: true,
    numbers: true,
    // Closing the stream would do after another callback; Vonage recommends to hang up.
    callOutlivesStream: true,
  },
});
