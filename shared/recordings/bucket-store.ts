import { AwsClient } from 'aws4fetch';
import type { Clock } from '../clock.ts';
import { chunkNumber, type StoredChunk } from './chunks.ts';
import type { RecordingStore } from './recording-store.ts';

export interface BucketSettings {
  /** `https://s3.eu-central-1.amazonaws.com`, or of any other store that speaks S3. */
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
}

const MAX_CONCURRENT_PUTS = 16;
const MAX_CONCURRENT_REMOVES = 8;
const MAX_ATTEMPTS = 4;
const FIRST_RETRY_DELAY_MS = 200;
const ATTEMPT_TIMEOUT_MS = 8_000;
/** A page of a thousand names is 300 kB. */
const MAX_LIST_BYTES = 4_000_000;
const MAX_PAGES = 100;
const MAX_ERROR_BYTES = 10_000;
/** The store said no: asking again would not help. */
const isNonRetryable = (status: number) => status < 500 && status !== 429 && status !== 408;

/**
 * Recordings in a bucket that speaks S3's REST protocol (PutObject, GetObject, ListObjectsV2, DeleteObject), addressed by
 * path, signed with AWS Signature Version 4 over the content's hash. An attempt has 8 seconds; refusals for the moment (5xx,
 * 429) and broken connections are tried four times with a growing pause. Nothing of a key gets into a message.
 */
export function createBucketStore(settings: BucketSettings, clock: Clock): RecordingStore {
  const { region, bucket, accessKeyId, secretAccessKey } = settings;
  const base = `${settings.endpoint.replace(/\/+$/, '')}/${encodeURIComponent(bucket)}`;
  const signer = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });

  interface Asked {
    method: 'GET' | 'PUT' | 'DELETE';
    url: string;
    headers?: Record<string, string>;
    body?: Uint8Array;
    signal?: AbortSignal | undefined;
  }

  /** What is taken of the answer belongs to the attempt: a body may break off as well. */
  async function ask<Result>(asked: Asked, take: (answer: Response) => Promise<Result>): Promise<Result> {
    const hash = await sha256(asked.body ?? new Uint8Array());
    for (let attempt = 1; ; attempt++) {
      asked.signal?.throwIfAborted();
      let trouble: string;
      try {
        const deadline = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
        const request = await signer.sign(asked.url, {
          method: asked.method,
          headers: { ...asked.headers, 'x-amz-content-sha256': hash },
          signal: asked.signal ? AbortSignal.any([asked.signal, deadline]) : deadline,
          ...(asked.body ? { body: asked.body as Uint8Array<ArrayBuffer> } : {}),
        });
        const answer = await fetch(request);
        if (answer.ok || answer.status === 404) return await take(answer);
        const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(await limitedText(answer, MAX_ERROR_BYTES))?.[1] ?? '';
        trouble = `the bucket answered ${answer.status} ${code}`.trimEnd();
        if (isNonRetryable(answer.status)) throw new NonRetryableError(trouble);
      } catch (error) {
        if (error instanceof NonRetryableError || asked.signal?.aborted) throw error;
        trouble = `the bucket did not answer: ${reasonOf(error)}`;
      }
      if (attempt === MAX_ATTEMPTS) throw new Error(trouble);
      // Half of it by chance, so that many calls do not come back at once.
      const pauseMs = FIRST_RETRY_DELAY_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
      await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
    }
  }

  async function page(folder: string, token: string, signal?: AbortSignal) {
    const query = new URLSearchParams({ 'list-type': '2', prefix: folder });
    if (token !== '') query.set('continuation-token', token);
    const url = `${base}?${query}`;
    return ask({ method: 'GET', url, signal }, async (answer) => {
      const text = await limitedText(answer, MAX_LIST_BYTES);
      if (answer.status === 404) throw new NonRetryableError('there is no such bucket');
      return readPage(text);
    });
  }

  const remove = (name: string) =>
    ask({ method: 'DELETE', url: `${base}/${name}` }, async (answer) => void (await answer.body?.cancel()));

  return {
    maxConcurrentPuts: MAX_CONCURRENT_PUTS,

    put: (name, bytes) =>
      ask({ method: 'PUT', url: urlOf(name), body: bytes }, async (answer) => {
        await answer.body?.cancel();
        if (answer.status === 404) throw new NonRetryableError('there is no such bucket');
      }),

    read: (name, start, end, signal) =>
      ask({ method: 'GET', url: urlOf(name), headers: { range: `bytes=${start}-${end}` }, signal }, async (answer) => {
        if (answer.status === 404) {
          await answer.body?.cancel();
          return null;
        }
        const bytes = await limitedBytes(answer, answer.status === 206 ? end - start + 1 : end + 1);
        // A store that does not know ranges answers the whole.
        return answer.status === 206 ? bytes : bytes.subarray(start, end + 1);
      }),

    async list(folder, signal) {
      const pieces: StoredChunk[] = [];
      let token = '';
      for (let pages = 0; pages < MAX_PAGES; pages++) {
        const read = await page(folder, token, signal);
        pieces.push(...read.pieces.filter(({ name }) => name.startsWith(folder) && chunkNumber(name) !== null));
        token = read.next;
        if (token === '') break;
      }
      return pieces.sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    async remove(folder) {
      for (;;) {
        const { pieces, next } = await page(folder, '');
        const names = pieces.map(({ name }) => name).filter((name) => chunkNumber(name) !== null);
        for (let at = 0; at < names.length; at += MAX_CONCURRENT_REMOVES) {
          await Promise.all(names.slice(at, at + MAX_CONCURRENT_REMOVES).map(remove));
        }
        // What was removed is gone from the first page.
        if (next === '' || names.length === 0) return;
      }
    },
  };

  function urlOf(name: string): string {
    if (chunkNumber(name) === null) throw new RangeError('not the name of a piece');
    return `${base}/${name}`;
  }
}

class NonRetryableError extends Error {}

/** The body of ListObjectsV2, of which names, sizes and the token of the next page are needed. */
function readPage(xml: string): { pieces: StoredChunk[]; next: string } {
  if (!xml.includes('<ListBucketResult')) throw new Error('the list could not be read');
  const pieces: StoredChunk[] = [];
  for (const [, content] of xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
    const name = /<Key>([^<]*)<\/Key>/.exec(content!)?.[1];
    const bytes = Number(/<Size>(\d{1,12})<\/Size>/.exec(content!)?.[1]);
    if (name !== undefined && Number.isInteger(bytes)) pieces.push({ name: plain(name), bytes });
  }
  const more = /<IsTruncated>\s*true\s*<\/IsTruncated>/.test(xml);
  const token = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/.exec(xml)?.[1] ?? '';
  return { pieces, next: more ? plain(token) : '' };
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const plain = (text: string) =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name) return ENTITIES[name] ?? whole;
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

/** Computed outside this thread. */
async function sha256(bytes: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
  return Buffer.from(hash).toString('hex');
}

async function limitedBytes(answer: Response, most: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    // Leaving the loop ends the connection.
    if (length > most) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  const declared = answer.headers.get('content-length');
  if (declared !== null && Number(declared) !== length) throw new Error('the answer broke off');
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length);
}

const limitedText = async (answer: Response, most: number) =>
  new TextDecoder().decode(await limitedBytes(answer, most));

/** `fetch` says little itself and names the reason as the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { cause } = error;
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message;
  return error.name === 'TimeoutError' ? 'too slow' : error.message;
}
