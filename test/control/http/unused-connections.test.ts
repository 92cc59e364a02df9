import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import { createHttpApp } from '../../../control/http/server.ts';
import { createLogger } from '../../../shared/log.ts';
import { selfSignedCertificate } from '../../support/certificate.ts';
import { until } from '../../support/until.ts';

const HOST = '127.0.0.1';

for (const secure of [false, true]) {
  const kind = secure ? 'TLS' : 'plain';

  async function startServer() {
    const certificate = { ...selfSignedCertificate(HOST), certFile: '', keyFile: '' };
    const app = await createHttpApp({
      ...{ log: createLogger('test', 'silent'), findPrincipal: async () => null },
      ...(secure && { certificate }),
    });
    const connect = () => {
      const { port } = app.server.address() as AddressInfo;
      const socket = secure ? connectTls({ host: HOST, port, ca: certificate.cert }) : connectTcp(port, HOST);
      return socket
        .on('error', () => {})
        .setEncoding('utf8')
        .resume();
    };
    return { app, connect };
  }

  test(`a connection without a request does not hold a closing server open (${kind})`, async () => {
    const { app, connect } = await startServer();
    await app.listen({ host: HOST, port: 0 });
    const accepted = once(app.server, secure ? 'secureConnection' : 'connection');
    const silent = connect();
    const ended = once(silent, 'close');
    await accepted;
    await app.close();
    await ended;
    expect(silent.bytesRead).toBe(0);
  });

  test(`nor does one whose last request is answered meanwhile, and which the client would use again (${kind})`, async () => {
    const { app, connect } = await startServer();
    const { promise, resolve: answer } = Promise.withResolvers<string>();
    app.get('/slow', () => promise);
    await app.listen({ host: HOST, port: 0 });
    const client = connect();
    const ended = once(client, 'close');
    let received = '';
    client.on('data', (text: string) => {
      received += text;
    });
    client.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(app.server, 'request');
    const closed = app.close();
    await until(() => !app.server.listening, 'the server to stop listening');
    answer('late');
    await closed;
    await ended;
    expect(received).toMatch(/^HTTP\/1\.1 200 .*late$/s);
  });
}
