import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Phone } from '../../fixtures/simulators/carrier-phone.ts';
import type { ElevenLabsSimulator } from '../../fixtures/simulators/elevenlabs.ts';
import { startRestaurant } from '../../fixtures/simulators/restaurant.ts';
import { loadSpeech } from '../../fixtures/speech.ts';
import { errorText } from '../../shared/log.ts';
import { type MediaProgram, startMediaProgram } from '../../test/support/media-program.ts';
import { startSimulatedProviders } from '../../test/support/simulated-providers.ts';
import { eventually, pause } from '../../test/support/until.ts';

/** Records the captures of `fixtures/captures`: a real engine with simulated providers that captures every call. */
export interface RecordHarness {
  program: MediaProgram;
  tts: ElevenLabsSimulator;
  restaurantUrl: string;
  /** Restarts the model's script for the next call. */
  restartScript(): void;
  /** Copies the capture of a finished call. */
  saveCapture(callId: string, to: string): Promise<void>;
}

export const WITHIN_MS = 20_000;
/** The first answer, which is interrupted. */
export const LONG =
  'We have a lovely table by the window, and another one in the garden under the old trees, and I can also offer you the one upstairs.';

/** Runs `record` with the harness, then closes it. `said`: the caller's transcripts by turn; `settings`: more of the engine's. */
export async function withRecordHarness(
  said: readonly string[],
  record: (stage: RecordHarness) => Promise<void>,
  settings: Record<string, string> = {},
): Promise<void> {
  const closing: (() => Promise<unknown>)[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'antiphon-capture-'));
  closing.push(async () => rmSync(folder, { recursive: true, force: true }));
  try {
    let asked = 0;
    const { tts, ...providers } = await startSimulatedProviders({
      stt: { script: { turns: (index) => ({ text: said[index] ?? '', startAfterMs: 120, endAfterMs: 250 }) } },
      llm: {
        firstTokenMs: 120,
        answer: (messages, { tools }) => {
          const last = messages.at(-1);
          if (last?.role === 'tool') return { text: LONG };
          if (asked++ === 0 && tools?.length) {
            return { toolCalls: [{ name: 'book_table', arguments: { people: 2, day: 'today', time: 'seven' } }] };
          }
          return { text: 'Certainly. It is booked.' };
        },
      },
      tts: { firstAudioMs: 60 },
    });
    closing.push(() => providers.close());
    const restaurant = await startRestaurant();
    closing.push(() => restaurant.close());
    const program = await startMediaProgram({
      CAPTURES_DIR: folder,
      ...providers.settings,
      ...settings,
      FETCH_ALLOW: '127.0.0.0/8',
    });
    closing.push(() => program.stop());
    await record({
      program,
      tts,
      restaurantUrl: restaurant.url,
      restartScript() {
        asked = 0;
      },
      async saveCapture(callId, to) {
        const name = `${callId}.capture.gz`;
        await eventually('the capture to be whole', WITHIN_MS, async () => readdirSync(folder).includes(name) || null);
        mkdirSync(dirname(to), { recursive: true });
        copyFileSync(join(folder, name), to);
        console.log(`\n${to}: ${(statSync(to).size / 1_024).toFixed(0)} KiB`);
      },
    });
  } finally {
    for (const close of closing.toReversed()) await close().catch((error: unknown) => console.error(errorText(error)));
  }
}

/** The agent of all captures. */
export const restaurantAgent = (restaurantUrl: string) => ({
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

/** The caller of all telephone calls: four turns, of which the second interrupts the long answer to the first. */
export async function bookTable(phone: Phone, beforeThird: () => void = () => {}): Promise<void> {
  await phone.waitForAgentSilence(400, WITHIN_MS);
  for (const [index, name] of ['short-two-people', 'but-tomorrow', 'short-yes-please', 'short-thank-you'].entries()) {
    const saidMs = performance.now();
    if (index === 2) beforeThird();
    await phone.say(loadSpeech(name).samples).done;
    await phone.waitForAgentSpeech(WITHIN_MS, saidMs + 300);
    if (index === 0) await pause(1_500);
    else await phone.waitForAgentSilence(800, WITHIN_MS);
  }
  phone.hangUp();
}
