import { z } from 'zod';
import { port, readEnv } from '../shared/env.ts';

/** The control plane's settings, all from the environment. */
const SETTINGS = z.object({
  API_HOST: z.string().default('127.0.0.1'),
  API_PORT: port(7080),
  DATABASE_URL: z.string(),
  NATS_URL: z.string().default('127.0.0.1:4222'),
  MEDIA_TOKEN_SECRET: z.string().min(16, 'needs at least 16 characters, the same in media and control'),
  RECORDINGS_DIR: z.string(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error']).default('info'),
  /** How carriers reach this API: callbacks are built from it and their signatures checked against it. */
  PUBLIC_API_URL: z.string().default(''),
  /** How carriers reach media, `wss://…` (`ws://` on a machine of one's own). */
  PUBLIC_MEDIA_URL: z.string().default('ws://127.0.0.1:7070'),

  TWILIO_ACCOUNT_SID: z.string().default(''),
  TWILIO_AUTH_TOKEN: z.string().default(''),
  TWILIO_API_URL: z.string().default('https://api.twilio.com'),
  PLIVO_AUTH_ID: z.string().default(''),
  PLIVO_AUTH_TOKEN: z.string().default(''),
  PLIVO_API_URL: z.string().default('https://api.plivo.com'),
});

export type ControlConfig = z.output<typeof SETTINGS>;

export function readControlConfig(env: Record<string, string | undefined> = process.env): ControlConfig {
  return readEnv(SETTINGS, env);
}
