import * as uWebSockets from 'uWebSockets.js';
import {
  App,
  SSLApp,
  type TemplatedApp,
  us_listen_socket_close,
  us_socket_local_port,
  type WebSocketBehavior,
} from 'uWebSockets.js';
import type { Clock } from '../shared/clock.ts';
import type { Logger } from '../shared/log.ts';
import { type TlsCertificate, watchCertificate } from '../shared/tls-certificate.ts';

/** Where WebSocket endpoints are added. */
export interface WebSocketRoutes {
  ws<Data>(pattern: string, behavior: WebSocketBehavior<Data>): WebSocketRoutes;
}

export interface Listener {
  /** The port that is listened on. */
  port: number;
  /** The one in use. */
  readonly certificate: TlsCertificate | undefined;
  /** Takes no further connection. */
  stopListening(): void;
  /** Closes every connection. */
  close(): void;
}

export interface ListenerOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** Without it connections are not encrypted. */
  certificate?: TlsCertificate | undefined;
  clock: Clock;
  log: Logger;
}

// Answers do not name the server and its version. Not in the types.
(uWebSockets as unknown as { _cfg(option: string): void })._cfg('silent');

/** Of uWebSockets.js, but not in its types: an app hands the connections that it accepts to its child apps, in turn. */
interface ParentApp extends TemplatedApp {
  getDescriptor(): unknown;
  addChildAppDescriptor(descriptor: unknown): void;
  removeChildAppDescriptor(descriptor: unknown): void;
}

/**
 * Listens with an app of uWebSockets.js. With a certificate the app that listens serves nothing itself: it hands every connection
 * to a child app, which has the certificate, as between threads (uWebSockets.js, examples/WorkerThreads.js). For a new certificate
 * another child takes its place: the port stays open, and the calls of the earlier child go on. An app's certificate cannot be
 * replaced, and other names' (`addServerName`) do not serve clients that name no server.
 *
 * @param addRoutes is called for each app, with the same handlers.
 */
export async function listen(options: ListenerOptions, addRoutes: (app: TemplatedApp) => void): Promise<Listener> {
  const { certificate, clock, log } = options;
  const first = certificate ? secureApp(certificate) : App();
  const apps = [first];
  let current = certificate;
  if (!certificate) addRoutes(first);

  function serveWith(certificate: TlsCertificate): void {
    const parent = first as ParentApp;
    const child = secureApp(certificate);
    addRoutes(child);
    parent.addChildAppDescriptor(child.getDescriptor());
    if (apps.length > 1) parent.removeChildAppDescriptor((apps.at(-1) as ParentApp).getDescriptor());
    apps.push(child);
    current = certificate;
  }

  if (certificate) serveWith(certificate);
  const socket = await listenOn(first, options);
  const watch = certificate
    ? // An app reads the files itself; should they change meanwhile, they differ from `next` and are taken again.
      watchCertificate({ certificate, clock, log, take: serveWith })
    : null;

  return {
    port: us_socket_local_port(socket),
    get certificate() {
      return current;
    },
    stopListening() {
      watch?.stop();
      us_listen_socket_close(socket);
    },
    close() {
      for (const app of apps) app.close();
    },
  };
}

/** TLS 1.2 at least, uWebSockets.js's own limit. */
function secureApp({ certFile, keyFile }: TlsCertificate): ParentApp {
  return SSLApp({ cert_file_name: certFile, key_file_name: keyFile }) as ParentApp;
}

function listenOn(app: TemplatedApp, { host, port }: ListenerOptions) {
  return new Promise<Parameters<typeof us_listen_socket_close>[0]>((resolve, reject) => {
    app.listen(host, port, (socket) => {
      if (socket) resolve(socket);
      else reject(new Error(`cannot listen on ${host}:${port}`));
    });
  });
}
