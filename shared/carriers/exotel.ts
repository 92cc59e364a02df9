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
        'yours to choose, at least 16 characters: `key=` in the addresses that Exotel calls, which signs nothing',
    },
    EXOTEL_API_URL: {
      default: 'https://api.in.exotel.com',
      meaning: "Exotel's REST API: Mumbai; `https://api.exotel.com` is Singapore",
    },
  },
  pricePerMinute: 0.75,
  capabilities: {
    events: 'callbacks',
    signedCallbacks: false,
    hangUp: false,
    transfers: false,
    numbers: false,
    callOutlivesStream: false,
  },
});
