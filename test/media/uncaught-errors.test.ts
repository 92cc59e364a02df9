import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Phone } from '../../fixtures/simulators/carrier-phone.ts';
import { createUncaughtErrorHandler } from '../../media/uncaught-errors.ts';
import { createLogger } from '../../shared/log.ts';
import { type AdmittedCall, type MediaProgram, startMediaProgram } from '../support/media-program.ts';
import { type SimulatedProviders, startSimulatedProviders } from '../support/simulated-providers.ts';
import { eventually } from '../support/until.ts';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';

/** A mistake of ours that nobody caught: what is made of it, and then the program as it is, with a call on it. */

describe('what nobody caught', () => {
  let clock: VirtualClock;
  let lines: Record<string, unknown>[];
  let left: number;
  let ended: number;
  let uncaught: (thrown: unknown) => void;

  beforeEach(() => {
    clock = createVirtualClock();
    [lines, left, ended] = [[], 0, 0];
    const log = createLogger('media', 'debug', { write: (line: string) => void lines.push(JSON.parse(line)) });
    uncaught = createUncaughtErrorHandler({ clock, log, shutDown: () => void left++, exit: () => void ended++ });
  });

  test('is told once, with its place, and makes the engine leave once, however many follow', async () => {
    for (let time = 0; time < 500; time++) {
      uncaught(new TypeError('it is not there'));
      await clock.advance(11);
    }
    expect([left, ended]).toEqual([1, 0]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 60, error: 'TypeError: it is not there' });
    expect((lines[0]!.frames as string[])[0]).toContain('uncaught.test.ts');
  });

  test('ends everything when a hundred come within a second', async () => {
    for (let time = 0; time < 99; time++) {
      uncaught(new Error('again'));
      await clock.advance(10);
    }
    expect(ended).toBe(0);
    uncaught(new Error('again'));
    expect([left, ended]).toEqual([1, 1]);
    expect(lines.map(({ level }) => level)).toEqual([60, 60]);
  });

  test('holds nothing of what was said', () => {
    try {
      JSON.parse('my card number is "4111"');
    } catch (error) {
      uncaught(error);
    }
    expect(lines[0]!.error).toContain('SyntaxError: Unexpected token');
    expect(JSON.stringify(lines)).not.toMatch(/card|4111/);
  });

  test('has the frames of its stack, not lines of its message that look like some', () => {
    uncaught(new Error('heard "I live\n    at the corner"'));
    expect(JSON.stringify(lines)).not.toContain('corner');
    expect((lines[0]!.frames as string[])[0]).toContain('uncaught.test.ts');
  });

  test.each([
    ['a message of many lines', new Error('one\n    two\nthree')],
    ['a very long one', new Error('x'.repeat(100_000))],
    ['an error without a stack', Object.assign(new Error('no stack'), { stack: undefined })],
    ['an error whose message is none', Object.assign(new Error(), { message: null })],
    ['what has no text at all', Object.create(null)],
    ['nothing', undefined],
  ])('may be %s', (_name, thrown) => {
    uncaught(thrown);
    expect(left).toBe(1);
    expect(JSON.stringify(lines).length).toBeLessThan(3_000);
  });
});

interface Line {
  call: AdmittedCall;
  phone: Phone;
}

const WITHIN_MS = 30_000;
/** Sounds without a pause, so that it shows whether the call goes on. */
const AGENT = {
  // Nothing is said, so that no provider's lateness on a busy machine ends a call here.
  welcome_message: '',
  transcriber: { provider: 'deepgram_flux' },
  voice: { provider: 'elevenlabs', voice_id: 'test', language: 'en' },
  call: { record: false, ambient_sound: 'office', hangup_after_silence_seconds: 120 },
};
/** On one signal a timer throws, on another two hundred do. The end of a process is told to the log. */
const MISTAKES = `
  const mistake = () => { throw new Error('of the test'); };
  process.on('SIGUSR2', () => setTimeout(mistake, 1));
  process.on('SIGALRM', () => { for (let one = 0; one < 200; one++) setTimeout(mistake, 1); });
  process.on('exit', (code) => process._rawDebug(process.pid, 'exits with', code));`;

