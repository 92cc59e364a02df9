import type { Clock, Timer } from '../../shared/clock.ts';
import { openExchange } from '../../shared/llm/http-exchange.ts';
import { errorText } from '../../shared/log.ts';

/** The port to an embedding model: texts of similar meaning get similar vectors. */
export interface Embedder {
  readonly model: string;
  /** Returns one vector of length 1 per text, in order. Never rejects; ends within `timeoutMs`. */
  embed(texts: readonly string[], timeoutMs: number): Promise<EmbeddingResult>;
}

export type EmbeddingResult =
  | { vectors: Float32Array[]; error: '' }
  /** `retryable`: worth another try later. */
  | { vectors: null; error: string; retryable: boolean };

export interface EmbedderOptions {
  /** Of the API, like `https://api.openai.com/v1`, or of its `/embeddings` itself. */
  url: string;
  /** Empty for a server without keys. */
  apiKey: string;
  model: string;
  clock: Clock;
}

/** Texts in one request: with the longest vectors the response stays below the limit of 4 MB. */
export const MAX_BATCH_TEXTS = 32;
const MAX_DIMENSIONS = 8_192;

/** `POST /embeddings` of OpenAI (platform.openai.com/docs/api-reference/embeddings/create) and compatible servers. */
export function createEmbedder({ url, apiKey, model, clock }: EmbedderOptions): Embedder {
  const base = url.replace(/\/+$/, '');
  const address = base.endsWith('/embeddings') ? base : `${base}/embeddings`;

  async function embedBatch(texts: readonly string[], timeoutMs: number): Promise<EmbeddingResult> {
    const headers: Record<string, string> = apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
    const requestBody = JSON.stringify({ model, input: texts, encoding_format: 'float' });
    let timer: Timer | null = null;
    let timedOut = false;
    try {
      const exchange = openExchange({ url: address, method: 'POST', headers, body: requestBody }, clock);
      timer = clock.after(timeoutMs, () => {
        timedOut = true;
        exchange.abort();
      });
      try {
        const response = await exchange.response();
        if (timedOut || response === null) return failed('timed out', true);
        const body = await exchange.wholeBody();
        if (timedOut) return failed('timed out', true);
        exchange.complete();
        const { status } = response;
        if (status !== 200) return failed(`HTTP ${status}`, status === 408 || status === 429 || status >= 500);
        const vectors = readVectors(body.toString('utf8'), texts.length);
        return vectors ? { vectors, error: '' } : failed('its response is invalid', true);
      } finally {
        exchange.release();
      }
    } catch (error) {
      return failed(timedOut ? 'timed out' : errorText(error).slice(0, 200), true);
    } finally {
      timer?.cancel();
    }
  }

  return {
    model,
    async embed(texts, timeoutMs) {
      const deadlineMs = clock.now() + timeoutMs;
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += MAX_BATCH_TEXTS) {
        const batch = await embedBatch(
          texts.slice(from, from + MAX_BATCH_TEXTS),
          Math.max(1, deadlineMs - clock.now()),
        );
        if (batch.vectors === null) return batch;
        vectors.push(...batch.vectors);
      }
      const [first] = vectors;
      if (vectors.some((vector) => vector.length !== first!.length))
        return failed('its vectors differ in length', false);
      return { vectors, error: '' };
    },
  };
}

const failed = (error: string, again: boolean): EmbeddingResult => ({ vectors: null, error, retryable: again });

/** Returns one vector per text in order; null when the response is anything else. */
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
