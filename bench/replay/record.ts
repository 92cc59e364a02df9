import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDeepgramSimulator } from '../../fixtures/simulators/deepgram.ts';
import { startElevenLabsSimulator } from '../../fixtures/simulators/elevenlabs.ts';
import { startOpenAiSimulator } from '../../fixtures/simulators/openai.ts';
import { startRestaurant } from '../../fixtures/simulators/restaurant.ts';
import { loadSpeech } from '../../fixtures/speech.ts';
import { errorText } from '../../shared/log.ts';
import { type MediaProgram, startMediaProgram } from '../../test/support/media-program.ts';
import { eventually, pause } from '../../test/support/until.ts';

/**
 * Makes `fixtures/tapes/booking.tape.gz`: a call over Twilio's stream with a tool call, an interruption and a voice that
 * falls silent, so that another one takes over. To be run again when the tape's format changes.
 */

const TO = fileURLToPath(new URL('../../fixtures/tapes/booking.tape.gz', import.meta.url));
const WITHIN_MS = 20_000;
const SAID = ['a table for two people please', 'but tomorrow', 'yes please', 'thank you goodbye'];
const LONG =
  'We have a lovely table by the window, and another one in the garden under the old trees, and I can also offer you the one upstairs.';

async function main(): Promise<void> {
  const closing: (() => Promise<unknown>)[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'antiphon-tape-'));
  closing.push(async () => rmSync(folder, { recursive: true, force: true }));
  try {
    const ears = await startDeepgramSimulator({
      script: { turns: (index) => ({ text: SAID[index] ?? '', startAfterMs: 120, endAfterMs: 250 }) },
    });
    closing.push(() => ears.close());
    let asked = 0;
    const mind = await startOpenAiSimulator({
      firstTokenMs: 120,
      answer: (messages, { tools }) => {
        const last = messages.at(-1);
        if (last?.role === 'tool') return { text: LONG };
        if (asked++ === 0 && tools?.length) {
          return { toolCalls: [{ name: 'book_table', arguments: { people: 2, day: 'today', time: 'seven' } }] };
        }
        return { text: 'Certainly. It is booked.' };
      },
    });
    closing.push(() => mind.close());
    const mouth = await startElevenLabsSimulator({ firstAudioMs: 60 });
    closing.push(() => mouth.close());
    const restaurant = await startRestaurant();
    closing.push(() => restaurant.close());
    const program = await startMediaProgram({
      TAPES_DIR: folder,
      DEEPGRAM_URL: ears.url,
      DEEPGRAM_API_KEY: 'simulated',
      ELEVENLABS_URL: mouth.url,
      ELEVENLABS_API_KEY: 'simulated',
      OPENAI_BASE_URL: mind.url,
      OPENAI_API_KEY: mind.apiKey,
      FETCH_ALLOW: '127.0.0.0/8',
    });
    closing.push(() => program.stop());
    // A process's first call is compiled while it lasts.
    await booking(program, restaurant.url, () => {});
    asked = 0;
    const { id, events } = await booking(program, restaurant.url, () => {
      mouth.faults.stallAfterChunks = 1;
    });
    console.log(events.map(({ type, message }) => `${type.padEnd(18)} ${message}`).join('\n'));
    const name = `${id}.tape.gz`;
    await eventually('the tape to be whole', WITHIN_MS, async () => readdirSync(folder).includes(name) || null);
    mkdirSync(join(TO, '..'), { recursive: true });
    copyFileSync(join(folder, name), TO);
    console.log(`\n${TO}: ${(statSync(TO).size / 1_024).toFixed(0)} KiB`);
  } finally {
    for (const close of closing.toReversed()) await close().catch((error: unknown) => console.error(errorText(error)));
  }
}

async function booking(program: MediaProgram, restaurantUrl: string, beforeThird: () => void) {
  const call = await program.call({
    welcome_message: 'Good evening, this is the restaurant.',
    transcriber: { provider: 'deepgram_flux', model: 'flux-general-en' },
    voice: {
      provider: 'elevenlabs',
      voice_id: 'first',
      language: 'en',
      fallbacks: [{ provider: 'local', model: 'espeak', voice_id: 'en', language: 'en' }],
    },
    tools: [
      {
        name: 'book_table',
        description: 'Books a table.',
        method: 'POST',
        url: restaurantUrl,
        headers: { authorization: 'Bearer secret-of-the-tool' },
        parameters: {
          type: 'object',
          properties: { people: { type: 'integer' }, day: { type: 'string' }, time: { type: 'string' } },
        },
      },
    ],
  });
  const { phone } = call;
  await phone.waitForAgentSilence(400, WITHIN_MS);
  for (const [index, name] of ['short-two-people', 'but-tomorrow', 'short-yes-please', 'short-thank-you'].entries()) {
    const saidMs = performance.now();
    // The answer to the third begins and falls silent.
    if (index === 2) beforeThird();
    await phone.say(loadSpeech(name).samples).done;
    await phone.waitForAgentSpeech(WITHIN_MS, saidMs + 300);
    // The first answer is long, and is talked over.
    if (index === 0) await pause(1_500);
    else await phone.waitForAgentSilence(800, WITHIN_MS);
  }
  phone.hangUp();
  return { id: call.id, events: await call.over(WITHIN_MS) };
}

await main();
process.exit(0);
