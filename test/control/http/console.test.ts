import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { afterFile } from '../../support/after-file.ts';
import { startTestApi } from '../../support/control-app.ts';

/** How the files of the console are served, with those that `dev/build-console.ts` compressed. */

const SCRIPT = 'console.log("hello")';
const dir = mkdtempSync(join(tmpdir(), 'antiphon-console-'));
afterFile(() => rmSync(dir, { recursive: true, force: true }));
mkdirSync(join(dir, 'assets'));
for (const [name, text] of [
  ['index.html', '<!doctype html>'],
  ['embed.js', SCRIPT],
  ['assets/main.js', SCRIPT],
] as const) {
  writeFileSync(join(dir, name), text);
  writeFileSync(join(dir, `${name}.br`), brotliCompressSync(text));
  writeFileSync(join(dir, `${name}.gz`), gzipSync(text));
}
writeFileSync(join(dir, 'assets/plain.js'), SCRIPT);
const { http } = await startTestApi({}, { CONSOLE_DIR: dir });

const get = (url: string, encodings: string) =>
  http.inject({ method: 'GET', url, headers: { 'accept-encoding': encodings } });

it.each([
  ['/assets/main.js', 'gzip, br', 'br', 'javascript', brotliCompressSync(SCRIPT)],
  ['/assets/main.js', 'gzip', 'gzip', 'javascript', gzipSync(SCRIPT)],
  ['/assets/main.js', 'identity', undefined, 'javascript', Buffer.from(SCRIPT)],
  ['/assets/plain.js', 'gzip, br', undefined, 'javascript', Buffer.from(SCRIPT)],
  ['/embed.js', 'br', 'br', 'javascript', brotliCompressSync(SCRIPT)],
  ['/billing/plans', 'br', 'br', 'html', brotliCompressSync('<!doctype html>')],
])('serves %s to a browser that takes %s: %s', async (url, encodings, encoding, type, bytes) => {
  const { statusCode, headers, rawPayload } = await get(url, encodings);
  expect([statusCode, headers['content-encoding'], headers.vary]).toEqual([200, encoding, 'accept-encoding']);
  expect(headers['content-type']).toContain(type);
  expect(rawPayload).toEqual(bytes);
});

it('lets browsers keep the files whose names have a hash, and no page', async () => {
  expect((await get('/assets/main.js', 'br')).headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect((await get('/', 'br')).headers['cache-control']).toBe('no-cache');
});
