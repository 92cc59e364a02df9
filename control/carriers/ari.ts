import { type RawData, WebSocket } from 'ws';
import { systemClock, type Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { CarrierError } from './carrier.ts';
import {
  basicAuth,
  type CarrierRequest,
  type CarrierResponse,
  carrierErrorText,
  sendCarrierRequest,
} from './carrier-request.ts';

/**
 * Asterisk's REST interface (ARI): requests with their parameters in the query, and the connection on which an
 * application is told what happens. As in Asterisk's public documentation ("Asterisk REST Interface", "Asterisk 22
 * Channels REST API").
 */

export interface AriAccount {
  /** With its prefix, like `http://127.0.0.1:8088/ari`. */
  url: string;
  user: string;
  password: string;
  /** The application's name, as in the dialplan's `Stasis(…)`. */
  app: string;
}

export type AriParameters = Record<string, string>;

export interface Ari {
  readonly app: string;
  /** One request; every status is an answer. @throws CarrierError when there is none. */
  request(method: CarrierRequest['method'], path: string, parameters?: AriParameters): Promise<CarrierResponse>;
  /** The same, where only success will do. @throws CarrierError */
  requestOk(
    method: CarrierRequest['method'],
    path: string,
    parameters?: AriParameters,
  ): Promise<CarrierResponse['json']>;
  /** Takes something away, be it there or not; never throws. */
  remove(path: string, parameters?: AriParameters): Promise<void>;
  /** Opens the application's connection and keeps it open. */
  listen(listener: AriListener, log: Logger): { stop(): void };
}

export interface AriListener {
  /** The connection is open; what happened before was not told. Never rejects. */
  onOpen(): Promise<void>;
  onEvent(onEvent: Record<string, unknown>): void;
}

const OPEN_TIMEOUT_MS = 5_000;
const PING_INTERVAL_MS = 10_000;
const MIN_RECONNECT_DELAY_MS = 250;
const MAX_RECONNECT_DELAY_MS = 15_000;
/** Two that listen for one application would take it from each other without end. */
const REPLACED_RECONNECT_DELAY_MS = 60_000;
const MAX_EVENT_BYTES = 1024 * 1024;

export function createAri({ url, user, password, app }: AriAccount): Ari {
  const base = url.replace(/\/+$/, '');
  const authorization = basicAuth(user, password);

  const ari: Ari = {
    app,
    request(method, path, parameters = {}) {
      const query = new URLSearchParams(parameters).toString();
      return sendCarrierRequest({ method, url: `${base}${path}${query === '' ? '' : `?${query}`}`, authorization });
    },
    async requestOk(method, path, parameters) {
      const { status, json } = await ari.request(method, path, parameters);
      if (status < 200 || status >= 300)
        throw new CarrierError(carrierErrorText(json.message ?? json.error, status), status);
      return json;
    },
    async remove(path, parameters) {
      await ari.request('DELETE', path, parameters).catch(() => {});
    },

    listen(listener, log) {
      let socket: WebSocket | null = null;
      let timer: Timer | null = null;
      let pauseMs = MIN_RECONNECT_DELAY_MS;
      let replaced = false;
      let stopped = false;
      let complained = false;

      function connect(): void {
        const query = new URLSearchParams({ app, subscribeAll: 'false' });
        const connection = new WebSocket(`${base.replace(/^http/, 'ws')}/events?${query}`, {
          headers: { authorization },
          handshakeTimeout: OPEN_TIMEOUT_MS,
          maxPayload: MAX_EVENT_BYTES,
          perMessageDeflate: false,
        });
        socket = connection;
        let alive = true;
        let why = '';
        const ping = () => {
          if (!alive) return connection.terminate();
          alive = false;
          connection.ping();
          timer = systemClock.after(PING_INTERVAL_MS, ping);
        };
        connection.on('open', () => {
          log.info({ app }, "Asterisk's events are heard");
          pauseMs = MIN_RECONNECT_DELAY_MS;
          replaced = false;
          complained = false;
          timer = systemClock.after(PING_INTERVAL_MS, ping);
          void listener.onOpen();
        });
        connection.on('pong', () => {
          alive = true;
        });
        connection.on('message', (data, isBinary) => {
          const event = isBinary ? null : readEvent(data);
          if (event?.type === 'ApplicationReplaced') replaced = true;
          else if (event && !stopped) listener.onEvent(event);
        });
        connection.on('error', (error) => {
          why = errorText(error);
        });
        connection.on('close', (code) => {
          timer?.cancel();
          if (stopped) return;
          if (replaced) log.warn({ app }, "another listener has taken over Asterisk's application");
          else if (!complained) log.warn({ app, code, error: why }, "Asterisk's events are not heard");
          complained = true;
          timer = systemClock.after(replaced ? REPLACED_RECONNECT_DELAY_MS : pauseMs, connect);
          pauseMs = Math.min(MAX_RECONNECT_DELAY_MS, pauseMs * 2);
        });
      }
      connect();

      return {
        stop() {
          stopped = true;
          timer?.cancel();
          socket?.terminate();
        },
      };
    },
  };
  return ari;
}

function readEvent(data: RawData): Record<string, unknown> | null {
  try {
    const event: unknown = JSON.parse(String(data));
    return typeof event === 'object' && event !== null && !Array.isArray(event)
      ? (event as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
