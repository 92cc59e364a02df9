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
  k: 'tape',
  version: 2,
  call_id: 'c',
  wall_ms: 0,
  words: true,
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
let lines: { msg: string; why?: string }[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antiphon-tape-test-'));
  path = join(folder, 'c.tape.gz');
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const log = createLogger('test', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) });
const tapeOf = (free = GIB, at = path) =>
  createCallCapture({ path: at, header: HEAD, log, freeBytes: async () => free });

it('is whole when it is closed, however often, and for its owner only', async () => {
  const tape = tapeOf();
  tape.add({ t: 1, k: 'digit', digit: '1' });
  await Promise.all([tape.close(), tape.close()]);
  tape.add({ t: 2, k: 'digit', digit: '2' });
  await tape.close();
  expect(readdirSync(folder)).toEqual(['c.tape.gz']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect((await readCapture(path)).entries).toEqual([{ t: 1, k: 'digit', digit: '1' }]);
});

it('is cut, and says so, when the disk is nearly full', async () => {
  const tape = tapeOf(GIB / 4);
  tape.add({ t: 1, k: 'digit', digit: '1' });
  await eventually('the cut', WITHIN_MS, async () => lines[0]);
  tape.add({ t: 2, k: 'digit', digit: '2' });
  await tape.close();
  expect((await readCapture(path)).entries).toEqual([
    { t: 1, k: 'digit', digit: '1' },
    { t: 1, k: 'cut', why: 'the disk is nearly full' },
  ]);
  expect(lines).toMatchObject([{ msg: 'the tape of a call was cut', why: 'the disk is nearly full' }]);
});

it('that cannot be written is given up, said once, and leaves nothing', async () => {
  const tape = tapeOf(GIB, join(folder, 'nowhere', 'c.tape.gz'));
  tape.add({ t: 1, k: 'stop' });
  await eventually('the warning', WITHIN_MS, async () => lines[0]);
  tape.add({ t: 2, k: 'stop' });
  await tape.close();
  expect(lines.map(({ msg }) => msg)).toEqual(['the tape of a call cannot be written']);
  expect(readdirSync(folder)).toEqual([]);
});

it.skipIf(!existsSync('/dev/full'))('on a disk that is full is given up, and leaves nothing', async () => {
  symlinkSync('/dev/full', `${path}.part`);
  const tape = tapeOf();
  for (let t = 0; t < 5_000; t += 1_000) tape.add({ t, k: 'stop' });
  await tape.close();
  expect(lines.map(({ msg }) => msg)).toEqual(['the tape of a call cannot be written']);
  expect(readdirSync(folder)).toEqual([]);
});

it('never throws at what cannot be written down', async () => {
  const tape = tapeOf();
  tape.add({ t: 1, k: 'answered', question: 'q', n: 0, after: 0, answer: 1n, failure: null });
  tape.add({ t: 2, k: 'stop' });
  await tape.close();
  expect(lines.map(({ msg }) => msg)).toEqual(['the tape of a call cannot be written']);
  expect(readdirSync(folder)).toEqual([]);
});

it('can be read up to the last two seconds when its engine died', async () => {
  const tape = tapeOf();
  for (let t = 0; t <= 10_000; t += 500) tape.add({ t, k: 'digit', digit: '1' });
  const { entries } = await eventually('what was written', WITHIN_MS, async () => {
    const read = await readCapture(`${path}.part`).catch(() => null);
    return read && read.entries.length > 16 ? read : null;
  });
  expect(entries.at(-1)).toMatchObject({ k: 'cut', why: 'the file ends in the middle' });
  expect(entries.at(-2)).toMatchObject({ k: 'digit' });
  await tape.close();
});
