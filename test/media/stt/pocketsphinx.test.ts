import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { BOOKING_CALLER } from '../../../fixtures/conversations/booking-caller.ts';
import { createXorshift32 } from '../../../fixtures/seeded-random.ts';
import { loadSpeech, speechNames } from '../../../fixtures/speech.ts';
import { createConverter } from '../../../media/audio/converter.ts';
import { MULAW_8K, PCM_8K, PCM_16K } from '../../../media/audio/format.ts';
import { createPocketsphinx, type PocketsphinxOptions } from '../../../media/stt/pocketsphinx.ts';
import type { Transcriber, TranscriberEvent } from '../../../media/stt/transcriber.ts';
import { createLogger } from '../../../shared/log.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { wordErrors } from '../../support/word-errors.ts';

const BIN = process.env.POCKETSPHINX_BIN ?? 'pocketsphinx_continuous';
const MODELS = process.env.POCKETSPHINX_MODELS ?? '/usr/share/pocketsphinx/model';
const LANGUAGE_MODELS = join(import.meta.dirname, '../../../fixtures/language-models');
const missing = spawnSync(BIN, []).error !== undefined;
if (missing) console.warn(`${BIN} is not installed (Debian: pocketsphinx, pocketsphinx-en-us): its tests are skipped`);

