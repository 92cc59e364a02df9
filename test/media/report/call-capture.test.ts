import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readCapture } from '../../../bench/replay/read-capture.ts';
import { createCallCapture } from '../../../media/report/call-capture.ts';
import type { CaptureHeader } from '../../../shared/capture.ts';
import { createLogger } from '../../../shared/log.ts';
import { eventually } from '../../support/until.ts';

const WITHIN_MS = 60_000;
const GIB = 2 ** 30;
const HEAD: CaptureHeader = {
  k: 'header',
  version: 3,
  call_id: 'c',
  wall_ms: 0,
  redacted: false,
  session: {
    direction: 'inbound',
    channel: 'phone',
    agent_json: '{}',
    user_data_json: '{}',
    max_duration_seconds: 60,
    llm_fallbacks: [],
    knowledge: null,
  },
  leg: {
    carrier: 'twilio',
    caller: { encoding: 'mulaw', sample_rate: 8_000 },
    agent: { encoding: 'mulaw', sample_rate: 8_000 },
  },
};

let folder: string;
let path: string;
let lines: { msg: string; reason?: string }[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antiphon-capture-test-'));
  path = join(folder, 'c.capture.gz');
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const log = createLogger('test', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) });
const captureOf = (free = GIB, at = path) =>
  createCallCapture({ path: at, header: HEAD, log, freeBytes: async () => free });

it('is complete after close, which is idempotent, and readable by its owner only', async () => {
  const capture = captureOf();
  capture.add({ t: 1, k: 'digit', digit: '1' });
  await Promise.all([capture.close(), capture.close()]);
  capture.add({ t: 2, k: 'digit', digit: '2' });
  await capture.close();
  expect(readdirSync(folder)).toEqual(['c.capture.gz']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect((await readCapture(path)).entries).toEqual([{ t: 1, k: 'digit', digit: '1' }]);
});

it('is truncated, with an entry that says so, when the disk is nearly full', async () => {
  const capture = captureOf(GIB / 4);
  capture.add({ t: 1, k: 'digit', digit: '1' });
  await eventually('the cut', WITHIN_MS, async () => lines[0]);
  capture.add({ t: 2, k: 'digit', digit: '2' });
  await capture.close();
  expect((await readCapture(path)).entries).toEqual([
    { t: 1, k: 'digit', digit: '1' },
    { t: 1, k: 'truncated', reason: 'the disk is nearly full' },
  ]);
  expect(lines).toMatchObject([{ msg: 'call capture truncated', reason: 'the disk is nearly full' }]);
});

it('is given up with one warning and no file when it cannot be written', async () => {
  const capture = captureOf(GIB, join(folder, 'nowhere', 'c.capture.gz'));
  capture.add({ t: 1, k: 'stop' });
  await eventually('the warning', WITHIN_MS, async () => lines[0]);
  capture.add({ t: 2, k: 'stop' });
  await capture.close();
  expect(lines.map(({ msg }) => msg)).toEqual(['call capture cannot be written']);
  expect(readdirSync(folder)).toEqual([]);
});

it.skipIf(!existsSync('/dev/full'))('is given up and leaves no file on a full disk', async () => {
  symlinkSync('/dev/full', `${path}.part`);
  const capture = captureOf();
  for (let t = 0; t < 5_000; t += 1_000) capture.add({ t, k: 'stop' });
  await capture.close();
  expect(lines.map(({ msg }) => msg)).toEqual(['call capture cannot be written']);
  expect(readdirSync(folder)).toEqual([]);
});

it('never throws for an entry that cannot be serialized', async () => {
  const capture = captureOf();
  capture.add({ t: 1, k: 'bus_reply', request: 'q', n: 0, after: 0, reply: 1n, failure: null });
  capture.add({ t: 2, k: 'stop' });
  await capture.close();
  expect(lines.map(({ msg }) => msg)).toEqual(['call capture cannot be written']);
  expect(readdirSync(folder)).toEqual([]);
});

it('is readable up to the last two seconds after the engine died', async () => {
  const capture = captureOf();
  for (let t = 0; t <= 10_000; t += 500) capture.add({ t, k: 'digit', digit: '1' });
  const { entries } = await eventually('what was written', WITHIN_MS, async () => {
    const read = await readCapture(`${path}.part`).catch(() => null);
    return read && read.entries.length > 16 ? read : null;
  });
  expect(entries.at(-1)).toMatchObject({ k: 'truncated', reason: 'the file ends in the middle' });
  expect(entries.at(-2)).toMatchObject({ k: 'digit' });
  await capture.close();
});
