import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type BrowserPhone, hasChromium, openBrowserPhone } from '../../../fixtures/simulators/browser-phone.ts';
import { loadSpeech } from '../../../fixtures/speech.ts';
import { createConverter } from '../../../media/audio/converter.ts';
import { PCM_8K, PCM_16K } from '../../../media/audio/format.ts';
import { loadOpus } from '../../../media/audio/opus.ts';
import { encodeWav } from '../../../media/audio/wav.ts';
import { type BrowserStream, openBrowserGateway } from '../../../media/browser-gateway.ts';
import { createBrowserMedia } from '../../../media/leg/browser-media.ts';
import type { LegListener } from '../../../media/leg/leg.ts';
import { findMediasoupWorker } from '../../../media/leg/mediasoup-worker.ts';
import { Playout } from '../../../media/playout/playout.ts';
import { type MediaServer, startServer } from '../../../media/server.ts';
import { createPocketsphinx } from '../../../media/stt/pocketsphinx.ts';
import type { TranscriberEvent } from '../../../media/stt/transcriber.ts';
import { systemClock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/log.ts';
import { signMediaToken } from '../../../shared/media-token.ts';
import { eventually, pause, until } from '../../support/until.ts';

const SECRET = 'a secret of the test';
const BIN = process.env.POCKETSPHINX_BIN ?? 'pocketsphinx_continuous';
const packageMain = createRequire(import.meta.url).resolve('mediasoup');
const { version } = JSON.parse(readFileSync(join(dirname(packageMain), '../../package.json'), 'utf8')) as {
  version: string;
};
const missing = [
  hasChromium() ? '' : 'Chromium (Debian: chromium)',
  findMediasoupWorker(version, packageMain) ? '' : "mediasoup's worker (make browser)",
  'unavailableReason' in loadOpus() ? '@discordjs/opus' : '',
  spawnSync(BIN, []).error ? `${BIN} (Debian: pocketsphinx, pocketsphinx-en-us)` : '',
].filter(Boolean);
if (missing.length > 0) console.warn(`browser calls are not tested here: ${missing.join(', ')} is missing`);

const WITHIN_MS = 60_000;
const MAX_ROUNDS = 5;

describe.skipIf(missing.length > 0)('a real browser talks to the engine', { timeout: 360_000, retry: 2 }, () => {
  // A browser that gets no time on a busy machine stumbles over its microphone: another try may be understood better. The
  // agent repeats itself until it is understood.
  const folder = mkdtempSync(join(tmpdir(), 'browser-real-'));
  const wav = join(folder, 'caller.wav');
  const log = createLogger('test', process.env.SHOW_LOGS ? 'debug' : 'silent');
  const streams: BrowserStream[] = [];
  const closing: (() => Promise<unknown> | unknown)[] = [];
  let server: MediaServer;

  beforeAll(async () => {
    // The caller waits a moment, speaks once, and is silent.
    const { samples } = loadSpeech('booking-request');
    const audio = new Int16Array(8_000 * 12);
    audio.set(samples, 8_000 * 2);
    writeFileSync(wav, encodeWav(8_000, audio));
    server = await startServer({
      host: '127.0.0.1',
      port: 0,
      tokenSecret: SECRET,
      clock: systemClock,
      log,
      onStream: () => {},
      awaitsStream: () => false,
      ready: () => true,
      browsers: (app, shared) =>
        openBrowserGateway(app, {
          media: createBrowserMedia({ host: '127.0.0.1', port: 0, announcedAddress: '', clock: systemClock, log }),
          tokenSecret: SECRET,
          clock: systemClock,
          log,
          ...shared,
          onStream: (stream) => void streams.push(stream),
          ready: () => true,
        }),
    });
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const newUrl = () => `ws://127.0.0.1:${server.port}/web/${signMediaToken(SECRET, newId(), Date.now() + 60_000)}`;

  async function newPhone(): Promise<BrowserPhone> {
    const phone = await openBrowserPhone({ wav, once: true });
    closing.push(() => phone.close());
    return phone;
  }

  /** Understands what is put into it; `known` are the words of a text that it has understood so far. */
  async function newEar() {
    const events: TranscriberEvent[] = [];
    const transcriber = createPocketsphinx({
      bin: BIN,
      modelsDir: process.env.POCKETSPHINX_MODELS ?? '/usr/share/pocketsphinx/model',
      languageModelsDir: join(import.meta.dirname, '../../../fixtures/language-models'),
      model: 'booking',
      clock: systemClock,
      log,
      listener: (event) => void events.push(event),
    });
    closing.push(() => transcriber.close());
    await transcriber.open();
    const understood = () =>
      events.flatMap((event) => ('text' in event && event.type === 'final' ? event.text : [])).join(' ');
    const finals = () => events.filter(({ type }) => type === 'final').length;
    const known = (text: string) => {
      const recognized = new Set(understood().split(' '));
      return text.split(' ').filter((word) => recognized.has(word)).length;
    };
    return { transcriber, understood, finals, known };
  }

  function play(stream: BrowserStream, listener: Partial<LegListener>): Playout {
    const { leg } = stream;
    const playout = new Playout(leg, systemClock, { started() {}, finished() {}, sent() {}, dropped() {} });
    leg.listen({ audio() {}, mark() {}, digit() {}, ended() {}, ...listener });
    const ticker = setInterval(() => {
      leg.tick(performance.now());
      playout.tick(performance.now());
    }, 20);
    closing.push(() => {
      clearInterval(ticker);
      leg.hangUp('the test is over');
    });
    return playout;
  }

  test('speech is recognized in both directions, and the page reconnects over a new socket', async () => {
    const phone = await newPhone();
    streams.length = 0;
    const url = newUrl();
    const callerTranscriber = await newEar();
    await phone.call(url);
    await until(() => streams.length === 1, 'the call', WITHIN_MS);
    let frames = 0;
    const digits: string[] = [];
    let ended = '';
    const playout = play(streams[0]!, {
      audio(frame) {
        frames++;
        callerTranscriber.transcriber.audio(frame);
      },
      digit: (digit) => void digits.push(digit),
      ended: (cause, detail) => {
        ended = `${cause}: ${detail}`;
      },
    });
    // Eight seconds: all of the speech and the silence after it.
    await until(() => frames > 400, 'eight seconds of audio', WITHIN_MS);
    callerTranscriber.transcriber.finalize();
    await until(() => callerTranscriber.understood() !== '', 'the transcript of the caller', WITHIN_MS);
    const wanted = loadSpeech('booking-request').text;
    expect(callerTranscriber.known(wanted), `${callerTranscriber.understood()} | ${wanted}`).toBeGreaterThanOrEqual(4);

    // The agent answers; what the browser plays is understood.
    const agent = loadSpeech('booking-change');
    const spoken = createConverter(PCM_8K, PCM_16K).convert(new Uint8Array(agent.samples.buffer)).slice();
    const agentTranscriber = await newEar();
    for (let round = 0; round < MAX_ROUNDS && agentTranscriber.known(agent.text) < 3; round++) {
      await phone.takeAudio();
      playout.begin(`r${round}`, false);
      playout.push(`r${round}`, spoken);
      playout.complete(`r${round}`);
      await pause(agent.samples.length / 8 + 2_000);
      const received = await phone.takeAudio();
      expect(received.length).toBeGreaterThan(spoken.length);
      const before = agentTranscriber.finals();
      for (let at = 0; at < received.length; at += 640)
        agentTranscriber.transcriber.audio(received.subarray(at, at + 640));
      agentTranscriber.transcriber.finalize();
      await until(() => agentTranscriber.finals() > before, 'the transcript of the agent', WITHIN_MS);
    }
    expect(
      agentTranscriber.known(agent.text),
      `${agentTranscriber.understood()} | ${agent.text}`,
    ).toBeGreaterThanOrEqual(3);
    if (process.env.SHOW_WORDS)
      console.log(
        callerTranscriber.understood(),
        '|',
        agentTranscriber.understood(),
        await phone.report(),
        streams[0]!.leg.stats,
      );

    await phone.ask({ type: 'digit', digit: '5' });
    expect(digits).toEqual(['5']);

    await phone.dropSocket();
    await phone.call(url, { reconnect: true });
    const ready = (await phone.messages()).filter(({ type }) => type === 'ready');
    expect(ready).toMatchObject([{ resumed: false }, { resumed: true }]);
    const before = frames;
    const packets = streams[0]!.leg.stats.packets;
    await until(() => frames > before + 50 && streams[0]!.leg.stats.packets > packets + 1, 'audio after it', WITHIN_MS);

    await phone.ask({ type: 'hang_up' });
    await until(() => ended !== '', 'the end', WITHIN_MS);
    expect(ended).toBe('hung up: caller hung up');
    streams[0]!.leg.hangUp('caller hung up');
    await eventually('the last message', WITHIN_MS, async () =>
      (await phone.messages()).find((message) => message.type === 'ended' && message.reason === 'caller hung up'),
    );
  });
});
