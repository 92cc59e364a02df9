import { fileURLToPath } from 'node:url';
import { bookTable, type RecordHarness, restaurantAgent, WITHIN_MS, withRecordHarness } from './record-harness.ts';

/**
 * Records `fixtures/captures/booking.capture.gz`: a call over Twilio's stream with a tool call, an interruption and a synthesizer
 * that stalls, so that a fallback is used. Run again when the capture format changes.
 */

const TO = fileURLToPath(new URL('../../fixtures/captures/booking.capture.gz', import.meta.url));
const SAID = ['a table for two people please', 'but tomorrow', 'yes please', 'thank you goodbye'];

await withRecordHarness(SAID, async (stage) => {
  // Warm-up: code is compiled during the first call.
  await booking(stage, () => {});
  stage.restartScript();
  const { id, events } = await booking(stage, () => {
    stage.tts.faults.stallAfterChunks = 1;
  });
  console.log(events.map(({ type, message }) => `${type.padEnd(18)} ${message}`).join('\n'));
  await stage.saveCapture(id, TO);
});
process.exit(0);

async function booking({ program, restaurantUrl }: RecordHarness, beforeThird: () => void) {
  const call = await program.call(restaurantAgent(restaurantUrl));
  await bookTable(call.phone, beforeThird);
  return { id: call.id, events: await call.ended(WITHIN_MS) };
}
