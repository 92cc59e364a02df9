import type { ControlConfig } from '../config.ts';

type ConsoleAddress = Pick<ControlConfig, 'CONSOLE_ORIGINS' | 'PUBLIC_API_URL' | 'API_HOST' | 'API_PORT'>;

/**
 * Returns where the links of invites and shared agents lead: the first console origin, or else the console served by the API.
 */
export function consoleUrlOf({ CONSOLE_ORIGINS, PUBLIC_API_URL, API_HOST, API_PORT }: ConsoleAddress): string {
  return CONSOLE_ORIGINS.split(',')[0]!.trim() || PUBLIC_API_URL || `http://${API_HOST}:${API_PORT}`;
}
