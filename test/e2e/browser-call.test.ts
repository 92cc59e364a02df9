import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { freePort } from '../../dev/ports.ts';
import { type BrowserPhone, hasChromium, openBrowserPhone } from '../../fixtures/simulators/browser-phone.ts';
import { LOUD } from '../../fixtures/simulators/carrier-playback.ts';
import { loadSpeech } from '../../fixtures/speech.ts';
import { loadOpus } from '../../media/audio/opus.ts';
import { encodeWav } from '../../media/audio/wav.ts';
import { findMediasoupWorker } from '../../media/leg/mediasoup-worker.ts';
import type { ToBrowser } from '../../shared/web-signalling.ts';
import { launchChromium } from '../support/chromium.ts';
import { say, waitForWelcome } from '../support/conversing-caller.ts';
import { eventually } from '../support/until.ts';
import { type Service, startService } from '../support/whole-service.ts';

/** A real browser and the whole service with the local transcriber and synthesizer. */

const packageMain = createRequire(import.meta.url).resolve('mediasoup');
const { version } = JSON.parse(readFileSync(join(dirname(packageMain), '../../package.json'), 'utf8')) as {
  version: string;
};
const missing = [
  hasChromium() ? '' : 'Chromium (Debian: chromium)',
  findMediasoupWorker(version, packageMain) ? '' : "mediasoup's worker (make browser)",
  'missing' in loadOpus() ? '@discordjs/opus' : '',
  spawnSync(process.env.POCKETSPHINX_BIN ?? 'pocketsphinx_continuous', []).error ? 'pocketsphinx' : '',
].filter(Boolean);
if (missing.length > 0) console.warn(`browser calls are not tested here: ${missing.join(', ')} is missing`);

const WITHIN_MS = 90_000;
const ANSWER = 'Gladly. A table for two it is. When would you like to come?';

