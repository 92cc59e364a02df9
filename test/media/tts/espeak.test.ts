import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProviderError } from '../../../media/provider/provider-error.ts';
import { createEspeakSynthesizer, type EspeakSynthesizerOptions } from '../../../media/tts/espeak.ts';
import { espeakVoice, wordsPerMinute } from '../../../media/tts/espeak-voice.ts';
import type { Synthesizer, SynthesizerEvent } from '../../../media/tts/synthesizer.ts';
import { createWavStream } from '../../../media/tts/wav-stream.ts';
import { createLogger } from '../../../shared/log.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { until } from '../../support/until.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

let folder: string;
let synthesizer: Synthesizer;
let events: SynthesizerEvent[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'espeak-'));
  events = [];
});
afterEach(async () => {
  await synthesizer?.close();
  await rm(folder, { recursive: true });
});

function create(options: Partial<EspeakSynthesizerOptions> = {}): Synthesizer {
  synthesizer = createEspeakSynthesizer({
    bin: 'espeak-ng',
    clock: patientClock,
    log: createLogger('test', 'silent'),
    listener: (event) => events.push(event),
    ...options,
  });
  return synthesizer;
}

/** Writes a program that is run instead of espeak-ng. */
async function program(script: string): Promise<string> {
  const path = join(folder, 'espeak-ng');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

const bytes = () => events.reduce((sum, event) => sum + (event.type === 'audio' ? event.bytes.length : 0), 0);
const over = () => events.some((event) => event.type === 'done' || event.type === 'failed');

async function lengthOf(options: Partial<EspeakSynthesizerOptions>, ...segments: string[]): Promise<number> {
  events = [];
  create(options);
  for (const segment of segments) synthesizer.speak('a', segment);
  synthesizer.end('a');
  await until(over);
  expect(events.at(-1)!.type).toBe('done');
  await synthesizer.close();
  return bytes();
}

test("maps languages and variants to espeak-ng's names", () => {
  const asked = ['hi', 'en', 'en-IN', 'EN_us', 'pt-BR', 'zh-CN', 'fr-CA', 'xx', '', '-w /tmp/x'];
  expect(asked.map((tag) => espeakVoice(tag, ''))).toEqual([
    'hi',
    'en-us',
    'en-gb',
    'en-us',
    'pt-br',
    'cmn',
    'fr-fr',
    'en-us',
    'en-us',
    'en-us',
  ]);
  expect([espeakVoice('hi', 'f3'), espeakVoice('hi', '../x'), espeakVoice('hi', '-w')]).toEqual(['hi+f3', 'hi', 'hi']);
});

test('limits the speed', () => {
  expect([1, 0.6, 1.5, 9, 0, Number.NaN].map(wordsPerMinute)).toEqual([165, 99, 248, 248, 99, 165]);
});

test('speaks faster at a higher speed', async () => {
  const text = 'I can help you with that booking today. ';
  expect(await lengthOf({ speed: 1.5 }, text)).toBeLessThan((await lengthOf({ speed: 0.6 }, text)) * 0.7);
});

test('speaks every language of its list', async () => {
  for (const language of ['hi', 'ta', 'en-GB', 'cmn', 'es-MX']) {
    create({ language });
    await synthesizer.open();
    await synthesizer.close();
  }
});

test('pauses between segments, not after the last', async () => {
  const single = await lengthOf({}, 'Yes. ');
  const two = await lengthOf({}, 'Yes. ', 'Yes. ');
  expect(two).toBe(2 * single + Math.round(0.25 * 22050) * 2);
});

test('emits segments in order, though the second is ready first', async () => {
  const bin = await program(
    `text=$(cat); [ "$text" = slow ] && sleep 0.2
     printf 'RIFF....WAVEfmt \\020\\000\\000\\000\\001\\000\\001\\000\\042\\126\\000\\000\\104\\254\\000\\000\\002\\000\\020\\000data....'
     [ "$text" = slow ] && printf 'ssss' || printf 'qq'`,
  );
  create({ bin });
  for (const segment of ['slow', 'quick', 'third']) synthesizer.speak('a', segment);
  synthesizer.end('a');
  await until(over);
  const audio = Buffer.concat(events.flatMap((event) => (event.type === 'audio' ? [event.bytes] : []))).toString(
    'latin1',
  );
  expect(audio.replaceAll('\0', '')).toBe('ssssqqqq');
});

test('passes the text on standard input alone', async () => {
  const bin = await program(`printf '%s|' "$@" > ${folder}/args; cat > ${folder}/text`);
  create({ bin, language: 'hi', voiceId: 'f3' });
  synthesizer.speak('a', '-w /tmp/x $(touch /tmp/y) [[a]] \0');
  synthesizer.end('a');
  await until(over);
  expect(await readFile(`${folder}/args`, 'utf8')).toBe('--stdin|--stdout|-z|-b|1|-v|hi+f3|-s|165|');
  expect(await readFile(`${folder}/text`, 'utf8')).toBe('-w /tmp/x $(touch /tmp/y) [ [a]]');
});

describe('failure', () => {
  async function openError(): Promise<ProviderError> {
    return synthesizer.open().then(
      () => {
        throw new Error('it opened');
      },
      (error: ProviderError) => error,
    );
  }

  test('a missing program is reported with how to install it', async () => {
    create({ bin: join(folder, 'nothing') });
    const error = await openError();
    expect(error.message).toContain('apt-get install espeak-ng');
    synthesizer.speak('a', 'Hello. ');
    await until(over);
    expect(events).toMatchObject([{ type: 'failed', contextId: 'a', error: { kind: 'unavailable' } }]);
  });

  test('a program that fails fails the context once', async () => {
    create({ bin: await program('exit 3') });
    expect((await openError()).message).toContain('code 3');
    synthesizer.speak('a', 'Hello. ');
    synthesizer.speak('a', 'You. ');
    synthesizer.end('a');
    await until(over);
    await synthesizer.close();
    expect(events).toMatchObject([{ type: 'failed', contextId: 'a', error: { kind: 'unavailable' } }]);
  });

  test('a voice that does not exist is a bad request', async () => {
    create({ bin: await program('echo "Error: The specified espeak-ng voice does not exist." >&2; exit 1') });
    expect((await openError()).kind).toBe('bad_request');
  });

  test('output other than WAV is unavailable', async () => {
    create({ bin: await program('echo something else entirely') });
    synthesizer.speak('a', 'Hello. ');
    await until(over);
    expect(events).toMatchObject([{ type: 'failed', error: { kind: 'unavailable' } }]);
  });

  test('a program that never ends is killed at its deadline', async () => {
    const clock = createVirtualClock();
    const bin = await program(`echo $$ > ${folder}/pid; exec sleep 60`);
    create({ bin, clock });
    synthesizer.speak('a', 'Hello. ');
    let pid = 0;
    const readPid = async () => {
      pid = Number(await readFile(`${folder}/pid`, 'utf8').catch(() => '0'));
    };
    while (pid === 0) await readPid();
    await clock.advance(4_999);
    expect(events).toEqual([]);
    await clock.advance(1);
    expect(events).toMatchObject([{ type: 'failed', contextId: 'a', error: { kind: 'timeout' } }]);
    await until(() => !alive(pid), 'the end of the process');
  });

  test('a cancelled context leaves no process', async () => {
    create({ bin: await program(`echo $$ > ${folder}/pid; exec sleep 60`) });
    synthesizer.speak('a', 'Hello. ');
    let pid = 0;
    while (pid === 0) pid = Number(await readFile(`${folder}/pid`, 'utf8').catch(() => '0'));
    synthesizer.cancel('a');
    await until(() => !alive(pid), 'the end of the process');
    expect(events).toEqual([]);
  });

  function alive(pid: number): boolean {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  }
});

describe('a WAV stream', () => {
  const PCM = { encoding: 'pcm16' as const, sample_rate: 22050 };
  function wav(audio: Buffer, { rate = 22050, channels = 1, extra = Buffer.alloc(0) } = {}): Buffer {
    const header = Buffer.alloc(36);
    header.write('RIFF', 0);
    header.writeUInt32LE(0x7ffff024, 4);
    header.write('WAVEfmt ', 8);
    header.writeUInt32LE(16, 16);
    header.writeUInt16LE(1, 20);
    header.writeUInt16LE(channels, 22);
    header.writeUInt32LE(rate, 24);
    header.writeUInt16LE(16, 34);
    const data = Buffer.from('data\0\xf0\xff\x7f', 'latin1');
    return Buffer.concat([header, extra, data, audio]);
  }

  test('is read the same however it is split', () => {
    const audio = Buffer.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const whole = wav(audio, { extra: Buffer.from('LIST\x03\0\0\0abc\0', 'latin1') });
    for (let size = 1; size <= whole.length; size++) {
      const stream = createWavStream(PCM);
      const parts: Uint8Array[] = [];
      for (let at = 0; at < whole.length; at += size)
        parts.push(Uint8Array.from(stream.push(whole.subarray(at, at + size))));
      for (const part of parts) expect(part.length % 2).toBe(0);
      expect(Buffer.concat(parts)).toEqual(audio);
    }
  });

  test('of another format is refused', () => {
    expect(() => createWavStream(PCM).push(wav(Buffer.alloc(4), { rate: 16000 }))).toThrow('16000 Hz');
    expect(() => createWavStream(PCM).push(wav(Buffer.alloc(4), { channels: 2 }))).toThrow('2 channels');
    expect(() => createWavStream(PCM).push(Buffer.from('ID3 something more'))).toThrow('not a WAV');
  });
});
