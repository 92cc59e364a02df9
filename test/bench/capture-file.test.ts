import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { entriesOf, readCapture } from '../../bench/replay/read-capture.ts';
import { realTimeRefusal } from '../../bench/replay/real.ts';
import { differences, printable, timelineOf, timelineText } from '../../bench/replay/timeline.ts';
import { replay, type TimelineEvent } from '../../bench/replay/virtual.ts';
import type { CaptureHeader } from '../../shared/capture.ts';

const BOOKING = fileURLToPath(new URL('../../fixtures/captures/booking.capture.gz', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'antiphon-capture-file-'));
const path = join(folder, 'capture.gz');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const packed = readFileSync(BOOKING);
const [firstLine, ...otherLines] = gunzipSync(packed).toString().trimEnd().split('\n') as [string, ...string[]];
const head = JSON.parse(firstLine);

/** Reads a capture of these lines. */
async function read(...lines: (object | string)[]) {
  const text = lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  writeFileSync(path, gzipSync(text));
  return readCapture(path);
}

describe('a truncated capture', () => {
  it('is replayed up to its end, and reports it', async () => {
    writeFileSync(path, packed.subarray(0, Math.floor(packed.length / 2)));
    const capture = await readCapture(path);
    const [cut] = entriesOf(capture, 'truncated');
    expect(cut!.reason).toBe('the file ends in the middle');
    const [first, second] = [await replay(capture, { vad: 'captured' }), await replay(capture, { vad: 'captured' })];
    expect(JSON.stringify(second)).toBe(JSON.stringify(first));
    expect(first.truncated).toEqual({ t: cut!.t, why: cut!.reason });
    expect(first.missing).toEqual([]);
    const then = timelineOf(capture);
    expect(then.length).toBeGreaterThan(3);
    expect(differences(then, first.events)).toEqual([]);
  });

  it('is truncated at an incomplete line, too', async () => {
    writeFileSync(path, gzipSync(`${firstLine}\n{"t":1,"k":"stop"}\n{"t":2,"k":"st`));
    expect((await readCapture(path)).entries).toEqual([
      { t: 1, k: 'stop' },
      { t: 1, k: 'truncated', reason: 'the file ends in the middle' },
    ]);
  });
});

describe('a file that is not a capture', () => {
  it.each([
    ['of a later version', [{ ...head, version: 5 }], 'capture version 5 is not supported, only 3 and 4'],
    ['with another beginning', [{ k: 'stop', t: 1 }], 'it has no capture header'],
    ['of nothing', [], 'it is empty'],
    ['of no JSON', ['what'], 'line 1'],
    ['of null', [head, 'null'], 'line 2'],
    ['with a moment beyond all calls', [head, { t: 1e300, k: 'stop' }], 'line 2: t'],
    ['with a moment that is none', [head, { t: null, k: 'stop' }], 'line 2: t'],
    ['with an unknown kind of line', [head, { t: 1, k: 'rm -rf' }], 'line 2: k'],
    [
      'with an answer that never comes',
      [head, { t: 1, k: 'turn_prediction', n: 0, after: 1e12, p: 1 }],
      'line 2: after',
    ],
    [
      'with more sound than memory',
      [head, { t: 1, k: 'synthesizer_event', n: 0, c: 0, after: 1, event: { type: 'audio', bytes: 1e12 } }],
      'line 2: event.bytes',
    ],
    ['of a line too fast', [{ ...head, leg: { ...head.leg, caller: { encoding: 'pcm16', sample_rate: 1e9 } } }], 'leg'],
    ['of a call without end', [{ ...head, session: { ...head.session, max_duration_seconds: 1e9 } }], 'session'],
    ['written by a time traveller', [{ ...head, wall_ms: 1e18 }], 'wall_ms'],
  ])('%s is reported in plain words', async (_what, lines, words) => {
    await expect(read(...lines)).rejects.toThrow(words);
  });

  it('that unpacks to more than a capture can hold is not unpacked', async () => {
    writeFileSync(path, gzipSync(Buffer.alloc(2 ** 25, 0x20)));
    await expect(readCapture(path)).rejects.toThrow('a line of more than 4 MiB');
  });

  it('that is not there, is a folder, or no gzip at all', async () => {
    await expect(readCapture(join(folder, 'none'))).rejects.toThrow('no such file');
    await expect(readCapture(folder)).rejects.toThrow('is no capture');
    writeFileSync(path, 'what');
    await expect(readCapture(path)).rejects.toThrow('incorrect header check');
    writeFileSync(path, '');
    await expect(readCapture(path)).rejects.toThrow('it is empty');
  });
});

describe('an untrusted capture', () => {
  it('of a carrier that is none is refused when it is played', async () => {
    const capture = await read({ ...head, leg: { ...head.leg, carrier: 'constructor' } });
    await expect(replay(capture, { vad: 'captured' })).rejects.toThrow('captures of constructor cannot be replayed');
  });

  it('of an agent that is none is refused in words', async () => {
    const capture = await read({ ...head, session: { ...head.session, agent_json: '[]' } }, { t: 1, k: 'stop' });
    await expect(replay(capture, { vad: 'captured' })).rejects.toThrow();
  });

  it('writes no control characters to a terminal', () => {
    const event = { t: 0, type: 'user.turn', level: 'info', message: '\u001b[2J\u202eabc\nnext', latency_ms: null };
    const events = [{ ...event, data: {} }];
    expect(printable(event.message)).toBe('?[2J?abc next');
    expect(timelineText(events)).not.toContain('\u001b');
    expect(differences([], events).join('')).not.toContain('\u001b');
  });

  it('with more events than can be compared is not compared for ever', () => {
    const many = (message: string) =>
      Array.from(
        { length: 20_000 },
        (_, t): TimelineEvent => ({ t, type: 'a', level: 'info', message, latency_ms: null, data: {} }),
      );
    expect(differences(many('x'), many('x'))).toEqual([]);
    expect(differences(many('x'), many('y'))).toEqual(['- 20000 events', '+ 20000 events: too many to compare']);
  });

  it('is played in real time only where that can be done', async () => {
    const capture = await read(head, ...otherLines.slice(0, 10));
    const browser = { ...capture.head, leg: { ...capture.head.leg, carrier: 'browser' } };
    const refusalOf = (head: CaptureHeader) => realTimeRefusal({ ...capture, head });
    expect(refusalOf(capture.head)).toBeNull();
    expect(refusalOf(browser)).toContain('browser call');
    expect(refusalOf({ ...capture.head, redacted: true })).toContain('no audio');
  });
});
