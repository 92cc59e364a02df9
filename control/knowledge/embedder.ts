import type { Clock, Timer } from '../../shared/clock.ts';
import { openExchange } from '../../shared/llm/http-exchange.ts';
import { errorText } from '../../shared/log.ts';

/** The port to a model that turns texts into vectors whose nearness is nearness in meaning. */
export interface Embedder {
  readonly model: string;
  /** One vector of length 1 per text, in their order. Never rejects; ends within `withinMs`. */
  embed(texts: readonly string[], timeoutMs: number): Promise<EmbeddingResult>;
}

export type EmbeddingResult =
  | { vectors: Float32Array[]; error: '' }
  /** `again`: worth another try later. */
  | { vectors: null; error: string; retryable: boolean };

export interface EmbedderOptions {
  /** Of the API, like `https://api.openai.com/v1`; the address of its `/embeddings` itself will do. */
  url: string;
  /** Empty for a server that asks for none. */
  apiKey: string;
  model: string;
  clock: Clock;
}

/** Texts in one request: with the longest vectors the answer stays below the 4 MB that are read of one. */
export const MAX_BATCH_TEXTS = 32;
const MAX_DIMENSIONS = 8_192;

/** `POST /embeddings` as OpenAI has it (platform.openai.com/docs/api-reference/embeddings/create), and many beside it. */
export function createEmbedder({ url, apiKey, model, clock }: EmbedderOptions): Embedder {
  const base = url.replace(/\/+$/, '');
  const address = base.endsWith('/embeddings') ? base : `${base}/embeddings`;

  async function embedSome(texts: readonly string[], withinMs: number): Promise<EmbeddingResult> {
    const headers: Record<string, string> = apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
    const body = JSON.stringify({ model, input: texts, encoding_format: 'float' });
    let timer: Timer | null = null;
    let late = false;
    try {
      const exchange = openExchange({ url: address, method: 'POST', headers, body }, clock);
      timer = clock.after(withinMs, () => {
        late = true;
        exchange.abort();
      });
      try {
        const response = await exchange.response();
        if (late || response === null) return failed('it did not answer in time', true);
        const answer = await exchange.wholeBody();
        if (late) return failed('it did not answer in time', true);
        exchange.complete();
        const { status } = response;
        if (status !== 200) return failed(`it answered ${status}`, status === 408 || status === 429 || status >= 500);
        const vectors = readVectors(answer.toString('utf8'), texts.length);
        return vectors ? { vectors, error: '' } : failed('its answer cannot be read', true);
      } finally {
        exchange.release();
      }
    } catch (error) {
      return failed(late ? 'it did not answer in time' : errorText(error).slice(0, 200), true);
    } finally {
      timer?.cancel();
    }
  }

  return {
    model,
    async embed(texts, withinMs) {
      const untilMs = clock.now() + withinMs;
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += MAX_BATCH_TEXTS) {
        const part = await embedSome(texts.slice(from, from + MAX_BATCH_TEXTS), Math.max(1, untilMs - clock.now()));
        if (part.vectors === null) return part;
        vectors.push(...part.vectors);
      }
      const [first] = vectors;
      if (vectors.some((vector) => vector.length !== first!.length))
        return failed('its vectors differ in length', false);
      return { vectors, error: '' };
    },
  };
}

const failed = (error: string, again: boolean): EmbeddingResult => ({ vectors: null, error, retryable: again });

/** Null when it is not one usable vector per text. */
function readVectors(text: string, count: number): Float32Array[] | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  const data = (body as { data?: unknown } | null)?.data;
  if (!Array.isArray(data) || data.length !== count) return null;
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  for (const [position, item] of data.entries()) {
    const { index = position, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown };
    if (!Array.isArray(embedding) || embedding.length === 0 || embedding.length > MAX_DIMENSIONS) return null;
    if (typeof index !== 'number' || !(index in vectors)) return null;
    const vector = unit(Float32Array.from(embedding as number[]));
    if (!vector) return null;
    vectors[index] = vector;
  }
  return vectors.every((vector) => vector !== undefined) ? (vectors as Float32Array[]) : null;
}

function unit(vector: Float32Array): Float32Array | null {
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length) || length === 0) return null;
  return vector.map((value) => value / length);
}