describe('a real engine', () => {
  let providers: SimulatedProviders;
  let media: MediaProgram;

  beforeAll(async () => {
    providers = await startSimulatedProviders({
      stt: { script: { turns: () => undefined } },
      llm: { firstTokenMs: 20, answer: () => ({ text: 'Yes.' }) },
      tts: { firstAudioMs: 20 },
    });
  });
  beforeEach(({ onTestFailed }) => {
    onTestFailed(() => console.log(media?.tail(40)));
  });
  afterEach(() => media?.stop());
  afterAll(() => providers?.close());

  async function start(processes: number): Promise<void> {
    media = await startMediaProgram(
      { MEDIA_PROCESSES: String(processes), DRAIN_SECONDS: '60', ...providers.settings },
      [`--import=data:text/javascript,${encodeURIComponent(MISTAKES)}`],
    );
  }

  async function callAt(port?: number): Promise<Line> {
    const call = media.admit(AGENT);
    const phone = await media.join(call, port);
    await heardMore(phone, 10);
    return { call, phone };
  }

  /** So many more frames of the agent come. */
  async function heardMore(phone: Phone, frames = 50): Promise<void> {
    const before = phone.agentFrames.length;
    await phone.waitFor('more sound', WITHIN_MS, () => phone.agentFrames.length >= before + frames);
  }

  const timesLogged = (words: string) => media.tail(10_000).split(words).length - 1;
  const logged = (words: string) =>
    eventually(`the log to say "${words}"`, WITHIN_MS, async () => timesLogged(words) > 0 || null);

  async function hangUp({ call, phone }: Line): Promise<void> {
    phone.hangUp();
    const events = await call.ended(WITHIN_MS);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events[0]).toMatchObject({ type: 'call.started' });
    expect(events.at(-1)!.ending).toMatchObject({ hangup_by: 'caller', hangup_reason: 'caller hung up' });
  }

  test('takes no further call, lets the one that is on go on to its end, and leaves', async () => {
    await start(1);
    const line = await callAt();
    process.kill(media.pid, 'SIGUSR2');
    await logged('"level":60');
    await expect(media.join(media.admit(AGENT))).rejects.toThrow('503');
    expect((await fetch(`http://127.0.0.1:${media.port}/readyz`)).status).toBe(503);
    for (let time = 0; time < 9; time++) {
      process.kill(media.pid, 'SIGUSR2');
      await heardMore(line.phone, 5);
    }
    await hangUp(line);
    await logged(`${media.pid} exits with 1`);
    expect(timesLogged('"level":60')).toBe(1);
    expect(timesLogged('Error: of the test')).toBe(1);
  });

  test('ends at once when there is no end of mistakes', async () => {
    await start(1);
    const { phone } = await callAt();
    process.kill(media.pid, 'SIGALRM');
    expect(await phone.waitForEnd(WITHIN_MS)).toBe('agent');
    await logged(`${media.pid} exits with 1`);
    expect(timesLogged('"level":60')).toBe(2);
  });

  test('is followed by another where there are several', async () => {
    await start(2);
    const [first] = await engines(() => true);
    const line = await callAt(first!.private_port);
    process.kill(first!.pid, 'SIGUSR2');
    await logged('"level":60');
    await heardMore(line.phone);
    await hangUp(line);
    await logged(`${first!.pid} exits with 1`);
    const now = await engines((pids) => !pids.includes(first!.pid));
    for (const { private_port } of now) await hangUp(await callAt(private_port));
  });

  /** Both engines, once their processes are as expected. */
  function engines(expected: (pids: number[]) => boolean): Promise<{ pid: number; private_port: number }[]> {
    return eventually('two engines', WITHIN_MS, async () => {
      // A connection of its own, so that whoever listens may answer.
      const asked = fetch(`http://127.0.0.1:${media.port}/metricsz`, { headers: { connection: 'close' } });
      const answer = await asked.catch(() => null);
      if (!answer?.ok) return null;
      const { engines: all } = (await answer.json()) as { engines: { pid: number; private_port: number }[] };
      return all.length === 2 && expected(all.map(({ pid }) => pid)) ? all : null;
    });
  }
});
