import { describe, expect, test } from 'vitest';
import { textFrame } from '../../../fixtures/simulators/azure-frame.ts';
import {
  type AzureSynthesizerSimulatorOptions,
  startAzureSynthesizerSimulator,
} from '../../../fixtures/simulators/azure-synthesizer.ts';
import { startAzureTranscriberSimulator } from '../../../fixtures/simulators/azure-transcriber.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { azureBinaryFrame, azureTextFrame } from '../../../media/provider/azure-frames.ts';
import { azureSynthesisContext } from '../../../media/tts/azure-speech.ts';
import { until } from '../../support/until.ts';
import { type Client, closeAfterTest, connect } from './client.ts';

const HEADERS = { 'ocp-apim-subscription-key': 'key', 'x-connectionid': 'c'.repeat(32) };
const [ONE, TWO] = ['1'.repeat(32), '2'.repeat(32)] as const;
const CONTEXT = azureSynthesisContext({ voiceId: 'hi-IN-SwaraNeural', output: MULAW_8K });
const frame = (path: string, body: object | string = {}, requestId: string = ONE) =>
  azureTextFrame({ path, requestId, atMs: 0 }, body);
const paths = (client: Client) =>
  client.received.map(({ text }) => /Path:([\w.]+)/.exec(String(text))?.[1] ?? 'unframed');

async function speak(options: AzureSynthesizerSimulatorOptions = {}) {
  const quick = { firstAudioMs: 1, realtimeFactor: 500, apiKey: 'key' };
  const simulator = closeAfterTest(await startAzureSynthesizerSimulator({ ...quick, ...options }));
  return { simulator, client: await connect(`${simulator.url}/cognitiveservices/websocket/v2`, HEADERS) };
}

async function listen(language = 'hi-IN', headers: Record<string, string> = HEADERS) {
  const script = { utterances: () => ({ text: 'Yes.', finalAfterMs: 1 }) };
  const simulator = closeAfterTest(await startAzureTranscriberSimulator({ script, apiKey: 'key', maxStreams: 1 }));
  const address = `${simulator.url}/speech/recognition/conversation/cognitiveservices/v1?language=${language}`;
  return { simulator, address, client: await connect(address, headers) };
}

describe('the simulator of Azure’s synthesizer', () => {
  test('speaks whole sentences, and the rest at the end of the text', async () => {
    const { client } = await speak({ chunkMs: 5_000 });
    for (const message of [frame('speech.config'), frame('synthesis.context', CONTEXT)]) client.send(message);
    client.send(frame('text.piece', 'One. And '));
    client.send(frame('text.piece', 'two'));
    client.send(frame('text.end', ''));
    await until(() => paths(client).includes('turn.end'));
    expect(paths(client)).toEqual([
      ...['turn.start', 'response', 'audio.metadata', 'audio', 'audio.metadata', 'audio', 'audio'],
      ...['audio.metadata', 'turn.end'],
    ]);
  });

  test.each([
    ['a context without its configuration', [frame('synthesis.context', CONTEXT)]],
    ['text without a request', [frame('speech.config'), frame('text.piece', 'x')]],
    ['a format that it does not have', [frame('speech.config'), frame('synthesis.context', { synthesis: {} })]],
    ['a message without headers', ['{}']],
    [
      'a request during another',
      [
        ...[frame('speech.config'), frame('synthesis.context', CONTEXT), frame('speech.config', {}, TWO)],
        frame('synthesis.context', CONTEXT, TWO),
      ],
    ],
  ])('refuses %s', async (_, messages) => {
    const { client } = await speak();
    for (const message of messages) client.send(message);
    await until(() => client.closeCode !== null);
    expect(client.closeCode).toBe(1007);
  });

  test('sends audio that is on its way before the end of a stopped request', async () => {
    const { client } = await speak({ realtimeFactor: 10 });
    for (const message of [frame('speech.config'), frame('synthesis.context', CONTEXT)]) client.send(message);
    client.send(frame('text.piece', 'A sentence of some length. '));
    await until(() => paths(client).includes('audio'));
    const before = paths(client).length;
    client.send(frame('synthesis.control', { action: 'stop' }));
    await until(() => paths(client).includes('turn.end'));
    expect(paths(client).slice(before)).toContain('audio');
  });

  test('closes a connection after ten minutes', async () => {
    const { client } = await speak({ minuteMs: 1 });
    await until(() => client.closeCode !== null);
    expect(client.closeCode).toBe(1000);
  });
});

describe('the simulator of Azure’s transcriber', () => {
  test('refuses other keys, languages without a country, and streams too many', async () => {
    expect((await listen('hi-IN', { ...HEADERS, 'ocp-apim-subscription-key': 'no' })).client.status).toBe(401);
    expect((await listen('hi')).client.status).toBe(400);
    const { address } = await listen();
    expect((await connect(address, HEADERS)).status).toBe(429);
  });

  test.each([
    ['audio without a WAV header', [frame('speech.config'), frame('speech.context')], new Uint8Array(100)],
    ['audio without its context', [frame('speech.config')], new Uint8Array(100)],
    ['a context without its configuration', [frame('speech.context')], new Uint8Array(0)],
  ])('refuses %s', async (_, messages, audio) => {
    const { client } = await listen();
    for (const message of messages) client.send(message);
    client.send(azureBinaryFrame({ path: 'audio', requestId: ONE, atMs: 0 }, audio));
    await until(() => client.closeCode !== null);
    expect(client.closeCode).toBe(1007);
  });
});

test('a frame of the server has its header lines, an empty line and JSON', () => {
  expect(textFrame('turn.end', ONE, {}).split('\r\n')).toContain(`X-RequestId:${ONE}`);
});
