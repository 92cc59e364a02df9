import { fileURLToPath } from 'node:url';
import { startRestaurant } from '../../fixtures/simulators/restaurant.ts';
import { loadSpeech } from '../../fixtures/speech.ts';
import { errorText } from '../../shared/log.ts';
import { type MediaCall, type MediaProgram, startMediaProgram } from '../support/media-program.ts';
import { startSimulatedProviders } from '../support/simulated-providers.ts';
import { pause } from '../support/until.ts';
import { type Amounts, amountsHeader, amountsLine, amountsOf, grown, growth } from './growth.ts';

/**
 * `make soak`: sequential calls in one media process, with samples of its resources in between. The calls alternate between both
 * carriers, transcribers and synthesizers, with recordings, noise cancellation, ambient sound, a tool, an interruption, and all
 * ways to end a call. Exit code 1 when memory, handles or listeners grow.
 */

const CALLS = Number(process.env.CALLS ?? 200);
const LOOK_EVERY = 20;
/** Warm-up of caches, pools and compiled code. */
const WARM_AFTER = 40;
/**
 * Allowed growth from the mean of the first two samples after the warm-up to that of the last two. A leak of one object per call
 * would exceed the counts; the memory limit is 50 KiB per call.
 */
const BOUNDS: Amounts = { heapMiB: 8, rssMiB: 40, externalMiB: 4, fds: 2, threads: 2, resources: 2, listeners: 4 };
const WELCOME = 'Good evening, this is the restaurant, and I am happy to book a table for you tonight.';
const WITHIN_MS = 20_000;

interface GrowthSample {
  calls: number;
  amounts: Amounts;
}

async function main(): Promise<boolean> {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const providers = await startSimulatedProviders({
      stt: { script: { turns: [{ text: 'yes please', endAfterMs: 250 }] } },
      llm: {
        firstTokenMs: 20,
        answer: (messages, { tools }) => {
          const books = tools?.some(({ function: { name } }) => name === 'book_table');
          if (!books || messages.at(-1)?.role !== 'user') return { text: 'It is booked.' };
          return { toolCalls: [{ name: 'book_table', arguments: { people: 2, day: 'today', time: 'seven' } }] };
        },
      },
      tts: { firstAudioMs: 40 },
    });
    closing.push(() => providers.close());
    const restaurant = await startRestaurant();
    closing.push(() => restaurant.close());
    const program = await startMediaProgram({
      ...providers.settings,
      FETCH_ALLOW: '127.0.0.0/8',
      LANGUAGE_MODELS_DIR: fileURLToPath(new URL('../../fixtures/language-models', import.meta.url)),
    });
    closing.push(() => program.stop());
    const samples: GrowthSample[] = [];
    const startMs = performance.now();
    const sample = async (calls: number) => {
      // Cleanup continues shortly after the end of a call.
      await pause(1_000);
      const holdings = await program.holdings();
      const amounts = amountsOf(holdings);
      samples.push({ calls, amounts });
      console.log(amountsLine(String(calls), amounts, `${((performance.now() - startMs) / 1_000).toFixed(0)} s`));
      if (process.env.SHOW_RESOURCES) console.log(holdings.resourceNames);
    };
    console.log(`${CALLS} calls, one after the other\n\n${amountsHeader('calls')}`);
    await sample(0);
    for (let number = 1; number <= CALLS; number++) {
      await oneCall(program, number, restaurant.url);
      if (number % LOOK_EVERY === 0) await sample(number);
    }
    const violations = providers.violations();
    if (violations.length > 0) throw new Error(`the engine broke a provider's rules: ${violations[0]}`);
    return judge(samples);
  } finally {
    for (const close of closing.toReversed()) await close().catch((error: unknown) => console.error(errorText(error)));
  }
}

/** A call of two or three seconds. Its features depend on its number only, so that all samples follow the same mix. */
async function oneCall(program: MediaProgram, number: number, restaurantUrl: string): Promise<void> {
  const kind = number % LOOK_EVERY;
  const localEars = kind === 7;
  const call = await program.call(
    {
      welcome_message: kind % 5 === 4 ? WELCOME : 'Hello.',
      transcriber: localEars
        ? { provider: 'local', model: 'booking', language: 'en' }
        : { provider: 'deepgram_flux', model: 'flux-general-en' },
      voice:
        kind % 4 === 3
          ? { provider: 'local', language: 'en' }
          : { provider: 'elevenlabs', voice_id: 'soak', language: 'en' },
      call: {
        record: kind % 2 === 0,
        noise_cancellation: kind % 3 === 0,
        ...(kind % 6 === 1 ? { ambient_sound: 'office', ambient_volume: 5 } : {}),
      },
      tools: kind % 5 === 2 ? [bookTable(restaurantUrl)] : [],
    },
    kind % 2 === 0 ? 'twilio' : 'plivo',
  );
  const { phone } = call;
  await phone.waitForAgentSpeech(WITHIN_MS, 0);
  if (kind % 5 === 4) await pause(500);
  else if (kind !== 19) await phone.waitForAgentSilence(200, WITHIN_MS);
  // Callers hang up at once, drop the connection, stay silent, or wait for the reply.
  if (kind !== 19 && kind !== 13) await ask(call);
  if (kind === 16) phone.vanish();
  else phone.hangUp();
  await call.ended();
}

async function ask({ phone }: MediaCall): Promise<void> {
  const spoken = phone.say(loadSpeech('short-yes-please').samples);
  await spoken.done;
  const saidMs = performance.now();
  await phone.waitForAgentSpeech(WITHIN_MS, saidMs - 300);
  await pause(250);
}

function bookTable(url: string): object {
  return {
    name: 'book_table',
    description: 'Books a table.',
    method: 'POST',
    url,
    parameters: {
      type: 'object',
      properties: { people: { type: 'integer' }, day: { type: 'string' }, time: { type: 'string' } },
    },
  };
}

/** Compares the first two samples after the warm-up with the last two. */
function judge(samples: readonly GrowthSample[]): boolean {
  const warm = samples.filter(({ calls }) => calls >= WARM_AFTER).map(({ amounts }) => amounts);
  if (warm.length < 4) {
    console.log(`\ntoo few calls to judge: it takes ${WARM_AFTER + 3 * LOOK_EVERY}`);
    return true;
  }
  const names = grown(growth(warm.slice(0, 2), warm.slice(-2)), BOUNDS);
  console.log(names.length === 0 ? '\nnothing grows' : `\ngrown: ${names.join(', ')}`);
  return names.length === 0;
}

process.exit((await main()) ? 0 : 1);
