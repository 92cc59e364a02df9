import { z } from 'zod';
import { port, readEnv } from '../shared/env.ts';

/** The engine's settings, all from the environment. */
const SETTINGS = z.object({
  MEDIA_HOST: z.string().default('127.0.0.1'),
  MEDIA_PORT: port(7070),
  NATS_URL: z.string().default('127.0.0.1:4222'),
  /** Shared with control; signs the pass in a stream's path. */
  MEDIA_TOKEN_SECRET: z.string().min(16, 'needs at least 16 characters, the same in media and control'),
  /** Where recordings are written; control reads them there. */
  RECORDINGS_DIR: z.string(),
  /** On SIGTERM live calls get this long to end by themselves. */
  DRAIN_SECONDS: z.coerce.number().int().min(0).max(3_600).default(30),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error']).default('info'),

  DEEPGRAM_API_KEY: z.string().default(''),
  DEEPGRAM_URL: z.string().default('wss://api.deepgram.com'),
  ELEVENLABS_API_KEY: z.string().default(''),
  ELEVENLABS_URL: z.string().default('wss://api.elevenlabs.io'),

  OPENAI_API_KEY: z.string().default(''),
  OPENAI_BASE_URL: z.string().default('https://api.openai.com/v1'),
  /** The `custom` language model: any OpenAI-compatible address. */
  LLM_BASE_URL: z.string().default(''),
  LLM_API_KEY: z.string().default(''),
  LLM_MODEL: z.string().default(''),

  /** Networks that agents' tools may reach although they are not public: CIDRs, separated by commas. */
  FETCH_ALLOW: z.string().default(''),

  /** The `local` transcriber and voice. */
  POCKETSPHINX_BIN: z.string().default('pocketsphinx_continuous'),
  POCKETSPHINX_MODELS: z.string().default('/usr/share/pocketsphinx/model'),
  /** Folder of small language models: `<name>.lm` and `<name>.dict`, chosen by `transcriber.model`. */
  LANGUAGE_MODELS_DIR: z.string().default(''),
  ESPEAK_BIN: z.string().default('espeak-ng'),
});

export type MediaConfig = z.output<typeof SETTINGS>;

export function readMediaConfig(env: Record<string, string | undefined> = process.env): MediaConfig {
  return readEnv(SETTINGS, env);
}
