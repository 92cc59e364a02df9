import type { HttpRequest, HttpResponse, us_socket_context_t } from 'uWebSockets.js';
import type { Clock, Timer } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';

export interface UpgradeRejection {
  /** HTTP status with its reason phrase: `403 Forbidden`. */
  status: string;
  /** One of few fixed phrases. */
  reason: string;
  carrier?: string;
  call_id?: string;
}

export interface UpgradeRejections {
  /** Answers the upgrade with the status, and logs it unless the reason's log lines of this minute are used up. */
  reject(response: HttpResponse, rejection: UpgradeRejection, message: string): void;
  /** Logs the counts that are left. */
  close(): void;
}

/** Per reason: clients without a token can try thousands of times a second, and must not fill the log. */
const MAX_LOG_LINES_PER_MINUTE = 10;
const MINUTE_MS = 60_000;

/** Creates the one rejection log of all gateways. The number of rejections without a line is logged per reason each minute. */
export function createUpgradeRejections({ clock, log }: { clock: Clock; log: Logger }): UpgradeRejections {
  /** Of the present minute, which begins with its first rejection. */
  const counts = new Map<string, number>();
  let minuteTimer: Timer | null = null;

  function endMinute(): void {
    minuteTimer?.cancel();
    minuteTimer = null;
    for (const [reason, count] of counts) {
      if (count > MAX_LOG_LINES_PER_MINUTE)
        log.warn({ reason, left_out: count - MAX_LOG_LINES_PER_MINUTE }, 'further upgrades rejected');
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

/** Upgrades the request to a WebSocket with `data` as its user data. */
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
