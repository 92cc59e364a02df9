import type { ControlConfig } from '../config.ts';

type ConsoleAddress = Pick<ControlConfig, 'CONSOLE_ORIGINS' | 'PUBLIC_API_URL' | 'API_HOST' | 'API_PORT'>;

/** Where the links of invites and shared agents lead: a console of its own, or else the one that the API serves. */
export function consoleUrlOf({ CONSOLE_ORIGINS, PUBLIC_API_URL, API_HOST, API_PORT }: ConsoleAddress): string {
  return CONSOLE_ORIGINS.split(',')[0]!.trim() || PUBLIC_API_URL || `http://${API_HOST}:${API_PORT}`;
}
