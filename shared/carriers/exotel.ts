import { carrier } from './manifest.ts';

export const exotel = carrier({
  name: 'exotel',
  label: 'Exotel',
  settings: {
    EXOTEL_ACCOUNT_SID: { default: '', required: true, meaning: 'the Exotel account' },
    EXOTEL_API_KEY: { default: '', required: true, meaning: 'key of its API' },
    EXOTEL_API_TOKEN: { default: '', required: true, meaning: 'token of its API' },
    EXOTEL_CALLBACK_KEY: {
      default: '',
      meaning:
        'yours to choose, at least 16 characters: `key=` in the addresses that Exotel calls, which signs nothing; several of as many with commas, the newest first, while one is replaced; `./operator callback-key new` gives a number its own',
    },
    EXOTEL_API_URL: {
      default: 'https://api.in.exotel.com',
      meaning: "Exotel's REST API: Mumbai; `https://api.exotel.com` is Singapore",
    },
    EXOTEL_APP_ID: {
      default: '',
      meaning:
        'its flow with the Voicebot applet (`app_id` in its address); only with it can workspaces buy numbers of Exotel',
    },
  },
  pricePerMinute: 0.75,
  capabilities: {
    events: 'callbacks',
    signedCallbacks: false,
    hangUp: false,
    transfers: false,
    numbers: true,
    callOutlivesStream: false,
  },
});
