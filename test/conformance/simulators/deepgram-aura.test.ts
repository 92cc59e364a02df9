import { describe, expect, test } from 'vitest';
import { type AuraSimulatorOptions, startAuraSimulator } from '../../../fixtures/simulators/deepgram-aura.ts';
import { until } from '../../support/until.ts';
import { type Client, closeAfterTest, connect } from './client.ts';

const HEADERS = { authorization: 'Token key' };
const QUERY = 'model=aura-2-thalia-en&encoding=mulaw&sample_rate=8000';

async function speak(options: AuraSimulatorOptions = {}, query = QUERY) {
  const simulator = closeAfterTest(await startAuraSimulator({ firstAudioMs: 1, realtimeFactor: 500, ...options }));
  const client = await connect(`${simulator.url}/v1/speak?${query}`, HEADERS);
  return { simulator, client };
}
/** Audio has no type. */
const types = (client: Client) => client.received.map(({ type }) => type ?? 'audio');

describe('Aura’s simulator', () => {
  test.each([
    ['no key', QUERY, {}, 401],
    ['an unknown voice', QUERY.replace('thalia-en', 'thalia-hi'), HEADERS, 400],
    ['another rate of µ-law', QUERY.replace('8000', '24000'), HEADERS, 400],
    ['a speed of a voice without one', `${QUERY.replace('thalia-en', 'viktoria-de')}&speed=1.2`, HEADERS, 400],
    ['an unknown parameter', `${QUERY}&language=en`, HEADERS, 400],
  ])('refuses %s', async (_, query, headers, status) => {
    const simulator = closeAfterTest(await startAuraSimulator({ apiKey: 'key' }));
    expect((await connect(`${simulator.url}/v1/speak?${query}`, headers)).status).toBe(status);
  });

  test('refuses a connection too many, with the reason in a header', async () => {
    const { simulator } = await speak({ maxConnections: 1 });
    const second = await connect(`${simulator.url}/v1/speak?${QUERY}`, HEADERS);
    expect([second.status, second.reason]).toEqual([429, 'Too many concurrent requests']);
  });

  test('speaks what was flushed, and says when', async () => {
    const { client } = await speak();
    client.send({ type: 'Speak', text: 'One. ' });
    client.send({ type: 'Flush' });
    await until(() => types(client).includes('Flushed'));
    expect(types(client)).toEqual(['Metadata', 'audio', 'audio', 'Flushed']);
  });

  test('sends audio that is on its way before it confirms a Clear', async () => {
    const { client } = await speak({ realtimeFactor: 5 });
    client.send({ type: 'Speak', text: 'A sentence of some length. ' });
    client.send({ type: 'Flush' });
    await until(() => types(client).includes('audio'));
    const before = types(client).length;
    client.send({ type: 'Clear' });
    await until(() => types(client).includes('Cleared'));
    expect(types(client).slice(before)).toContain('audio');
    expect(types(client)).not.toContain('Flushed');
  });

  test('warns of a flush too many, and ignores it', async () => {
    const { client, simulator } = await speak();
    for (let count = 0; count < 21; count++) client.send({ type: 'Flush' });
    await until(() => types(client).includes('Warning'));
    expect(simulator.connections[0]!.flushesAtMs).toHaveLength(20);
  });

  test.each([
    ['2,001 characters', [{ type: 'Speak', text: 'x'.repeat(2001) }], 1008],
    ['2,401 characters within a minute', [0, 1, 2].map(() => ({ type: 'Speak', text: 'x'.repeat(801) })), 1008],
    ['an unknown type', [{ type: 'Stop' }], 1008],
    ['bytes', [new Uint8Array(1)], 1003],
  ])('closes at %s', async (_, messages, code) => {
    const { client } = await speak();
    for (const message of messages) client.send(message);
    await until(() => client.closeCode !== null);
    expect(client.closeCode).toBe(code);
  });

  test('closes a connection after an hour', async () => {
    const { client } = await speak({ minuteMs: 1 });
    await until(() => client.closeCode !== null);
    expect(client.closeCode).toBe(1011);
  });
});
