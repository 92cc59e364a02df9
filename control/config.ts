import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { port, readEnv } from '../shared/env.ts';
import { LANGUAGE_MODEL_SETTINGS } from '../shared/llm/model-settings.ts';
import { RECORDING_SETTINGS } from '../shared/recordings/store-settings.ts';

/** The control plane's settings, all from the environment. */
const SETTINGS = z.object({
  API_HOST: z.string().default('127.0.0.1'),
  API_PORT: port(7080),
  DATABASE_URL: z.string(),
  NATS_URL: z.string().default('127.0.0.1:4222'),
  MEDIA_TOKEN_SECRET: z.string().min(16, 'needs at least 16 characters, the same in media and control'),
  ...RECORDING_SETTINGS,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error']).default('info'),
  /** Pages of other origins that may use the API from a browser, like `https://console.example.com`; comma-separated. */
  CONSOLE_ORIGINS: z.string().default(''),
  /** Seals webhook secrets in the database; several with commas, the newest first. Empty: MEDIA_TOKEN_SECRET does. */
  SECRETS_KEY: z.string().default(''),
  /** Networks that webhooks may reach although they are not public, like `10.1.0.0/16,10.2.3.4`; as media's setting. */
  FETCH_ALLOW: z.string().default(''),
  /** Proxies whose X-Forwarded-For tells the client's address: addresses or networks, comma-separated; nobody else's is believed. */
  TRUSTED_PROXIES: z.string().default(''),
  /** `smtp://user:password@host:587` or `smtps://…:465`; empty: letters are written as files to MAIL_DIR. */
  SMTP_URL: z.union([z.literal(''), z.url({ protocol: /^smtps?$/ })]).default(''),
  MAIL_FROM: z.string().default('Voice Agent Service <no-reply@localhost>'),
  MAIL_DIR: z.string().default('.antiphon/mail'),
  /** How carriers reach this API: callbacks are built from it and their signatures checked against it. */
  PUBLIC_API_URL: z.string().default(''),
  /** How carriers reach media, `wss://…` (`ws://` on a machine of one's own). */
  PUBLIC_MEDIA_URL: z.string().default('ws://127.0.0.1:7070'),
  /** Relays for browsers that cannot reach the engine directly: `turn:host:3478,stun:host:3478`. */
  ICE_SERVERS: z.string().default(''),
  /** Shared with the TURN servers of ICE_SERVERS, from which each call's credentials are made; empty: they want none. */
  TURN_SECRET: z.string().default(''),
  /** Where engines have addresses of their own, as the web page's policy names them: `wss://*.media.example.com`, comma-separated. */
  ENGINE_ORIGINS: z.string().default(''),
  /** Where the built web page lies. */
  CONSOLE_DIR: z.string().default(fileURLToPath(new URL('../console/dist', import.meta.url))),

  /** Of an OpenAI-compatible API, like `https://api.openai.com/v1`; empty: knowledge is searched by words only. */
  EMBEDDINGS_URL: z.string().default(''),
  EMBEDDINGS_API_KEY: z.string().default(''),
  EMBEDDINGS_MODEL: z.string().default('text-embedding-3-small'),

  /** `provider/model` of the language model that writes prompts from a brief; empty: nobody does. */
  COMPOSER_MODEL: z.string().default(''),
  /** `provider/model` that checks calls against the guardrails, at the service's cost; empty: each agent's own model does. */
  GUARDRAIL_MODEL: z.string().default(''),
  ...LANGUAGE_MODEL_SETTINGS,

  TWILIO_ACCOUNT_SID: z.string().default(''),
  TWILIO_AUTH_TOKEN: z.string().default(''),
  TWILIO_API_URL: z.string().default('https://api.twilio.com'),
  PLIVO_AUTH_ID: z.string().default(''),
  PLIVO_AUTH_TOKEN: z.string().default(''),
  PLIVO_API_URL: z.string().default('https://api.plivo.com'),
  TELNYX_API_KEY: z.string().default(''),
  TELNYX_CONNECTION_ID: z.string().default(''),
  TELNYX_PUBLIC_KEY: z.string().default(''),
  TELNYX_API_URL: z.string().default('https://api.telnyx.com'),
  VONAGE_APPLICATION_ID: z.string().default(''),
  VONAGE_PRIVATE_KEY: z.string().default(''),
  VONAGE_SIGNATURE_SECRET: z.string().default(''),
  VONAGE_API_URL: z.string().default('https://api.nexmo.com'),
  EXOTEL_ACCOUNT_SID: z.string().default(''),
  EXOTEL_API_KEY: z.string().default(''),
  EXOTEL_API_TOKEN: z.string().default(''),
  EXOTEL_API_URL: z.string().default('https://api.in.exotel.com'),
  /** Ours to choose; stands as `key=` in the addresses that Exotel calls. */
  EXOTEL_CALLBACK_KEY: z.string().default(''),
  /** Of an Asterisk of one's own, as docs/asterisk.md tells: `http://127.0.0.1:8088/ari`. */
  ASTERISK_ARI_URL: z.string().default(''),
  ASTERISK_ARI_USER: z.string().default(''),
  ASTERISK_ARI_PASSWORD: z.string().default(''),
  /** As in the dialplan's `Stasis(…)`. */
  ASTERISK_APP: z.string().default('antiphon'),
  /** Whom to dial; `{number}` has the plus, `{digits}` has not. */
  ASTERISK_ENDPOINT: z.string().default('PJSIP/{number}@trunk'),
  /** The section of websocket_client.conf that leads to media. */
  ASTERISK_MEDIA_CONNECTION: z.string().default('antiphon'),
});

export type ControlConfig = z.output<typeof SETTINGS>;

export function readControlConfig(env: Record<string, string | undefined> = process.env): ControlConfig {
  return readEnv(SETTINGS, env);
}
