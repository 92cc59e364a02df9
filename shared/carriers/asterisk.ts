import { carrier } from './manifest.ts';

export const asterisk = carrier({
  name: 'asterisk',
  label: 'Asterisk',
  settings: {
    ASTERISK_ARI_URL: {
      default: '',
      required: true,
      meaning: 'your own Asterisk (docs/asterisk.md), like `http://127.0.0.1:8088/ari`',
    },
    ASTERISK_ARI_CA_FILE: {
      default: '',
      meaning:
        'authorities (PEM) that sign its certificate, instead of the public ones, where the address is `https://`',
    },
    ASTERISK_ARI_USER: { default: '', required: true, meaning: 'a user of its ari.conf' },
    ASTERISK_ARI_PASSWORD: { default: '', required: true, meaning: "that user's password" },
    ASTERISK_APP: { default: 'antiphon', meaning: "the application, as in the dialplan's `Stasis(…)`" },
    ASTERISK_ENDPOINT: {
      default: 'PJSIP/{number}@trunk',
      meaning: 'whom to dial; `{number}` has the plus, `{digits}` has not',
    },
    ASTERISK_MEDIA_CONNECTION: {
      default: 'antiphon',
      meaning: "the section of websocket_client.conf that leads to media; `{port}` stands for the engine's port",
    },
    ASTERISK_SAMPLE_RATE: {
      default: '8000',
      meaning: 'of the audio of calls in Hz; `16000` (wideband) where the lines have it',
    },
  },
  pricePerMinute: 0,
  capabilities: {
    events: 'connection',
    signedCallbacks: false,
    hangUp: true,
    transfers: true,
    numbers: false,
    callOutlivesStream: false,
  },
});
