import { fileURLToPath } from 'node:url';
import { startOpenAiRealtimeSimulator } from '../../fixtures/simulators/openai-realtime.ts';
import {
  bookTable,
  LONG,
  type RecordHarness,
  restaurantAgent,
  WITHIN_MS,
  withRecordHarness,
} from './record-harness.ts';

/**
 * Records `fixtures/captures/realtime.capture.gz`: a call over Twilio's stream with a speech-to-speech model, a tool call and an
 * interruption. Run again when the capture format changes.
 */

const TO = fileURLToPath(new URL('../../fixtures/captures/realtime.capture.gz', import.meta.url));
const SAID = ['a table for two people please', 'but tomorrow', 'yes please', 'thank you goodbye'];
const TOOL = { name: 'book_table', arguments: '{"people":2,"day":"today","time":"seven"}' };

const realtime = await startOpenAiRealtimeSimulator({
  // The warm-up's, and those of the call that is kept.
  transcripts: [...SAID, ...SAID],
  answer(lines) {
    if (lines.at(-1)?.role === 'tool') return LONG;
    return lines.some(({ role }) => role === 'tool') ? 'Certainly. It is booked.' : { tool: TOOL };
  },
});
await withRecordHarness(
  SAID,
  async (stage) => {
    // Warm-up: code is compiled during the first call.
    await booking(stage);
    const { id, events } = await booking(stage);
    console.log(events.map(({ type, message }) => `${type.padEnd(18)} ${message}`).join('\n'));
    await stage.saveCapture(id, TO);
  },
  { OPENAI_BASE_URL: realtime.url, OPENAI_API_KEY: 'sk-simulated' },
);
process.exit(0);

async function booking({ program, restaurantUrl }: RecordHarness) {
  const agent = { ...restaurantAgent(restaurantUrl), llm: { provider: 'openai', model: 'gpt-realtime-2.1' } };
  const call = await program.call(agent);
  await bookTable(call.phone);
  return { id: call.id, events: await call.ended(WITHIN_MS) };
}
