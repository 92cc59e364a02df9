import { afterAll, beforeAll } from 'vitest';
import { cartesiaVoices } from '../../../control/catalog/voice-lists/cartesia.ts';
import { type CartesiaSimulator, startCartesiaSimulator } from '../../../fixtures/simulators/cartesia.ts';
import { describeRemoteVoiceList } from '../remote-voice-list-suite.ts';
import { describeVoiceList } from '../voice-list-suite.ts';

let simulator: CartesiaSimulator;
const listOf = ({ url }: CartesiaSimulator) => cartesiaVoices({ CARTESIA_URL: url, CARTESIA_API_KEY: 'key' });

beforeAll(async () => {
  simulator = await startCartesiaSimulator({ voices: [], apiKey: 'key' });
});
afterAll(() => simulator.close());

describeVoiceList('cartesia', () => listOf(simulator));

describeRemoteVoiceList('cartesia', async ({ voices = 2, apiKey }) => {
  const library = Array.from({ length: voices }, (_, n) => ({ id: `v${n}`, name: `Voice ${n}`, language: 'en' }));
  const own = await startCartesiaSimulator({ library, ...(apiKey ? { apiKey } : {}) });
  return { list: listOf(own), faults: own.faults, close: () => own.close() };
});
