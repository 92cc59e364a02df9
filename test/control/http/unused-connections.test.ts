import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import { createHttpApp } from '../../../control/http/server.ts';
import { createLogger } from '../../../shared/log.ts';
import { selfSignedCertificate } from '../../support/certificate.ts';

const HOST = '127.0.0.1';

for (const secure of [false, true]) {
  test(`a connection without a request does not hold the server open (${secure ? 'TLS' : 'plain'})`, async () => {
    const certificate = { ...selfSignedCertificate(HOST), certFile: '', keyFile: '' };
    const app = await createHttpApp({
      ...{ log: createLogger('test', 'silent'), findPrincipal: async () => null },
      ...(secure && { certificate }),
    });
    await app.listen({ host: HOST, port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const accepted = once(app.server, secure ? 'secureConnection' : 'connection');
    const silent = secure ? connectTls({ host: HOST, port, ca: certificate.cert }) : connectTcp(port, HOST);
    const ended = once(silent, 'close');
    silent.on('error', () => {}).resume();
    await accepted;
    await app.close();
    await ended;
    expect(silent.bytesRead).toBe(0);
  });
}
