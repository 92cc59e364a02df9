import { z } from 'zod';
import { BUS_SETTINGS } from '../shared/bus/settings.ts';
import { EGRESS_SETTINGS } from '../shared/egress-proxy.ts';
import { port, readEnv } from '../shared/env.ts';
import { mediaTokenSecrets } from '../shared/media-token.ts';
import { METRICS_SETTINGS } from '../shared/metrics-listener.ts';
import { LANGUAGE_MODEL_SETTINGS, SPEECH_SETTINGS } from '../shared/providers/settings.ts';
import { RECORDING_SETTINGS } from '../shared/recordings/store-settings.ts';
import { TELEMETRY_SETTINGS } from '../shared/telemetry/telemetry-settings.ts';
import { TLS_SETTINGS } from '../shared/tls-certificate.ts';

/** The engine's settings, all from the environment. */
const SETTINGS = z.object({
  MEDIA_HOST: z.string().default('127.0.0.1'),
  MEDIA_PORT: port(7070),
  ...TLS_SETTINGS,
  ...METRICS_SETTINGS,
  ...TELEMETRY_SETTINGS,
  /** Number of engine processes (`supervisor.ts`); with 0 or 1 this process is the engine, and listens on MEDIA_PORT. */
  MEDIA_PROCESSES: z.coerce.number().int().min(0).max(64).default(0),
  /** Port of the first of several engine processes; each next one takes the next port. 0: every engine takes a free port. */
  ENGINE_PORT: port(0),
  /**
   * How carriers and browsers reach this engine and no other, `wss://…`; `{port}` stands for the engine's port. Control sends
   * new calls to the engine with the most headroom. Empty: they reach it by the common address, control's PUBLIC_MEDIA_URL.
   */
  PUBLIC_ENGINE_URL: z
    .string()
    .default('')
    .refine((url) => url === '' || isWebSocketUrl(url.replaceAll('{port}', '1')), 'must be a ws:// or wss:// address'),
  ...BUS_SETTINGS,
  /** Shared with control; checks the stream token in a stream's path. */
  MEDIA_TOKEN_SECRET: mediaTokenSecrets,
  ...RECORDING_SETTINGS,
  /** Folder of call captures (docs/captures.md); empty: no call is captured. */
  CAPTURES_DIR: z.string().default(''),
  /** How long calls in progress get on SIGTERM to end by themselves. */
  DRAIN_SECONDS: z.coerce.number().int().min(0).max(3_600).default(30),
  /** Most calls at once. */
  MAX_CALLS: z.coerce.number().int().min(1).max(10_000).default(200),
  /** Audio to Exotel, in messages of so many bytes (`leg/protocols/exotel.ts`): 320 are 20 ms. */
  EXOTEL_CHUNK_BYTES: z.coerce.number().int().multipleOf(320).min(320).max(16_000).default(3_200),
  /** `adaptive`: fewer than MAX_CALLS when the engine is overloaded (`admission.ts`); `fixed`: always up to MAX_CALLS. */
  ADMISSION: z.enum(['adaptive', 'fixed']).default('adaptive'),
  /** Browsers' audio: one UDP port for all calls, and the TCP port of the same number for networks without UDP. */
  WEB_MEDIA_HOST: z.string().default(''),
  /** 0 takes a free one. */
  WEB_MEDIA_PORT: port(0),
  /** The public address or name announced to browsers instead of that host. */
  WEB_MEDIA_ADDRESS: z.string().default(''),

  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error']).default('info'),

  ...SPEECH_SETTINGS,
  /** Concurrent streams per provider account, over all engines: `deepgram=100,elevenlabs=15`. An account left out has no limit. */
  PROVIDER_LIMITS: z.string().default('').transform(readLimits),

  ...LANGUAGE_MODEL_SETTINGS,

  /** How long a reply waits for the knowledge search before it goes on without. */
  KNOWLEDGE_DEADLINE_MS: z.coerce.number().int().min(50).max(30_000).default(400),

  /** Private networks that agents' tools may reach: CIDRs, separated by commas. */
  FETCH_ALLOW: z.string().default(''),
  ...EGRESS_SETTINGS,

  /** ONNX file of an end-of-turn model with Smart Turn v3's inputs and output; empty: the fetched one, where there is one. */
  TURN_MODEL: z.string().default(''),
  /** Folder of the models that `make models` fetches; empty: none is used. */
  MODELS_DIR: z.string().default(''),
});

export type MediaConfig = z.output<typeof SETTINGS>;

export function readMediaConfig(env: Record<string, string | undefined> = process.env): MediaConfig {
  return readEnv(SETTINGS, env);
}

function readLimits(text: string, context: z.RefinementCtx): Map<string, number> {
  const limits = new Map<string, number>();
  for (const pair of text.split(',')) {
    if (pair.trim() === '') continue;
    const [, account, limit] = /^\s*([a-z][a-z0-9_-]{0,40})\s*=\s*([1-9][0-9]{0,4})\s*$/.exec(pair) ?? [];
    if (account) limits.set(account, Number(limit));
    else context.addIssue({ code: 'custom', message: `"${pair.trim()}" is not account=limit` });
  }
  return limits;
}

function isWebSocketUrl(text: string): boolean {
  return URL.canParse(text) && /^wss?:$/.test(new URL(text).protocol);
}
