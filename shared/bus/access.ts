import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import {
  type Authenticator,
  credsAuthenticator,
  type NodeConnectionOptions,
  nkeyAuthenticator,
  nkeys,
} from '@nats-io/transport-node';
import { commaSeparated } from '../comma-separated.ts';
import { isLoopbackHost } from '../networks.ts';

/** How a program proves to the bus who it is, and the bus to it. Everything may be left out where the bus is on this machine. */
export interface BusAccess {
  user?: string;
  password?: string;
  token?: string;
  /** A file with a user's NKey seed, or with a JWT and the seed. Read again at every connection, so that it may be replaced. */
  credentialsFile?: string;
  /** Authorities that may have signed the servers' certificates, instead of the system's; PEM. Read at every connection, as the next two. */
  caFile?: string;
  certFile?: string;
  keyFile?: string;
  /** Allows a bus on another machine that anybody may connect to. */
  insecure?: boolean;
}

/** Anybody who reaches the bus may use it. Another attempt changes nothing. */
export class OpenBusError extends Error {}

/** The servers of `NATS_URL`: `host:port`, `nats://…` or `tls://…`, comma-separated. */
export function serversOf(url: string): string[] {
  return commaSeparated(url);
}

/** @throws Error when the file of the credentials cannot be used. */
export function accessOptions(url: string, access: BusAccess): Partial<NodeConnectionOptions> {
  const { user, password = '', token, credentialsFile, caFile, certFile, keyFile } = access;
  const servers = serversOf(url);
  const encrypted = caFile || certFile || servers.some((server) => server.startsWith('tls://'));
  return {
    servers,
    ...(user && { user, pass: password }),
    ...(token && { token }),
    ...(credentialsFile && { authenticator: fileAuthenticator(credentialsFile) }),
    // With this the client never goes on without encryption.
    ...(encrypted && {
      tls: { ...(caFile && { caFile }), ...(certFile && { certFile }), ...(keyFile && { keyFile }) },
    }),
  };
}

/**
 * Throws when the server asks nobody who they are, unless all servers are on this machine or it is allowed.
 *
 * @param info what the server says of itself (docs.nats.io, client protocol, INFO).
 */
export function requireAuthentication(
  url: string,
  { insecure = false }: BusAccess,
  info: { auth_required?: boolean; tls_verify?: boolean } | undefined,
): void {
  if (insecure || info?.auth_required || info?.tls_verify || serversOf(url).every(isOnThisMachine)) return;
  throw new OpenBusError(
    `the bus at ${url} asks nobody for credentials: who reaches it can listen to calls and end them. ` +
      'Give it users (docs/operations.md), or allow this with NATS_INSECURE=1 where nobody else reaches it',
  );
}

function isOnThisMachine(server: string): boolean {
  const address = server.replace(/^[a-z]+:\/\//, '');
  const host = /^\[(.*)\]/.exec(address)?.[1] ?? (isIP(address) === 6 ? address : address.replace(/:\d+$/, ''));
  return isLoopbackHost(host);
}

/** An unreadable file counts as unchanged: it is perhaps being replaced. @throws Error when it is unreadable at first. */
function fileAuthenticator(file: string): Authenticator {
  let current = authenticatorOf(file);
  return (nonce) => {
    try {
      current = authenticatorOf(file);
    } catch {}
    return current(nonce);
  };
}

function authenticatorOf(file: string): Authenticator {
  const text = readFileSync(file, 'utf8');
  const bytes = Buffer.from(text);
  if (text.includes('BEGIN NATS USER JWT')) {
    const authenticator = credsAuthenticator(bytes);
    authenticator('');
    return authenticator;
  }
  const seed = /^SU[A-Z2-7]{56}$/m.exec(text)?.[0];
  if (!seed) throw new Error(`${file} has neither the NKey seed of a user nor a JWT with its seed`);
  nkeys.fromSeed(Buffer.from(seed));
  return nkeyAuthenticator(Buffer.from(seed));
}
