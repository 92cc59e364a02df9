import { connect, type Socket } from 'node:net';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { acceptUploads, createUploadMemory } from '../../../control/http/multipart.ts';
import { route } from '../../../control/http/route.ts';
import { createHttpApp } from '../../../control/http/server.ts';
import { createLogger } from '../../../shared/log.ts';
import { afterFile } from '../../support/after-file.ts';
import { eventually } from '../../support/until.ts';

const MB = 1024 * 1024;
let url: string;
let port: number;
let form: Record<string, unknown>;

beforeAll(async () => {
  const http = await createHttpApp({
    ...{ log: createLogger('control', 'silent'), findPrincipal: async () => null },
    uploadMemoryMb: 6,
  });
  afterFile(() => http.close());
  acceptUploads(http, { maxFileBytes: 5 * MB, label: 'sound' }, (uploads) =>
    route(uploads, {
      ...{ method: 'POST', path: '/file', tag: 'T', summary: 's', credential: 'public', permission: null },
      ...{ schema: { body: z.unknown() }, success: 204, consumes: 'multipart/form-data' },
      handler: async ({ body }) => {
        form = body as typeof form;
      },
    }),
  );
  await http.listen({ host: '127.0.0.1', port: 0 });
  port = (http.server.address() as { port: number }).port;
  url = `http://127.0.0.1:${port}/file`;
});

function upload(bytes: number, names = ['file']): Promise<Response> {
  const body = new FormData();
  for (const name of names) body.append(name, new Blob([new Uint8Array(bytes)]), 'a.wav');
  return fetch(url, { method: 'POST', body });
}

/** Begins an upload of so many bytes, and sends no more. */
async function halfUpload(bytes: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  afterFile(() => socket.destroy());
  await new Promise((resolve) => socket.once('connect', resolve));
  const type = 'multipart/form-data; boundary=b';
  socket.write(`POST /file HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${bytes}\r\n\r\n--b\r\n`);
  return socket;
}

it('asks an upload to come again while others hold too much, and takes it when they have ended', async () => {
  const before = await halfUpload(4 * MB);
  const refused = await eventually('a refusal', 60_000, async () => {
    const response = await upload(3 * MB);
    return response.status === 204 ? null : response;
  });
  expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
    ...[503, '5', { detail: 'too many files are being uploaded; try again in a few seconds' }],
  ]);
  expect((await upload(MB)).status).toBe(204);
  before.destroy();
  await eventually('room', 60_000, async () => (await upload(3 * MB)).status === 204 || null);
});

it('keeps one file, of the right name', async () => {
  expect((await upload(MB, ['other', 'file', 'another'])).status).toBe(204);
  expect(Object.keys(form)).toEqual(['file']);
});

it('refuses a file of another name that is larger than the limit', async () => {
  expect((await upload(5 * MB + 1, ['other'])).status).toBe(413);
});

it('takes one upload whatever its size', () => {
  const reserve = createUploadMemory(10);
  const release = reserve(20)!;
  expect(reserve(1)).toBeNull();
  release();
  release();
  expect([reserve(6), reserve(5)]).toEqual([expect.any(Function), null]);
});
