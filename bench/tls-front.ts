import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { selfSignedCertificate } from '../test/support/certificate.ts';

/** TLS before the simulated providers, so that media encrypts and checks certificates as it does with real ones. */
export interface TlsFront {
  /** The settings with `wss` and `https` addresses, and the file of the authority that media is to trust. */
  settings: Record<string, string>;
  close(): void;
}

const HOST = '127.0.0.1';
const SECURE: Record<string, string> = { 'ws:': 'wss:', 'http:': 'https:' };

/** Opens one port for each address among the settings and passes its bytes on. */
export async function startTlsFront(settings: Readonly<Record<string, string>>): Promise<TlsFront> {
  const folder = mkdtempSync(join(tmpdir(), 'antiphon-tls-'));
  const authority = join(folder, 'authority.pem');
  const certificate = selfSignedCertificate(HOST);
  writeFileSync(authority, certificate.cert);
  const servers: Server[] = [];
  const secured: Record<string, string> = { NODE_EXTRA_CA_CERTS: authority };
  for (const [name, value] of Object.entries(settings)) {
    const url = URL.parse(value);
    const protocol = url && SECURE[url.protocol];
    secured[name] = protocol ? value.replace(`${url.protocol}//${url.host}`, `${protocol}//${await open(url)}`) : value;
  }

  /** @returns host and port of the new front. */
  async function open(url: URL): Promise<string> {
    const server = createServer(certificate, (secure) => {
      const plain = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
      const end = () => {
        secure.destroy();
        plain.destroy();
      };
      secure.setNoDelay(true);
      for (const socket of [secure, plain]) socket.on('error', end).on('close', end);
      secure.pipe(plain);
      plain.pipe(secure);
    });
    servers.push(server);
    await new Promise<void>((resolve) => void server.listen(0, HOST, resolve));
    return `${HOST}:${(server.address() as AddressInfo).port}`;
  }

  return {
    settings: secured,
    close() {
      for (const server of servers) server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
