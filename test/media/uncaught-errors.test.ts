import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Phone } from '../../fixtures/simulators/carrier-phone.ts';
import { createUncaughtErrorHandler } from '../../media/uncaught-errors.ts';
import { createLogger } from '../../shared/log.ts';
import { type AdmittedCall, type MediaProgram, startMediaProgram } from '../support/media-program.ts';
import { type SimulatedProviders, startSimulatedProviders } from '../support/simulated-providers.ts';
import { eventually } from '../support/until.ts';
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts';

/** The handler of uncaught errors alone, and then in the real program with a call in progress. */

describe('an uncaught error', () => {
  let clock: VirtualClock;
  let lines: Record<string, unknown>[];
  let shutdowns: number;
  let exits: number;
  let handle: (thrown: unknown) => void;

  beforeEach(() => {
    clock = createVirtualClock();
    [lines, shutdowns, exits] = [[], 0, 0];
    const log = createLogger('media', 'debug', { write: (line: string) => void lines.push(JSON.parse(line)) });
    handle = createUncaughtErrorHandler({ clock, log, shutDown: () => void shutdowns++, exit: () => void exits++ });
  });

  test('is logged once with its stack, and shuts the engine down once, however many follow', async () => {
    for (let time = 0; time < 500; time++) {
      handle(new TypeError('it is not there'));
      await clock.advance(11);
    }
    expect([shutdowns, exits]).toEqual([1, 0]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 60, error: 'TypeError: it is not there' });
    expect((lines[0]!.frames as string[])[0]).toContain('uncaught-errors.test.ts');
  });

  test('exits when a hundred come within a second', async () => {
    for (let time = 0; time < 99; time++) {
      handle(new Error('again'));
      await clock.advance(10);
    }
    expect(exits).toBe(0);
    handle(new Error('again'));
    expect([shutdowns, exits]).toEqual([1, 1]);
    expect(lines.map(({ level }) => level)).toEqual([60, 60]);
  });

  test('is logged without quoted input', () => {
    try {
      JSON.parse('my card number is "4111"');
    } catch (error) {
      handle(error);
    }
    expect(lines[0]!.error).toContain('SyntaxError: Unexpected token');
    expect(JSON.stringify(lines)).not.toMatch(/card|4111/);
  });

  test('is logged with the frames of its stack, not with lines of its message that look like frames', () => {
    handle(new Error('heard "I live\n    at the corner"'));
    expect(JSON.stringify(lines)).not.toContain('corner');
    expect((lines[0]!.frames as string[])[0]).toContain('uncaught-errors.test.ts');
  });

  test.each([
    ['a message of many lines', new Error('one\n    two\nthree')],
    ['a very long one', new Error('x'.repeat(100_000))],
    ['an error without a stack', Object.assign(new Error('no stack'), { stack: undefined })],
    ['an error whose message is null', Object.assign(new Error(), { message: null })],
    ['an object without a prototype', Object.create(null)],
    ['nothing', undefined],
  ])('may be %s', (_name, thrown) => {
    handle(thrown);
    expect(shutdowns).toBe(1);
    expect(JSON.stringify(lines).length).toBeLessThan(3_000);
  });
});

interface LiveCall {
  call: AdmittedCall;
  phone: Phone;
}

const WITHIN_MS = 60_000;
/** Has audio without a pause, so that a gap shows. */
const AGENT = {
  // The agent says nothing, so that a slow provider on a busy machine does not end the call.
  welcome_message: '',
  transcriber: { provider: 'deepgram_flux' },
  voice: { provider: 'elevenlabs', voice_id: 'test', language: 'en' },
  call: { record: false, ambient_sound: 'office', hangup_after_silence_seconds: 120 },
};
/** One signal makes a timer throw, another two hundred of them. The exit of a process is logged. */
const ERROR_PROBE = `
  const fail = () => { throw new Error('of the test'); };
  process.on('SIGUSR2', () => setTimeout(fail, 1));
  process.on('SIGALRM', () => { for (let n = 0; n < 200; n++) setTimeout(fail, 1); });
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
      {
        MEDIA_PROCESSES: String(processes),
        PUBLIC_ENGINE_URL: 'ws://127.0.0.1:{port}',
        DRAIN_SECONDS: '60',
        ...providers.settings,
      },
      [`--import=data:text/javascript,${encodeURIComponent(ERROR_PROBE)}`],
    );
  }

  async function callAt(port?: number): Promise<LiveCall> {
    const call = media.admit(AGENT);
    const phone = await media.join(call, port);
    await receiveFrames(phone, 10);
    return { call, phone };
  }

  /** Waits for this many more frames of the agent. */
  async function receiveFrames(phone: Phone, frames = 50): Promise<void> {
    const before = phone.agentFrames.length;
    await phone.waitFor('more audio', WITHIN_MS, () => phone.agentFrames.length >= before + frames);
  }

  const timesLogged = (text: string) => media.tail(10_000).split(text).length - 1;
  const logged = (text: string) =>
    eventually(`the log to contain "${text}"`, WITHIN_MS, async () => timesLogged(text) > 0 || null);

  async function hangUp({ call, phone }: LiveCall): Promise<void> {
    phone.hangUp();
    const events = await call.ended(WITHIN_MS);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events[0]).toMatchObject({ type: 'call.started' });
    expect(events.at(-1)!.ending).toMatchObject({ hangup_by: 'caller', hangup_reason: 'caller hung up' });
  }

  test('takes no further call, keeps the call in progress to its end, and exits', async () => {
    await start(1);
    const live = await callAt();
    process.kill(media.pid, 'SIGUSR2');
    await logged('"level":60');
    await expect(media.join(media.admit(AGENT))).rejects.toThrow('503');
    expect((await fetch(`http://127.0.0.1:${media.port}/readyz`)).status).toBe(503);
    for (let time = 0; time < 9; time++) {
      process.kill(media.pid, 'SIGUSR2');
      await receiveFrames(live.phone, 5);
    }
    await hangUp(live);
    await logged(`${media.pid} exits with 1`);
    expect(timesLogged('"level":60')).toBe(1);
    expect(timesLogged('Error: of the test')).toBe(1);
  });

  test('exits at once when errors come without end', async () => {
    await start(1);
    const { phone } = await callAt();
    process.kill(media.pid, 'SIGALRM');
    expect(await phone.waitForEnd(WITHIN_MS)).toBe('agent');
    await logged(`${media.pid} exits with 1`);
    expect(timesLogged('"level":60')).toBe(2);
  });

  test('is restarted by its supervisor', async () => {
    await start(2);
    const [first] = await engines(() => true);
    const live = await callAt(first!.port);
    process.kill(first!.pid, 'SIGUSR2');
    await logged('"level":60');
    await receiveFrames(live.phone);
    await hangUp(live);
    await logged(`${first!.pid} exits with 1`);
    const now = await engines((pids) => !pids.includes(first!.pid));
    for (const { port } of now) await hangUp(await callAt(port));
  });

  /** Both engines, once their processes are as expected. */
  function engines(expected: (pids: number[]) => boolean): Promise<{ pid: number; port: number }[]> {
    return eventually('two engines', WITHIN_MS, async () => {
      const response = await fetch(`http://127.0.0.1:${media.port}/metricsz`).catch(() => null);
      if (!response?.ok) return null;
      const { engines: all } = (await response.json()) as { engines: { pid: number; port: number }[] };
      return all.length === 2 && expected(all.map(({ pid }) => pid)) ? all : null;
    });
  }
});
