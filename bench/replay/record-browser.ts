import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBrowserPhone } from '../../fixtures/simulators/browser-phone.ts';
import { encodeWav } from '../../media/audio/wav.ts';
import { attachPageCaller } from '../../test/support/page-caller.ts';
import { eventually, pause } from '../../test/support/until.ts';
import { type RecordHarness, restaurantAgent, WITHIN_MS, withRecordHarness } from './record-harness.ts';

/**
 * Records `fixtures/captures/browser.capture.gz`: a call from Chromium with a tool call, an interruption, a muted microphone, DTMF
 * digits, and a reconnect of the page's socket. Run again when the capture format changes.
 */

const TO = fileURLToPath(new URL('../../fixtures/captures/browser.capture.gz', import.meta.url));
const SAID = ['a table for two people please', 'but tomorrow', 'yes please', 'thank you goodbye'];

await withRecordHarness(SAID, async (stage) => {
  // Warm-up: code is compiled during the first call.
  await fromBrowser(stage);
  stage.restartScript();
  const { id, events } = await fromBrowser(stage);
  console.log(events.map(({ type, message }) => `${type.padEnd(18)} ${message}`).join('\n'));
  await stage.saveCapture(id, TO);
});
process.exit(0);

async function fromBrowser({ program, restaurantUrl }: RecordHarness) {
  const folder = mkdtempSync(join(tmpdir(), 'browser-capture-'));
  const wav = join(folder, 'silence.wav');
  writeFileSync(wav, encodeWav(8_000, new Int16Array(8_000)));
  const phone = await openBrowserPhone({ wav });
  try {
    const caller = await attachPageCaller(phone.page);
    await phone.page.reload();
    const call = program.admit({ ...restaurantAgent(restaurantUrl), call: { dtmf_input: true } }, 'browser');
    const waitForEvent = (type: string, times = 1) =>
      eventually(`${type} of the call`, WITHIN_MS, async () => {
        return call.events.filter((event) => event.type === type).length >= times || null;
      });
    await phone.call(`ws://127.0.0.1:${program.port}${call.path}`);
    await waitForEvent('tts.first_audio');
    await caller.waitForSilence(800, WITHIN_MS);
    await caller.say('short-two-people');
    // The welcome is the first reply; the next one is long, and is interrupted.
    await waitForEvent('tts.first_audio', 2);
    await pause(1_500);
    await caller.say('but-tomorrow');
    await waitForEvent('agent.reply');
    await caller.waitForSilence(800, WITHIN_MS);
    // Speech while muted is not sent.
    await phone.ask({ type: 'mute', muted: true });
    await caller.say('short-yes-please');
    await phone.ask({ type: 'mute', muted: false });
    for (const digit of ['4', '2', '#']) await phone.ask({ type: 'digit', digit });
    await waitForEvent('agent.reply', 2);
    await phone.dropSocket();
    await phone.call(`ws://127.0.0.1:${program.port}${call.path}`, { reconnect: true });
    await caller.say('short-thank-you');
    await waitForEvent('agent.reply', 3);
    await phone.ask({ type: 'hang_up' });
    return { id: call.id, events: await call.ended(WITHIN_MS) };
  } finally {
    await phone.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