describe.skipIf(missing.length > 0)('a call from a web page', { retry: 2 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'browser-call-'));
  let service: Service;
  const phones: BrowserPhone[] = [];

  beforeAll(async () => {
    const { samples } = loadSpeech('booking-request');
    // The welcome takes two seconds. On a busy machine the browser may drop microphone audio: the recording repeats after half a
    // minute.
    const audio = new Int16Array(8_000 * 120);
    for (const second of [6, 36, 66]) audio.set(samples, 8_000 * second);
    writeFileSync(join(folder, 'caller.wav'), encodeWav(8_000, audio));
    service = await startService({
      transcripts: [],
      answer: () => ({ text: ANSWER }),
      settings: { LANGUAGE_MODELS_DIR: join(import.meta.dirname, '../../fixtures/language-models') },
    });
  });
  afterEach(async () => {
    for (const phone of phones.splice(0)) await phone.close();
  });
  afterAll(async () => {
    await service?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('has turns, replies, a live transcript, a recording and an end', async () => {
    const phone = await openBrowserPhone({ wav: join(folder, 'caller.wav'), once: true });
    phones.push(phone);
    const agent = await service.api.createAgent({
      name: 'Reception',
      welcome_message: 'Welcome to the restaurant.',
      system_prompt: 'Answer.',
      transcriber: { provider: 'local', model: 'booking', language: 'en' },
      voice: { provider: 'local', voice_id: 'en', language: 'en' },
      call: { record: true },
    });
    const placed = await service.request('POST', `/agents/${agent.id}/web-call`, { user_data: {} });
    const reply = (await placed.json()) as { call: { id: string; status: string }; session: { url: string } };
    expect(placed.status, JSON.stringify(reply)).toBe(201);
    await phone.call(reply.session.url);

    const answerTranscript = (message: ToBrowser) =>
      message.type === 'transcript' && message.role === 'agent' && message.final && message.text.startsWith('Gladly');
    await eventually('the answer', WITHIN_MS, async () => (await phone.messages()).find(answerTranscript));
    const wanted = new Set(loadSpeech('booking-request').text.split(' '));
    const words = await eventually('the words of the caller', 3 * WITHIN_MS, async () => {
      const all = (await phone.messages()).flatMap((message) => (message.type === 'transcript' ? [message] : []));
      const said = new Set(all.flatMap(({ role, final, text }) => (role === 'user' && final ? text.split(' ') : [])));
      return [...wanted].filter((word) => said.has(word)).length >= 4 ? all : null;
    });
    if (process.env.SHOW_WORDS)
      console.log(words.map(({ role, text, final }) => `${role}${final ? '!' : ' '} ${text}`).join('\n'));
    expect(words.some(({ role, final }) => role === 'agent' && !final)).toBe(true);
    const report = await phone.report();
    if (process.env.SHOW_WORDS) console.log(report);
    expect((await phone.takeAudio()).some((byte) => byte !== 0)).toBe(true);

    await phone.ask({ type: 'hang_up' });
    await eventually('the last message', WITHIN_MS, async () =>
      (await phone.messages()).find((message) => message.type === 'ended'),
    );
    const { call, events } = await service.finished(reply.call.id, WITHIN_MS);
    expect(call).toMatchObject({ status: 'completed', channel: 'web', provider: '', hangup_by: 'caller' });
    expect(call.hangup_reason).toBe('caller hung up');
    expect(call.transcript[0]).toMatchObject({ role: 'agent', text: 'Welcome to the restaurant.' });
    expect(call.transcript.some(({ role, text }) => role === 'agent' && text === ANSWER)).toBe(true);
    const started = events.find(({ type }) => type === 'call.started');
    expect(started).toMatchObject({ message: 'browser call', data: { channel: 'web', started_by: call.started_by } });
    expect(call.started_by).not.toBe('');
    // A busy machine holds back the microphone audio of Chromium, and its timeline says so.
    expect(events.filter(({ type, level }) => level !== 'info' && type !== 'network.stall')).toEqual([]);
    if (process.env.SHOW_WORDS)
      console.log(events.map(({ type, latency_ms, message }) => `${type} ${latency_ms ?? ''} ${message}`).join('\n'));
    expect(call.recorded).toBe(true);
  });

  test('a client written from docs/browser-calls.md talks, comes back after its socket broke, and hangs up', async () => {
    const agent = await service.api.createAgent({
      name: 'Reception',
      welcome_message: 'Welcome to the restaurant.',
      system_prompt: 'Answer.',
      transcriber: { provider: 'local', model: 'booking', language: 'en' },
      voice: { provider: 'local', voice_id: 'en', language: 'en' },
    });
    const port = await freePort();
    const server = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'server.ts', agent.id], {
      cwd: join(import.meta.dirname, '../../examples/browser-client'),
      env: { ...process.env, PORT: String(port), ANTIPHON_URL: service.stack.apiUrl, ANTIPHON_KEY: service.apiKey },
    });
    const browser = await launchChromium({ microphone: join(folder, 'caller.wav') });
    try {
      await once(server.stdout, 'data');
      const page = await browser.newPage();
      // Kept, to break the connection below.
      await page.addInitScript(`{
        const Socket = WebSocket;
        globalThis.sockets = [];
        globalThis.WebSocket = class extends Socket { constructor(url) { super(url); sockets.push(this); } };
      }`);
      await page.goto(`http://localhost:${port}/`);
      await page.click('#call');
      await page.getByText('Agent: Welcome to the restaurant.').waitFor({ timeout: WITHIN_MS });
      await page.evaluate('sockets.at(-1).close()');
      await page.getByText('Reconnecting…').waitFor({ timeout: WITHIN_MS });
      await page.getByText('Connected').waitFor({ timeout: WITHIN_MS });
      await page.getByText('Agent: Gladly.').waitFor({ timeout: 2 * WITHIN_MS });
      await page.click('#hang-up');
      await page.getByText('Ended: caller hung up').waitFor({ timeout: WITHIN_MS });
    } finally {
      server.kill();
      await browser.close();
    }
  });

  test('a person listens in on a telephone call, takes it over and hands it back', async () => {
    const from = '+919876500077';
    const { number } = await service.agentOn('twilio', { welcome_message: 'Welcome.' });
    const url = `${service.stack.apiUrl}/carriers/twilio`;
    const { twilio } = service.carriers;
    const caller = twilio.placeInbound({ from, to: number, url: `${url}/inbound`, statusUrl: `${url}/status` });
    const telephone = await caller.waitForPhone(WITHIN_MS);
    await waitForWelcome(telephone);
    const callId = await service.callOf(from);
    const order = async (path: string, body: object) => {
      const response = await service.request('POST', `/calls/${callId}/${path}`, body);
      expect(response.ok, `${path}: ${response.status}`).toBe(true);
      return (await response.json()) as { url: string };
    };
    const takePart = async (session: { url: string }, listenOnly: boolean) => {
      const phone = await openBrowserPhone({ wav: join(folder, 'caller.wav') });
      phones.push(phone);
      await phone.call(session.url, { listenOnly });
      return phone;
    };
    const loud = (audio: Buffer) => {
      for (let at = 0; at + 1 < audio.length; at += 2) if (Math.abs(audio.readInt16LE(at)) >= LOUD) return true;
      return false;
    };

    const listener = await takePart(await order('listen', {}), true);
    await listener.takeAudio();
    await say(telephone, 'short-two-people');
    await eventually('the caller to be heard by who listens', WITHIN_MS, async () => loud(await listener.takeAudio()));

    const speaker = await takePart(await order('take-over', {}), false);
    const sinceMs = performance.now();
    const heard = () => telephone.agentFrames.filter(({ atMs, peak }) => atMs > sinceMs && peak >= LOUD).length;
    await eventually('the person to be heard by the caller', 2 * WITHIN_MS, async () => heard() > 25);
    await order('hand-back', { note: 'The table is booked.' });
    await eventually('the end of the stream', WITHIN_MS, async () =>
      (await speaker.messages()).find(({ type }) => type === 'ended'),
    );
    caller.hangUp();
    const { events } = await service.finished(callId, WITHIN_MS);
    const actions = events.flatMap(({ type, data }) => (type === 'call.control' ? [data.action] : []));
    expect(actions).toEqual(expect.arrayContaining(['listen', 'take_over', 'leave']));
    expect(actions.indexOf('listen')).toBeLessThan(actions.indexOf('take_over'));
  });

  test('its token opens no carrier stream, and an unused call is canceled', async () => {
    const agent = await service.api.createAgent({ name: 'Nobody', system_prompt: 'Answer.' });
    const placed = await service.request('POST', `/agents/${agent.id}/web-call`, {});
    const { call, session } = (await placed.json()) as { call: { id: string }; session: { url: string } };
    const token = session.url.slice(session.url.lastIndexOf('/') + 1);
    const carrierUrl = session.url.replace(`/web/${token}`, `/carrier/twilio/${token}`);
    // A browser's token must not open a carrier's stream.
    const carrier = new WebSocket(carrierUrl);
    carrier.on('error', () => {});
    carrier.on('open', () => {
      carrier.send(
        JSON.stringify({
          event: 'start',
          streamSid: 'MZ1',
          start: { callSid: 'CA1', mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 } },
        }),
      );
    });
    await new Promise((resolve) => carrier.on('close', resolve));
    await eventually('the call', WITHIN_MS, async () => {
      const seen = await service.api.call(call.id);
      return seen.status === 'canceled' ? seen : null;
    });
  });
});
