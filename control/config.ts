import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { BUS_SETTINGS } from '../shared/bus/settings.ts';
import { CARRIERS } from '../shared/carriers/registry.ts';
import { EGRESS_SETTINGS } from '../shared/egress-proxy.ts';
import { port, readEnv } from '../shared/env.ts';
import { mediaTokenSecrets } from '../shared/media-token.ts';
import { METRICS_SETTINGS } from '../shared/metrics-listener.ts';
import { LANGUAGE_MODEL_SETTINGS, SPEECH_SETTINGS, settingsShape } from '../shared/providers/settings.ts';
import { RECORDING_SETTINGS } from '../shared/recordings/store-settings.ts';
import { TELEMETRY_SETTINGS } from '../shared/telemetry/telemetry-settings.ts';
import { TLS_SETTINGS } from '../shared/tls-certificate.ts';

/** Control's settings, all from the environment. Those of carriers and providers are declared in their manifests. */
const SETTINGS = z.object({
  API_HOST: z.string().default('127.0.0.1'),
  API_PORT: port(7080),
  ...TLS_SETTINGS,
  ...METRICS_SETTINGS,
  ...TELEMETRY_SETTINGS,
  /** Processes that serve the API, beside the one for calls; 0: that one does. */
  API_PROCESSES: z.coerce.number().int().min(0).max(32).default(1),
  DATABASE_URL: z.string(),
  /** Connections of each pool, like `calls=10,api=20`; see `db/pools.ts`. */
  DATABASE_CONNECTIONS: z.string().default(''),
  /** After how many seconds a statement is canceled, by pool. */
  DATABASE_STATEMENT_SECONDS: z.string().default(''),
  /** What DATABASE_URL is the address of: PostgreSQL itself, or a pooler that gives a transaction any free connection. */
  DATABASE_POOLER: z.enum(['', 'transaction']).default(''),
  ...BUS_SETTINGS,
  MEDIA_TOKEN_SECRET: mediaTokenSecrets,
  ...RECORDING_SETTINGS,
  /** Days for which calls of workspaces without a time of their own are kept; 0: for ever. */
  CALL_RETENTION_DAYS: z.coerce.number().int().min(0).max(3_650).default(0),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error']).default('info'),
  /** Origins whose pages may use the API from a browser, like `https://console.example.com`; comma-separated. */
  CONSOLE_ORIGINS: z.string().default(''),
  /** `optional`: people may spend, invite and make keys before they confirmed their address. */
  VERIFIED_EMAIL: z.enum(['required', 'optional']).default('required'),
  /** After so many days a session ends, however much it is used. */
  SESSION_MAX_DAYS: z.coerce.number().int().min(30).max(3_650).default(90),
  /** Seals secrets in the database; several with commas, the newest first. Required where other machines reach control. */
  SECRETS_KEY: z.string().default(''),
  /** Reads a key of SECRETS_KEY, without its `kms:`, from its standard input and writes the opened key. */
  SECRETS_KMS_COMMAND: z.string().default(''),
  /** Private networks that webhooks may reach, like `10.1.0.0/16,10.2.3.4`; the same setting as media's. */
  FETCH_ALLOW: z.string().default(''),
  ...EGRESS_SETTINGS,
  /** What uploads of a process may hold in memory together; beyond it they are asked to come again. */
  UPLOAD_MEMORY_MB: z.coerce.number().int().min(32).max(65_536).default(256),
  /** Proxies whose X-Forwarded-For is trusted: addresses or networks, comma-separated. */
  TRUSTED_PROXIES: z.string().default(''),
  /** `smtp://user:password@host:587` or `smtps://…:465`; empty: emails are written as files to MAIL_DIR. */
  SMTP_URL: z.union([z.literal(''), z.url({ protocol: /^smtps?$/ })]).default(''),
  MAIL_FROM: z.string().default('Voice Agent Service <no-reply@localhost>'),
  MAIL_DIR: z.string().default('.antiphon/mail'),
  /** How carriers reach this API: callback URLs are built from it and their signatures checked against it. */
  PUBLIC_API_URL: z.url({ protocol: /^https?$/, error: 'is an address such as https://voice.example.com' }).default(''),
  /** How carriers reach media, `wss://…` (`ws://` on one machine). */
  PUBLIC_MEDIA_URL: z
    .url({ protocol: /^wss?$/, error: 'is an address such as wss://media.example.com' })
    .default('ws://127.0.0.1:7070'),
  /** TURN and STUN servers for browsers that cannot reach the engine directly: `turn:host:3478,stun:host:3478`. */
  ICE_SERVERS: z.string().default(''),
  /** Shared with the TURN servers of ICE_SERVERS; each call's credentials are made from it. Empty: no credentials. */
  TURN_SECRET: z.string().default(''),
  /** Origins of engines with URLs of their own, for the web page's content security policy: `wss://*.media.example.com`, comma-separated. */
  ENGINE_ORIGINS: z.string().default(''),
  /** Folder of the built web page. */
  CONSOLE_DIR: z.string().default(fileURLToPath(new URL('../console/dist', import.meta.url))),

  /** An OpenAI-compatible API, like `https://api.openai.com/v1`; empty: knowledge is searched by keywords only. */
  EMBEDDINGS_URL: z.string().default(''),
  EMBEDDINGS_API_KEY: z.string().default(''),
  EMBEDDINGS_MODEL: z.string().default('text-embedding-3-small'),

  /** `provider/model` that generates prompts from a brief; empty: the endpoint answers 502. */
  COMPOSER_MODEL: z.string().default(''),
  /** `provider/model` that checks calls against the guardrails, at the service's cost; empty: each agent's own model does. */
  GUARDRAIL_MODEL: z.string().default(''),
  /** `provider/model` that plays the callers of agent tests and judges them; empty: each agent's own model does. */
  AGENT_TEST_MODEL: z.string().default(''),
  ...LANGUAGE_MODEL_SETTINGS,
  /** The same as media's: what has its required ones is offered in the catalog and may be saved in an agent. */
  ...SPEECH_SETTINGS,

  ...settingsShape(CARRIERS),
  /** Calls that may be placed per second at a carrier's account, like `twilio=1,plivo=2`; others are slowed down by the carrier's refusals only. */
  CALLS_PER_SECOND: z.string().default(''),
  /** How long events that could not be applied are kept for the operator, with what was said in them. */
  DEAD_LETTER_DAYS: z.coerce.number().int().min(1).max(365).default(30),

  /** Answers what a dollar costs, like `https://rates.example.com/latest?base=USD`; empty: the operator sets exchange rates. */
  EXCHANGE_RATE_URL: z.union([z.literal(''), z.url({ protocol: /^https?$/ })]).default(''),

  /** Workspaces that pay in rupees buy credits through Razorpay; all of the first three, or none. */
  RAZORPAY_KEY_ID: z.string().default(''),
  RAZORPAY_KEY_SECRET: z.string().default(''),
  /** Of the webhook, not the key's; several with commas, the newest first. */
  RAZORPAY_WEBHOOK_SECRET: z.string().default(''),
  RAZORPAY_API_URL: z.url().default('https://api.razorpay.com'),
  /** The script of its checkout, which the console loads. */
  RAZORPAY_CHECKOUT_URL: z.url().default('https://checkout.razorpay.com/v1/checkout.js'),
  /** Workspaces that pay in dollars buy credits through Stripe; this and the secret of the webhook, or none. */
  STRIPE_SECRET_KEY: z.string().default(''),
  STRIPE_WEBHOOK_SECRET: z.string().default(''),
  STRIPE_PUBLISHABLE_KEY: z.string().default(''),
  STRIPE_API_URL: z.url().default('https://api.stripe.com'),
});

export type ControlConfig = z.output<typeof SETTINGS>;

export function readControlConfig(env: Record<string, string | undefined> = process.env): ControlConfig {
  return readEnv(SETTINGS, env);
}
