import { WebSocket } from 'ws';
import { systemClock, type Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { basicAuth, isSuccess } from '../http/rest-request.ts';
import { parseJsonObject } from './callback-fields.ts';
import { CarrierError } from './carrier.ts';
import { type CarrierRequest, type CarrierResponse, carrierErrorText, sendCarrierRequest } from './carrier-request.ts';

/**
 * Asterisk's REST interface (ARI): requests with their parameters in the query, and the connection that carries an
 * application's events. As in Asterisk's public documentation ("Asterisk REST Interface", "Asterisk 22
 * Channels REST API").
 */

export interface AriAccount {
  /** With its prefix, like `http://127.0.0.1:8088/ari`; with `https://` events come over `wss://`. */
  url: string;
  /** Authorities (PEM) that sign its certificate, instead of the public ones. */
  ca?: string | undefined;
  user: string;
  password: string;
  /** The application's name, as in the dialplan's `Stasis(…)`. */
  app: string;
}

export type AriParameters = Record<string, string>;

export interface Ari {
  readonly app: string;
  /** Sends one request; every status is a response. @throws CarrierError when there is none. */
  request(method: CarrierRequest['method'], path: string, parameters?: AriParameters): Promise<CarrierResponse>;
  /** Sends one request. @throws CarrierError when there is no response, or not one of success. */
  requestOk(
    method: CarrierRequest['method'],
    path: string,
    parameters?: AriParameters,
  ): Promise<CarrierResponse['json']>;
  /** Deletes something that may exist; never throws. */
  remove(path: string, parameters?: AriParameters): Promise<void>;
  /** Opens the application's event connection and keeps it open. */
  listen(listener: AriListener, log: Logger): { stop(): void };
}

export interface AriListener {
  /** The connection is open; events from before it are lost. Never rejects. */
  onOpen(): Promise<void>;
  onEvent(onEvent: Record<string, unknown>): void;
}

const OPEN_TIMEOUT_MS = 5_000;
const PING_INTERVAL_MS = 10_000;
const MIN_RECONNECT_DELAY_MS = 250;
const MAX_RECONNECT_DELAY_MS = 15_000;
/** Longer, because two listeners would take the application from each other again and again. */
const REPLACED_RECONNECT_DELAY_MS = 60_000;
const MAX_EVENT_BYTES = 1024 * 1024;

export function createAri({ url, ca, user, password, app }: AriAccount): Ari {
  const base = url.replace(/\/+$/, '');
  const authorization = basicAuth(user, password);

  const ari: Ari = {
    app,
    request(method, path, parameters = {}) {
      const query = new URLSearchParams(parameters).toString();
      return sendCarrierRequest({ method, url: `${base}${path}${query === '' ? '' : `?${query}`}`, ca, authorization });
    },
    async requestOk(method, path, parameters) {
      const { status, json } = await ari.request(method, path, parameters);
      if (!isSuccess(status)) throw new CarrierError(carrierErrorText(json.message ?? json.error, status), status);
      return json;
    },
    async remove(path, parameters) {
      await ari.request('DELETE', path, parameters).catch(() => {});
    },

    listen(listener, log) {
      let socket: WebSocket | null = null;
      let timer: Timer | null = null;
      let delayMs = MIN_RECONNECT_DELAY_MS;
      let replaced = false;
      let stopped = false;
      let logged = false;

      function connect(): void {
        const query = new URLSearchParams({ app, subscribeAll: 'false' });
        const connection = new WebSocket(`${base.replace(/^http/, 'ws')}/events?${query}`, {
          headers: { authorization },
          ...(ca === undefined ? {} : { ca }),
          handshakeTimeout: OPEN_TIMEOUT_MS,
          maxPayload: MAX_EVENT_BYTES,
          perMessageDeflate: false,
        });
        socket = connection;
        let alive = true;
        let reason = '';
        const ping = () => {
          if (!alive) return connection.terminate();
          alive = false;
          connection.ping();
          timer = systemClock.after(PING_INTERVAL_MS, ping);
        };
        connection.on('open', () => {
          log.info({ app }, 'Asterisk event connection opened');
          delayMs = MIN_RECONNECT_DELAY_MS;
          replaced = false;
          logged = false;
          timer = systemClock.after(PING_INTERVAL_MS, ping);
          void listener.onOpen();
        });
        connection.on('pong', () => {
          alive = true;
        });
        connection.on('message', (data, isBinary) => {
          const event = isBinary ? null : parseJsonObject(String(data));
          if (event?.type === 'ApplicationReplaced') replaced = true;
          else if (event && !stopped) listener.onEvent(event);
        });
        connection.on('error', (error) => {
          reason = errorText(error);
        });
        connection.on('close', (code) => {
          timer?.cancel();
          if (stopped) return;
          if (replaced) log.warn({ app }, 'another listener has taken over the Asterisk application');
          else if (!logged) log.warn({ app, code, error: reason }, 'Asterisk event connection lost');
          logged = true;
          timer = systemClock.after(replaced ? REPLACED_RECONNECT_DELAY_MS : delayMs, connect);
          delayMs = Math.min(MAX_RECONNECT_DELAY_MS, delayMs * 2);
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
