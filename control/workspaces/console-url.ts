import type { ControlConfig } from '../config.ts';

type ConsoleAddress = Pick<ControlConfig, 'CONSOLE_ORIGINS' | 'PUBLIC_API_URL' | 'API_HOST' | 'API_PORT'>;

/**
 * Returns where the links of invites and shared agents lead: the first console origin, or else the console served by the API.
 */
export function consoleUrlOf({ CONSOLE_ORIGINS, PUBLIC_API_URL, API_HOST, API_PORT }: ConsoleAddress): string {
  return CONSOLE_ORIGINS.split(',')[0]!.trim() || PUBLIC_API_URL || `http://${API_HOST}:${API_PORT}`;
}

/** Returns where a link leads to Billing. */
export const billingUrlOf = (consoleUrl: string): string => `${consoleUrl.replace(/\/+$/, '')}/billing`;

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Returns the console's address as the person has it who sent the request with this `Origin`: their session is known there only. An
 * origin that is not the console's leads to the console, never elsewhere. This machine has several names for itself.
 */
export function consoleUrlFor(
  origin: string | undefined,
  { consoleUrl, consoleOrigins }: { consoleUrl: string; consoleOrigins: ReadonlySet<string> | undefined },
): string {
  if (origin === undefined || !URL.canParse(origin)) return consoleUrl;
  const [asked, usual] = [new URL(origin), new URL(consoleUrl)];
  if (asked.origin === usual.origin) return consoleUrl;
  const bothHere = [asked, usual].every(({ hostname }) => LOOPBACK.includes(hostname));
  const sameServer = bothHere && asked.port === usual.port && asked.protocol === usual.protocol;
  return sameServer || consoleOrigins?.has(asked.origin) ? asked.origin : consoleUrl;
}
