import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { acceptUploads } from '../../../control/http/multipart.ts';
import { route } from '../../../control/http/route.ts';
import { createHttpApp } from '../../../control/http/server.ts';
import { createLogger } from '../../../shared/log.ts';
import { afterFile } from '../../support/after-file.ts';

const MB = 1024 * 1024;
let port: number;

beforeAll(async () => {
  const http = await createHttpApp({ log: createLogger('control', 'silent'), findPrincipal: async () => null });
  afterFile(() => http.close());
  const common = { method: 'POST', tag: 'T', summary: 's', credential: 'public', permission: null } as const;
  const body = z.unknown();
  route(http, { ...common, path: '/json', schema: { body }, success: 204, handler: async () => {} });
  acceptUploads(http, { maxFileBytes: 5 * MB, label: 'sound' }, (uploads) =>
    route(uploads, {
      ...{ ...common, path: '/file', schema: { body }, success: 204, handler: async () => {} },
      consumes: 'multipart/form-data',
    }),
  );
  await http.listen({ host: '127.0.0.1', port: 0 });
  port = (http.server.address() as { port: number }).port;
});

/** Sends the whole request before it reads the response, as simple clients do. Resolves with all that came until the connection closed. */
function send(path: string, type: string, parts: { bytes: number; start?: string }): Promise<string> {
  const { bytes, start = '' } = parts;
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${bytes}\r\n\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(head + start);
      const end = start === '' ? '' : '\r\n--b--\r\n';
      socket.write(Buffer.concat([Buffer.alloc(bytes - start.length - end.length, 'a'), Buffer.from(end)]), (error) => {
        if (error) return reject(error);
        let text = '';
        socket.on('data', (part) => {
          text += part;
        });
        socket.on('end', () => resolve(text));
      });
    });
    socket.on('error', reject);
    afterFile(() => socket.destroy());
  });
}

const FORM = 'multipart/form-data; boundary=b';
const start = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n';

describe('what is larger than its limit', () => {
  it.each([6, 30])('is answered with 413 after a client has sent a file of %i MB', async (megabytes) => {
    const response = await send('/file', FORM, { bytes: megabytes * MB, start });
    expect(response).toMatch(/^HTTP\/1\.1 413 /);
    expect(response).toContain('the sound is larger than 5 MB');
  });

  it('is answered with 413 after a client has sent a body of JSON', async () => {
    expect(await send('/json', 'application/json', { bytes: 8 * MB })).toMatch(/^HTTP\/1\.1 413 /);
  });

  it.each([
    ['/json', 'application/json'],
    ['/file', FORM],
  ])('is answered with 413 at once by %s when far more is announced than is read', async (path, type) => {
    const bytes = 1024 * MB;
    const answer = await new Promise<string>((resolve, reject) => {
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${bytes}\r\n\r\n`;
      const socket = connect(port, '127.0.0.1', () => socket.write(head + start));
      let text = '';
      socket.on('data', (part) => {
        text += part;
      });
      socket.on('close', () => resolve(text)).on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });
});