const folder = mkdtempSync(join(tmpdir(), 'pocketsphinx-'));
const opened: Transcriber[] = [];
afterEach(async () => {
  for (const transcriber of opened.splice(0)) await transcriber.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function setUp(changes: Partial<PocketsphinxOptions> = {}) {
  const events: TranscriberEvent[] = [];
  const waiting: (() => void)[] = [];
  const transcriber = createPocketsphinx({
    bin: BIN,
    modelsDir: MODELS,
    languageModelsDir: LANGUAGE_MODELS,
    model: 'booking',
    clock: patientClock,
    log: createLogger('test', 'error'),
    listener(event) {
      events.push(event);
      for (const look of waiting.splice(0)) look();
    },
    ...changes,
  });
  opened.push(transcriber);
  async function until(count: number): Promise<TranscriberEvent[]> {
    while (events.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    return events;
  }
  return { transcriber, events, until };
}

/** Writes a fake of the program, which prints its output when its input ends. */
function program(name: string, script: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

/** The way of a call: line noise, then the recording, through µ-law to the transcriber's format. */
function callAudio(name: string, silenceMs = 500): Uint8Array {
  const { samples } = loadSpeech(name);
  const lead = silenceMs * 8;
  const chance = createXorshift32(3);
  const audio = new Int16Array(lead + samples.length).map((_, at) =>
    at < lead ? Math.round((chance() - 0.5) * 34) : samples[at - lead]!,
  );
  const coded = createConverter(PCM_8K, MULAW_8K).convert(new Uint8Array(audio.buffer));
  return createConverter(MULAW_8K, PCM_16K).convert(coded).slice();
}

function speak(transcriber: Transcriber, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += 640) transcriber.audio(bytes.subarray(at, at + 640));
}

const LOUD = new Uint8Array(new Int16Array(8000).map((_, at) => (at % 40 < 20 ? 6000 : -6000)).buffer);

describe.skipIf(missing)('real recognition', () => {
  test('transcribes the recordings through the telephone codec', async () => {
    const { transcriber, until } = setUp();
    await transcriber.open();
    // A machine's greeting has words that the small language model has not.
    const names = speechNames().filter((name) => loadSpeech(name).text !== '' && loadSpeech(name).kind !== 'machine');
    let errors = 0;
    let said = 0;
    const report: string[] = [];
    for (const [index, name] of names.entries()) {
      speak(transcriber, callAudio(name));
      const asked = performance.now();
      transcriber.finalize();
      const event = (await until(index + 1))[index]!;
      const text = event.type === 'final' ? event.text : event.type;
      expect(event).toEqual({ type: 'final', turn: index, text: expect.any(String) });
      const wrong = wordErrors(loadSpeech(name).text, text);
      errors += wrong;
      said += loadSpeech(name).words.length;
      report.push(`${wrong} ${name} ${Math.round(performance.now() - asked)} ms: ${text}`);
      const ours = BOOKING_CALLER.find(({ fixture }) => fixture === name);
      for (const word of ours?.keyWords ?? []) expect(text.split(' '), name).toContain(word);
    }
    if (process.env.SHOW_WORDS) console.log(report.join('\n'), `\n${errors} of ${said} words wrong`);
    expect(errors / said).toBeLessThan(0.1);
  });

  test('transcribes nothing from line noise, and starts no process for it', async () => {
    const { transcriber, until } = setUp();
    await transcriber.open();
    speak(transcriber, callAudio('line-noise'));
    transcriber.finalize();
    expect(await until(1)).toEqual([{ type: 'final', turn: 0, text: '' }]);
  });

  test('audio that was not finalized is not part of the next turn', async () => {
    const { transcriber, until } = setUp();
    await transcriber.open();
    speak(transcriber, callAudio('cough'));
    speak(transcriber, callAudio('line-noise', 3000));
    speak(transcriber, callAudio('short-yes-please'));
    transcriber.finalize();
    expect(await until(1)).toEqual([{ type: 'final', turn: 0, text: 'yes please' }]);
  });

  test('audio given while opening is transcribed', async () => {
    const { transcriber, until } = setUp();
    const open = transcriber.open();
    speak(transcriber, callAudio('short-yes-please', 100));
    transcriber.finalize();
    await open;
    expect(await until(1)).toEqual([{ type: 'final', turn: 0, text: 'yes please' }]);
  });

  test('the size of the audio chunks does not matter', async () => {
    const { transcriber, until } = setUp();
    await transcriber.open();
    const audio = callAudio('short-two-people');
    for (let at = 0; at < audio.length; at += 333) transcriber.audio(audio.subarray(at, at + 333));
    transcriber.finalize();
    expect(await until(1)).toEqual([{ type: 'final', turn: 0, text: 'for two people' }]);
  });

  test('close leaves no process running', async () => {
    const { transcriber, events } = setUp();
    await transcriber.open();
    speak(transcriber, LOUD);
    const groups = processes().filter(({ parent }) => parent === process.pid);
    expect(groups).toHaveLength(2);
    await transcriber.close();
    await transcriber.close();
    // What is killed closes its files first and leaves the list of processes a moment later.
    const left = () => processes().filter(({ group }) => groups.some(({ id }) => id === group));
    await expect.poll(left).toEqual([]);
    transcriber.audio(LOUD);
    transcriber.finalize();
    expect(events).toEqual([]);
  });
});

/** The processes that still live. */
function processes(): { id: number; parent: number; group: number }[] {
  return readdirSync('/proc').flatMap((id) => {
    if (!/^\d+$/.test(id)) return [];
    try {
      const fields = readFileSync(`/proc/${id}/stat`, 'latin1')
        .replace(/^.*\) /, '')
        .split(' ');
      const alive = fields[0] !== 'Z' && fields[0] !== 'X';
      return alive ? [{ id: Number(id), parent: Number(fields[1]), group: Number(fields[2]) }] : [];
    } catch {
      return [];
    }
  });
}

test('a missing program fails with a hint how to install it', async () => {
  const { transcriber, events } = setUp({ bin: join(folder, 'nothing-here'), ...smallModel() });
  await expect(transcriber.open()).rejects.toMatchObject({ kind: 'unavailable', message: /install .*pocketsphinx/ });
  expect(events).toEqual([]);
});

test.each(['../secrets', 'a/b', '', 'unknown'])('no model is called %j', async (model) => {
  const { transcriber } = setUp({ ...smallModel(), model });
  await expect(transcriber.open()).rejects.toMatchObject({ kind: 'bad_request' });
});

test('a program that fails at once fails the opening', async () => {
  const { transcriber, events } = setUp({ bin: program('broken', 'exit 3'), ...smallModel() });
  await expect(transcriber.open()).rejects.toMatchObject({ kind: 'unavailable', message: /code 3/ });
  expect(events).toEqual([]);
});

test('a program that hangs fails the opening in bounded time', async () => {
  const clock = createVirtualClock();
  const { transcriber } = setUp({ bin: program('hanging', 'exec sleep 60'), clock, ...smallModel() });
  const open = transcriber.open();
  const refused = expect(open).rejects.toMatchObject({ kind: 'timeout' });
  while (clock.pending() === 0) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(5_000);
  await refused;
});

test('a process that crashes fails the transcriber once', async () => {
  // The first run, over silence, succeeds; later ones crash when they get audio.
  const flag = join(folder, 'tried');
  const bin = program(
    'dying',
    `if [ -e ${flag} ]; then head -c 64 >/dev/null; exit 9; fi; touch ${flag}; cat >/dev/null`,
  );
  const { transcriber, events, until } = setUp({ bin, ...smallModel() });
  await transcriber.open();
  speak(transcriber, LOUD);
  expect(await until(1)).toMatchObject([{ type: 'failed', error: { kind: 'unavailable', provider: 'local' } }]);
  speak(transcriber, LOUD);
  transcriber.finalize();
  await transcriber.close();
  expect(events).toHaveLength(1);
});

test('a process that does not answer is killed, and the next turn works', async () => {
  const flag = join(folder, 'slow');
  const bin = program('slow-program', `cat >/dev/null; if [ -e ${flag} ]; then exec sleep 60; fi; echo heard you`);
  const clock = createVirtualClock();
  const { transcriber, until } = setUp({ bin, clock, ...smallModel() });
  await transcriber.open();
  writeFileSync(flag, '');
  speak(transcriber, LOUD);
  transcriber.finalize();
  await clock.advance(10_000);
  expect(await until(1)).toEqual([{ type: 'final', turn: 0, text: '' }]);
  rmSync(flag);
  speak(transcriber, LOUD);
  transcriber.finalize();
  expect((await until(2))[1]).toEqual({ type: 'final', turn: 1, text: 'heard you' });
});

test('a process that does not read loses the oldest audio', async () => {
  // The first, over silence, works; the next is started at once, and reads only when there is a gate.
  const gate = join(folder, 'gate');
  const tried = join(folder, 'tried-before-gate');
  const waits = `while [ ! -e ${gate} ]; do sleep 0.05; done`;
  const bin = program('stuck', `mkdir ${tried} 2>/dev/null || ${waits}; wc -c`);
  // Answers take as long as they take on a busy machine.
  const clock = createVirtualClock();
  const { transcriber, until } = setUp({ bin, clock, ...smallModel() });
  await transcriber.open();
  const counts = setUp({ bin: program('counting', 'wc -c'), clock, ...smallModel() });
  const { transcriber: second, until: untilSecond } = counts;
  await second.open();
  for (let half = 0; half < 50; half++) {
    speak(transcriber, LOUD);
    speak(second, LOUD);
    await new Promise((resolve) => setImmediate(resolve));
  }
  writeFileSync(gate, '');
  for (const each of [transcriber, second]) each.finalize();
  const [stuck] = await until(1);
  const [counting] = await untilSecond(1);
  const all = 25 * 32_000;
  // Whatever the sockets hold, the adapter keeps two seconds more at most.
  expect(Number((stuck as { text: string }).text)).toBeLessThan(all);
  expect(Number((stuck as { text: string }).text)).toBeGreaterThanOrEqual(2 * 32_000);
  expect(Number((counting as { text: string }).text)).toBeLessThanOrEqual(all);
});

test('a turn longer than 30 seconds gives several finals of the same turn', async () => {
  const { transcriber, until } = setUp({ bin: program('piece', 'cat >/dev/null; echo piece'), ...smallModel() });
  await transcriber.open();
  for (let half = 0; half < 70; half++) {
    speak(transcriber, LOUD);
    await new Promise((resolve) => setImmediate(resolve));
  }
  transcriber.finalize();
  expect(await until(2)).toEqual([
    { type: 'final', turn: 0, text: 'piece' },
    { type: 'final', turn: 0, text: 'piece' },
  ]);
});

/** Files of the right names, for programs that do not read them. */
function smallModel(): Partial<PocketsphinxOptions> {
  const models = mkdtempSync(join(folder, 'models-'));
  for (const file of ['m.lm', 'm.dict']) writeFileSync(join(models, file), '');
  mkdirSync(join(models, 'en-us', 'en-us'), { recursive: true });
  return { modelsDir: models, languageModelsDir: models, model: 'm' };
}
