import { fileURLToPath } from 'node:url';
import { loadSpeech } from '../../fixtures/speech.ts';
import { pause } from '../../test/support/until.ts';
import { type RecordHarness, restaurantAgent, WITHIN_MS, withRecordHarness } from './record-harness.ts';

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
  const { phone } = call;
  await phone.waitForAgentSilence(400, WITHIN_MS);
  for (const [index, name] of ['short-two-people', 'but-tomorrow', 'short-yes-please', 'short-thank-you'].entries()) {
    const saidMs = performance.now();
    // The reply to the third turn stalls after its start.
    if (index === 2) beforeThird();
    await phone.say(loadSpeech(name).samples).done;
    await phone.waitForAgentSpeech(WITHIN_MS, saidMs + 300);
    // The first reply is long, and is interrupted.
    if (index === 0) await pause(1_500);
    else await phone.waitForAgentSilence(800, WITHIN_MS);
  }
  phone.hangUp();
  return { id: call.id, events: await call.ended(WITHIN_MS) };
}
