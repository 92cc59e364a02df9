import { z } from 'zod';
import { port, readEnv } from '../shared/env.ts';
import { LANGUAGE_MODEL_SETTINGS, SPEECH_SETTINGS } from '../shared/providers/settings.ts';
import { RECORDING_SETTINGS } from '../shared/recordings/store-settings.ts';

/** The engine's settings, all from the environment. */
const SETTINGS = z.object({
  MEDIA_HOST: z.string().default('127.0.0.1'),
  MEDIA_PORT: port(7070),
  /** So many engines share the port, each a process of its own (`supervisor.ts`); 0 or 1: this process is the engine. */
  MEDIA_PROCESSES: z.coerce.number().int().min(0).max(64).default(0),
  /**
   * How carriers and browsers reach this engine and no other, `wss://…`: control then sends new calls where there is most
   * room. Empty: by the common address, control's PUBLIC_MEDIA_URL.
   */
  PUBLIC_ENGINE_URL: z.union([z.literal(''), z.url({ protocol: /^wss?$/ })]).default(''),
  NATS_URL: z.string().default('127.0.0.1:4222'),
  /** Shared with control; signs the pass in a stream's path. */
  MEDIA_TOKEN_SECRET: z.string().min(16, 'needs at least 16 characters, the same in media and control'),
  ...RECORDING_SETTINGS,
  /** Where calls are taped that the operator wants on tape (docs/captures.md); empty: none is. */
  TAPES_DIR: z.string().default(''),
  /** On SIGTERM live calls get this long to end by themselves. */
  DRAIN_SECONDS: z.coerce.number().int().min(0).max(3_600).default(30),
  /** No more calls at once, however well they go; below it the engine judges for itself (`admission.ts`). */
  MAX_CALLS: z.coerce.number().int().min(1).max(10_000).default(200),
  /** `fixed`: the engine does not judge, and takes calls up to MAX_CALLS. */
  ADMISSION: z.enum(['judged', 'fixed']).default('judged'),
  /** Browsers' sound: one UDP port for all calls, and the TCP port of the same number for networks without UDP. */
  WEB_MEDIA_HOST: z.string().default(''),
  /** 0 takes a free one. */
  WEB_MEDIA_PORT: port(0),
  /** What browsers are told instead of that host: the public address or name behind which it lies. */
  WEB_MEDIA_ADDRESS: z.string().default(''),

  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error']).default('info'),

  ...SPEECH_SETTINGS,
  /** How many streams each account may have at once, over all engines: `deepgram=100,elevenlabs=15`. Left out: no limit known. */
  PROVIDER_LIMITS: z.string().default('').transform(readLimits),

  ...LANGUAGE_MODEL_SETTINGS,

  /** A caller's question waits so long for what the knowledge bases say of it, and is answered without it then. */
  KNOWLEDGE_DEADLINE_MS: z.coerce.number().int().min(50).max(30_000).default(400),

  /** Networks that agents' tools may reach although they are not public: CIDRs, separated by commas. */
  FETCH_ALLOW: z.string().default(''),

  /** An ONNX file of the shape of Smart Turn v3 that hears whether a turn is over; empty: none is asked. */
  TURN_MODEL: z.string().default(''),
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
    else context.addIssue({ code: 'custom', message: `"${pair.trim()}" is no account=places` });
  }
  return limits;
}
