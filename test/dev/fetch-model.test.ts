import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fetchModel } from '../../dev/fetch-model.ts';
import type { ModelFile } from '../../shared/model-files.ts';
import { afterFile } from '../support/after-file.ts';

const CONTENT = Buffer.alloc(300_000, 'weights');
const ranges: (string | undefined)[] = [];
let cutsAt = Number.POSITIVE_INFINITY;

const server = createServer((request, response) => {
  const { range } = request.headers;
  ranges.push(range);
  const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
  response.writeHead(range ? 206 : 200, { 'content-length': CONTENT.length - from });
  if (cutsAt > CONTENT.length) response.end(CONTENT.subarray(from));
  else response.write(CONTENT.subarray(from, cutsAt), () => response.socket?.destroySoon());
});
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
afterFile(() => new Promise((closed) => server.close(closed)));
const folder = mkdtempSync(join(tmpdir(), 'antiphon-models-'));
afterFile(() => rmSync(folder, { recursive: true }));

const model = (file: string): ModelFile => ({
  name: 'test',
  file,
  url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${file}`,
  bytes: CONTENT.length,
  sha256: createHash('sha256').update(CONTENT).digest('hex'),
  licence: 'none',
  purpose: 'a test',
});

test('a model is fetched once', async () => {
  expect(await fetchModel(model('once.onnx'), { folder })).toEqual({ path: join(folder, 'once.onnx'), fetched: true });
  expect(readFileSync(join(folder, 'once.onnx')).equals(CONTENT)).toBe(true);
  ranges.length = 0;
  expect(await fetchModel(model('once.onnx'), { folder })).toMatchObject({ fetched: false });
  expect(ranges).toEqual([]);
});

test('what broke off is continued', async () => {
  cutsAt = 100_000;
  await expect(fetchModel(model('cut.onnx'), { folder })).rejects.toThrow(/try again, what came is kept/);
  cutsAt = Number.POSITIVE_INFINITY;
  ranges.length = 0;
  expect(await fetchModel(model('cut.onnx'), { folder })).toMatchObject({ fetched: true });
  expect(ranges).toEqual(['bytes=100000-']);
  expect(readFileSync(join(folder, 'cut.onnx')).equals(CONTENT)).toBe(true);
});

test('another file than the named one is deleted, and one that was changed is fetched again', async () => {
  const other = { ...model('other.onnx'), sha256: 'f'.repeat(64) };
  await expect(fetchModel(other, { folder })).rejects.toThrow('another file');
  expect(existsSync(join(folder, 'other.onnx'))).toBe(false);
  expect(existsSync(join(folder, 'other.onnx.part'))).toBe(false);
  writeFileSync(join(folder, 'changed.onnx'), 'broken');
  expect(await fetchModel(model('changed.onnx'), { folder })).toMatchObject({ fetched: true });
});

test('without a network the error names the address', async () => {
  const nowhere = { ...model('none.onnx'), url: 'http://127.0.0.1:2/none.onnx' };
  await expect(fetchModel(nowhere, { folder })).rejects.toThrow(
    /127\.0\.0\.1:2\/none\.onnx could not be read \(.*ECONNREFUSED/,
  );
});
