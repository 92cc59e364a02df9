import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

let lineExport: ((line: string) => void) | null = null;

/** Where each line goes besides standard output, as JSON, of whatever level is written; null, as at the start: nowhere. */
export function setLogExport(to: ((line: string) => void) | null): void {
  lineExport = to;
}

/**
 * A logger that writes one line of JSON per event: a fixed message, the facts in fields. Speech, prompts, tool arguments and
 * whole phone numbers are never logged above debug; credentials never.
 */
export function createLogger(name: string, level = 'info', destination?: DestinationStream): Logger {
  const options = {
    name,
    level,
    base: { name },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ['*.authorization', '*.api_key', '*.token', '*.secret', 'authorization', 'api_key', 'token', 'secret'],
      censor: '***',
    },
    hooks: {
      streamWrite(line: string) {
        lineExport?.(line);
        return line;
      },
    },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** The message of anything thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
