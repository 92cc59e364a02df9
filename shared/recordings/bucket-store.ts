import { AwsClient } from 'aws4fetch';
import { type Clock, pause } from '../clock.ts';
import { chunkNumber, type StoredChunk } from './chunks.ts';
import type { RecordingStore } from './recording-store.ts';

export interface BucketSettings {
  /** `https://s3.eu-central-1.amazonaws.com`, or of any other S3-compatible store. */
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
/** Statuses that a retry does not change. */
const isNonRetryable = (status: number) => status < 500 && status !== 429 && status !== 408;

/**
 * Recordings in an S3-compatible bucket (PutObject, GetObject, ListObjectsV2, DeleteObject), addressed by path, signed with AWS
 * Signature Version 4 over the content's hash. An attempt may take 8 seconds; temporary errors (5xx, 429) and broken connections
 * are tried four times with exponential backoff. Error messages contain nothing of a key.
 */
export function createBucketStore(settings: BucketSettings, clock: Clock): RecordingStore {
  const { region, bucket, accessKeyId, secretAccessKey } = settings;
  const base = `${settings.endpoint.replace(/\/+$/, '')}/${encodeURIComponent(bucket)}`;
  const signer = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });

  interface BucketRequest {
    method: 'GET' | 'PUT' | 'DELETE';
    url: string;
    headers?: Record<string, string>;
    body?: Uint8Array;
    signal?: AbortSignal | undefined;
  }

  /** Reading the response is part of the attempt, because a body may break off as well. */
  async function send<Result>(request: BucketRequest, read: (response: Response) => Promise<Result>): Promise<Result> {
    const hash = await sha256(request.body ?? new Uint8Array());
    for (let attempt = 1; ; attempt++) {
      request.signal?.throwIfAborted();
      let failure: string;
      try {
        const deadline = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
        const signed = await signer.sign(request.url, {
          method: request.method,
          headers: { ...request.headers, 'x-amz-content-sha256': hash },
          signal: request.signal ? AbortSignal.any([request.signal, deadline]) : deadline,
          ...(request.body ? { body: request.body as Uint8Array<ArrayBuffer> } : {}),
        });
        const response = await fetch(signed);
        if (response.ok || response.status === 404) return await read(response);
        const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(await limitedText(response, MAX_ERROR_BYTES))?.[1] ?? '';
        failure = `the bucket responded ${response.status} ${code}`.trimEnd();
        if (isNonRetryable(response.status)) throw new NonRetryableError(failure);
      } catch (error) {
        if (error instanceof NonRetryableError || request.signal?.aborted) throw error;
        failure = `the bucket did not respond: ${reasonOf(error)}`;
      }
      if (attempt === MAX_ATTEMPTS) throw new Error(failure);
      // With random jitter, so that many calls do not retry at the same time.
      const delayMs = FIRST_RETRY_DELAY_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
      await pause(clock, delayMs);
    }
  }

  async function page(folder: string, token: string, signal?: AbortSignal) {
    const query = new URLSearchParams({ 'list-type': '2', prefix: folder });
    if (token !== '') query.set('continuation-token', token);
    const url = `${base}?${query}`;
    return send({ method: 'GET', url, signal }, async (response) => {
      const text = await limitedText(response, MAX_LIST_BYTES);
      if (response.status === 404) throw new NonRetryableError('there is no such bucket');
      return readPage(text);
    });
  }

  const remove = (name: string) =>
    send({ method: 'DELETE', url: `${base}/${name}` }, async (response) => void (await response.body?.cancel()));

  return {
    maxConcurrentPuts: MAX_CONCURRENT_PUTS,

    put: (name, bytes) =>
      send({ method: 'PUT', url: urlOf(name), body: bytes }, async (response) => {
        await response.body?.cancel();
        if (response.status === 404) throw new NonRetryableError('there is no such bucket');
      }),

    read: (name, start, end, signal) =>
      send(
        { method: 'GET', url: urlOf(name), headers: { range: `bytes=${start}-${end}` }, signal },
        async (response) => {
          if (response.status === 404) {
            await response.body?.cancel();
            return null;
          }
          const bytes = await limitedBytes(response, response.status === 206 ? end - start + 1 : end + 1);
          // A store without range requests returns the whole object.
          return response.status === 206 ? bytes : bytes.subarray(start, end + 1);
        },
      ),

    async list(folder, signal) {
      const chunks: StoredChunk[] = [];
      let token = '';
      for (let pages = 0; pages < MAX_PAGES; pages++) {
        const read = await page(folder, token, signal);
        chunks.push(...read.chunks.filter(({ name }) => name.startsWith(folder) && chunkNumber(name) !== null));
        token = read.next;
        if (token === '') break;
      }
      return chunks.sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    async remove(folder) {
      for (;;) {
        const { chunks, next } = await page(folder, '');
        const names = chunks.map(({ name }) => name).filter((name) => chunkNumber(name) !== null);
        for (let at = 0; at < names.length; at += MAX_CONCURRENT_REMOVES) {
          await Promise.all(names.slice(at, at + MAX_CONCURRENT_REMOVES).map(remove));
        }
        // Removed objects are no longer in the first page.
        if (next === '' || names.length === 0) return;
      }
    },
  };

  function urlOf(name: string): string {
    if (chunkNumber(name) === null) throw new RangeError('not the name of a chunk');
    return `${base}/${name}`;
  }
}

class NonRetryableError extends Error {}

/** Reads names, sizes and the token of the next page from a response of ListObjectsV2. */
function readPage(xml: string): { chunks: StoredChunk[]; next: string } {
  if (!xml.includes('<ListBucketResult')) throw new Error('the list could not be read');
  const chunks: StoredChunk[] = [];
  for (const [, content] of xml.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
    const name = /<Key>([^<]*)<\/Key>/.exec(content!)?.[1];
    const bytes = Number(/<Size>(\d{1,12})<\/Size>/.exec(content!)?.[1]);
    if (name !== undefined && Number.isInteger(bytes)) chunks.push({ name: unescapeXml(name), bytes });
  }
  const more = /<IsTruncated>\s*true\s*<\/IsTruncated>/.test(xml);
  const token = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/.exec(xml)?.[1] ?? '';
  return { chunks, next: more ? unescapeXml(token) : '' };
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const unescapeXml = (text: string) =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name) return ENTITIES[name] ?? whole;
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });

/** Computed in another thread. */
async function sha256(bytes: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>);
  return Buffer.from(hash).toString('hex');
}

async function limitedBytes(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    // Leaving the loop closes the connection.
    if (length > maxBytes) throw new Error('the response is too long');
    chunks.push(chunk);
  }
  const declared = response.headers.get('content-length');
  if (declared !== null && Number(declared) !== length) throw new Error('the response broke off');
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length);
}

const limitedText = async (response: Response, maxBytes: number) =>
  new TextDecoder().decode(await limitedBytes(response, maxBytes));

/** `fetch` gives the reason of a failure as its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { cause } = error;
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message;
  return error.name === 'TimeoutError' ? 'too slow' : error.message;
}
