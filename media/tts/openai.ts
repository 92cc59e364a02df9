import { type Exchange, openExchange } from '../../shared/llm/http-exchange.ts';
import { openAiSynthesizer } from '../../shared/providers/openai.ts';
import { createDeadline } from '../provider/deadline.ts';
import { asProviderError, ProviderError } from '../provider/provider-error.ts';
import { CONNECT_DEADLINE_MS, refusalFailure } from '../provider/socket.ts';
import { chooseOutputFormat } from './output-format.ts';
import { createPacedText, type PacedText } from './paced-text.ts';
import {
  type CloudSynthesizerOptions,
  createStreamingSynthesizer,
  type SynthesisContext,
  type SynthesisTransport,
  type SynthesizerCore,
} from './streaming-synthesizer.ts';
import type { Synthesizer, SynthesizerAdapter } from './synthesizer.ts';

/**
 * OpenAI's speech over `POST /audio/speech` (public documentation: developers.openai.com, "Text to speech"): a request for each
 * piece of text, whose audio streams back as PCM at 24 kHz. A reply has one request at a time, so its pieces stay in order; to
 * cancel is to end the request. Requests share the kept connections of the process.
 */

const PROVIDER = 'openai';
const MAX_TEXT_CHARACTERS = 4_096;
const { speed: SPEED } = openAiSynthesizer.capabilities;

interface Context extends SynthesisContext {
  /** The request under way. */
  exchange: Exchange | null;
  readonly text: PacedText;
}

/** `url` ends in `/v1`; `voiceId` is a name of the vendor's list. The key must be allowed to read models. */
export function createOpenAiSynthesizer(options: CloudSynthesizerOptions): Synthesizer {
  const output = chooseOutputFormat(options.output, { pcm16: [24_000] });
  return createStreamingSynthesizer<Context>(PROVIDER, { ...options, output }, (core) =>
    createTransport(options, core),
  );
}

/** The body of a request. */
export function openAiSpeech(
  { model, voiceId, speed = 1 }: Pick<CloudSynthesizerOptions, 'model' | 'voiceId' | 'speed'>,
  input: string,
): object {
  return {
    ...{ model, voice: voiceId, input, response_format: 'pcm' },
    ...(speed !== 1 && { speed: Math.min(SPEED.max, Math.max(SPEED.min, speed)) }),
  };
}

function createTransport(
  options: CloudSynthesizerOptions,
  core: SynthesizerCore<Context>,
): SynthesisTransport<Context> {
  const { clock, model } = options;
  const base = options.url.replace(/\/+$/, '');
  const headers = { authorization: `Bearer ${options.apiKey}` };
  let opening: Exchange | null = null;
  let closed = false;

  /** Connects, and learns whether key and model are accepted. */
  async function open(): Promise<void> {
    if (closed) throw new ProviderError(PROVIDER, 'unavailable', 'closed before it was opened');
    let isLate = false;
    const deadline = createDeadline(clock, CONNECT_DEADLINE_MS, () => {
      isLate = true;
      opening?.abort();
    });
    deadline.start();
    try {
      opening = request('GET', `/models/${encodeURIComponent(model)}`, '');
      const response = await opening.response();
      if (response && response.status !== 200) throw await refusal(opening, response.status);
      if (response) await opening.wholeBody();
      if (isLate) throw new ProviderError(PROVIDER, 'timeout', `no answer within ${CONNECT_DEADLINE_MS} ms`);
      if (closed) throw new ProviderError(PROVIDER, 'unavailable', 'closed while it was being opened');
    } catch (error) {
      throw asProviderError(error, PROVIDER);
    } finally {
      deadline.stop();
      opening?.release();
    }
  }

  function request(method: string, path: string, body: string): Exchange {
    return openExchange({ url: `${base}${path}`, method, headers, body, accept: '*/*' }, clock);
  }

  /** What a refusal means. Its message is left out: it may repeat the text that was to be spoken. */
  async function refusal(exchange: Exchange, status: number): Promise<ProviderError> {
    const code = codeOf(await exchange.wholeBody());
    const kind = code === 'insufficient_quota' ? 'auth' : refusalFailure(status);
    return new ProviderError(PROVIDER, kind, `the provider answered ${status}${code && ` ${code}`}`);
  }

  function speak(context: Context, text: string): void {
    core.expectAudio(context);
    // A piece that ends in the middle of a sample leaves nothing to the next one.
    context.partial.byte = null;
    const startMs = context.audioMs;
    let exchange: Exchange | null = null;
    const isCurrent = () => core.isLive(context) && context.exchange === exchange;
    const run = async () => {
      exchange = request('POST', '/audio/speech', JSON.stringify(openAiSpeech(options, text)));
      context.exchange = exchange;
      const response = await exchange.response();
      if (!response || !isCurrent()) return;
      if (response.status !== 200) throw await refusal(exchange, response.status);
      if (/json|text/.test(response.contentType)) throw new Error('the response is no audio');
      for (let bytes = await exchange.next(null); bytes; bytes = await exchange.next(null)) {
        const beforeMs = context.audioMs;
        if (isCurrent()) core.audio(context, bytes);
        context.text.received(context.audioMs - beforeMs);
      }
      if (!isCurrent()) return;
      if (context.audioMs === startMs) throw new Error('the response has no audio');
      exchange.complete();
      onSpoken(context);
    };
    run()
      .catch((error: unknown) => {
        if (isCurrent()) core.fail(context, asProviderError(error, PROVIDER));
      })
      .finally(() => exchange?.release());
  }

  function onSpoken(context: Context): void {
    context.exchange = null;
    context.text.spoken();
    core.watch(context);
    if (context.ended && isSpoken(context)) core.done(context);
  }

  function isSpoken({ text }: Context): boolean {
    return !text.underWay && !text.waiting;
  }

  return {
    open,
    async close() {
      closed = true;
      opening?.abort();
    },
    createContext(base) {
      const context: Context = Object.assign(base, {
        exchange: null,
        text: createPacedText({
          clock,
          maxCharacters: MAX_TEXT_CHARACTERS,
          send: (text) => speak(context, text),
        }),
      });
      return context;
    },
    speak: ({ text }, segment) => text.add(segment),
    /** Nothing to send: every piece is a request of its own. */
    end() {},
    cancel() {},
    release(context) {
      context.text.stop();
      context.exchange?.abort();
      context.exchange = null;
    },
    isIdle: isSpoken,
    isOwed: ({ text }) => text.underWay,
  };
}

/** The code in an error's body; empty where there is none that may be logged. */
function codeOf(body: Uint8Array): string {
  try {
    const { error } = JSON.parse(Buffer.from(body).toString('utf8')) as { error?: { code?: unknown } };
    return typeof error?.code === 'string' && /^[a-z_]{1,60}$/.test(error.code) ? error.code : '';
  } catch {
    return '';
  }
}

export const adapter: SynthesizerAdapter<typeof openAiSynthesizer> = ({ settings, voice, ...call }) =>
  createOpenAiSynthesizer({
    ...call,
    url: settings.OPENAI_BASE_URL,
    apiKey: settings.OPENAI_API_KEY,
    model: voice.model,
    voiceId: voice.voice_id,
    language: voice.language,
    speed: voice.speed,
  });
