import type { HttpRequest, HttpResponse, us_socket_context_t } from 'uWebSockets.js';
import type { Clock, Timer } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';

/** What the doors of carriers and browsers do alike once it is decided whether a socket is let in. */

export interface UpgradeRejection {
  /** Of HTTP, with its words: `403 Forbidden`. */
  status: string;
  /** One of few fixed sentences. */
  reason: string;
  carrier?: string;
  call_id?: string;
}

export interface UpgradeRejections {
  /** Answers the upgrade, and logs it as long as not too many were refused for the same reason. */
  reject(response: HttpResponse, refusal: UpgradeRejection, message: string): void;
  /** Tells what is left to tell. */
  close(): void;
}

/** For each reason: who has no pass can ask thousands of times a second, and must fill neither the log nor the place of others' lines. */
const MAX_LOG_LINES_PER_MINUTE = 10;
const MINUTE_MS = 60_000;

/** One for all doors. How many refusals had no line is told for each reason at the end of the minute. */
export function createUpgradeRejections({ clock, log }: { clock: Clock; log: Logger }): UpgradeRejections {
  /** Of the present minute, which begins with its first refusal. */
  const counts = new Map<string, number>();
  let minuteTimer: Timer | null = null;

  function endMinute(): void {
    minuteTimer?.cancel();
    minuteTimer = null;
    for (const [why, count] of counts) {
      if (count > MAX_LOG_LINES_PER_MINUTE)
        log.warn({ why, left_out: count - MAX_LOG_LINES_PER_MINUTE }, 'more were refused than are logged');
    }
    counts.clear();
  }

  return {
    reject(response, { status, ...facts }, message) {
      minuteTimer ??= clock.after(MINUTE_MS, endMinute);
      const count = (counts.get(facts.reason) ?? 0) + 1;
      counts.set(facts.reason, count);
      if (count <= MAX_LOG_LINES_PER_MINUTE) {
        const address = Buffer.from(response.getRemoteAddressAsText()).toString();
        log.warn({ ...facts, address }, message);
      }
      response.writeStatus(status).end();
    },
    close: endMinute,
  };
}

/** Makes a socket of the request, with these data. */
export function admitUpgrade<Data>(
  response: HttpResponse,
  request: HttpRequest,
  context: us_socket_context_t,
  data: Data,
): void {
  response.upgrade(
    data,
    request.getHeader('sec-websocket-key'),
    request.getHeader('sec-websocket-protocol'),
    request.getHeader('sec-websocket-extensions'),
    context,
  );
}
