import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { startBucketSimulator } from '../../../fixtures/simulators/bucket.ts';
import { refusalOfSignature } from '../../../fixtures/simulators/bucket-signature.ts';
import { systemClock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { createBucketStore } from '../../../shared/recordings/bucket-store.ts';
import {
  CHUNK_BYTES,
  chunkName,
  chunkNumber,
  chunkRateHz,
  recordingFolder,
} from '../../../shared/recordings/chunks.ts';
import { createDiskStore } from '../../../shared/recordings/disk-store.ts';
import { openRecordingStore } from '../../../shared/recordings/store-settings.ts';

const root = mkdtempSync(join(tmpdir(), 'antiphon-store-'));
const bucket = await startBucketSimulator({ pageSize: 3 });
const stores = {
  disk: createDiskStore(root),
  bucket: createBucketStore(bucket, systemClock),
};
afterAll(async () => {
  await bucket.close();
  rmSync(root, { recursive: true, force: true });
});
afterEach(() => bucket.behave('normal'));

const same = (a: Uint8Array | null, b: Uint8Array) => a !== null && Buffer.compare(a, b) === 0;
const bytesOf = (length: number, seed = 1) => Uint8Array.from({ length }, (_, index) => (index * seed) % 251);

describe.each(['disk', 'bucket'] as const)('recordings on %s', (kind) => {
  const store = stores[kind];

  it('come back as they were put, whole and in parts', async () => {
    const [workspace, call] = [newId(), newId()];
    const name = chunkName(workspace, call, 7);
    await store.put(name, bytesOf(CHUNK_BYTES));
    expect(same(await store.read(name, 0, CHUNK_BYTES - 1), bytesOf(CHUNK_BYTES))).toBe(true);
    expect([...(await store.read(name, 10, 14))!]).toEqual([10, 11, 12, 13, 14]);
    expect((await store.read(name, CHUNK_BYTES - 4, CHUNK_BYTES + 50))!.length).toBe(4);
    await store.put(name, bytesOf(8, 3));
    expect([...(await store.read(name, 0, 100))!]).toEqual([...bytesOf(8, 3)]);
    expect(await store.read(chunkName(workspace, call, 8), 0, 3)).toBeNull();
  });

  it('are listed by call, however many chunks there are', async () => {
    const [workspace, call] = [newId(), newId()];
    for (let number = 9; number >= 0; number--)
      await store.put(chunkName(workspace, call, number), bytesOf(4 + number));
    await store.put(chunkName(workspace, newId(), 0), bytesOf(4));
    const chunks = await store.list(recordingFolder(workspace, call));
    expect(chunks.map(({ name }) => chunkNumber(name))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(chunks.map(({ bytes }) => bytes)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect(await store.list(recordingFolder(workspace, newId()))).toEqual([]);
  });

  it('are removed by call, more than once if need be', async () => {
    const [workspace, call, other] = [newId(), newId(), newId()];
    for (let number = 0; number < 8; number++) await store.put(chunkName(workspace, call, number), bytesOf(4));
    await store.put(chunkName(workspace, other, 0), bytesOf(4));
    await store.remove(recordingFolder(workspace, call));
    await store.remove(recordingFolder(workspace, call));
    expect(await store.list(recordingFolder(workspace, call))).toEqual([]);
    expect(await store.list(recordingFolder(workspace, other))).toHaveLength(1);
  });

  it('never lie under a name of anybody else', async () => {
    const id = newId();
    expect(() => chunkName('..', id, 0)).toThrow(RangeError);
    expect(() => chunkName(id, `${id}/../x`, 0)).toThrow(RangeError);
    expect(() => chunkName(id, id, -1)).toThrow(RangeError);
    const wideband = chunkName(id, id, 7, 16_000);
    expect([chunkNumber(wideband), chunkRateHz(wideband), chunkRateHz(chunkName(id, id, 7))]).toEqual([
      7, 16_000, 8_000,
    ]);
    for (const name of [`${id}/../../etc/000000.pcm`, `/${id}/${id}/000000.pcm`, `${id}/${id}/1.pcm`, '']) {
      await expect((async () => store.put(name, bytesOf(1)))(), name).rejects.toThrow(RangeError);
      await expect((async () => store.read(name, 0, 1))(), name).rejects.toThrow(RangeError);
    }
  });
});

it('a disk shows complete chunks only', async () => {
  const [workspace, call] = [newId(), newId()];
  const store = stores.disk;
  await store.put(chunkName(workspace, call, 0), bytesOf(4));
  const folder = join(root, recordingFolder(workspace, call));
  writeFileSync(join(folder, '000001.pcm.part'), 'half');
  writeFileSync(join(folder, 'notes.txt'), 'else');
  expect((await store.list(recordingFolder(workspace, call))).map(({ bytes }) => bytes)).toEqual([4]);
  expect(readdirSync(folder)).toHaveLength(3);
});

describe('a bucket', () => {
  const store = stores.bucket;
  const name = () => chunkName(newId(), newId(), 0);

  it.each(['slow down', 'broken', 'drop'] as const)('that fails temporarily (%s) is requested again', async (how) => {
    const chunk = name();
    bucket.behave(how, 2);
    await store.put(chunk, bytesOf(64));
    bucket.behave(how, 1);
    expect(await store.read(chunk, 0, 63)).toEqual(bytesOf(64));
    bucket.behave(how, 1);
    expect(await store.list(chunk.slice(0, 66))).toHaveLength(1);
  });

  it('that breaks off in the middle of a chunk is requested again', async () => {
    const chunk = name();
    await store.put(chunk, bytesOf(CHUNK_BYTES));
    bucket.behave('cut', 1);
    expect(same(await store.read(chunk, 0, CHUNK_BYTES - 1), bytesOf(CHUNK_BYTES))).toBe(true);
  });

  it('that refuses is not asked again, and no key stands in the complaint', async () => {
    bucket.behave('denied');
    const before = bucket.requests.length;
    const complaint = await store.put(name(), bytesOf(4)).catch((error: Error) => `${error.message} ${error.stack}`);
    expect(complaint).toContain('the bucket responded 403 AccessDenied');
    expect(complaint).not.toContain(bucket.secretAccessKey);
    expect(complaint).not.toContain(bucket.accessKeyId);
    expect(bucket.requests.length - before).toBe(1);
  });

  it('that stays away is given up after four tries', async () => {
    bucket.behave('slow down');
    const before = bucket.requests.length;
    await expect(store.put(name(), bytesOf(4))).rejects.toThrow('the bucket responded 503 SlowDown');
    expect(bucket.requests.length - before).toBe(4);
  });

  it('is not read on when nobody wants it any more', async () => {
    const chunk = name();
    await store.put(chunk, bytesOf(64));
    bucket.behave('hang');
    const aborted = new AbortController();
    const reading = store.read(chunk, 0, 63, aborted.signal);
    setTimeout(() => aborted.abort(), 20);
    await expect(reading).rejects.toThrow();
  });

  it('refuses a wrong key, a wrong region and a wrong bucket', async () => {
    const wrong = [
      { secretAccessKey: 'other' },
      { accessKeyId: 'other' },
      { region: 'eu-west-1' },
      { bucket: 'other' },
    ];
    const complaints: string[] = [];
    for (const each of wrong) {
      const other = createBucketStore({ ...bucket, ...each }, systemClock);
      complaints.push(await other.put(name(), bytesOf(4)).then(String, (error: Error) => error.message));
    }
    expect(complaints).toEqual([
      'the bucket responded 403 SignatureDoesNotMatch',
      'the bucket responded 403 InvalidAccessKeyId',
      'the bucket responded 400 AuthorizationHeaderMalformed',
      'there is no such bucket',
    ]);
    expect(bucket.refusals).toEqual(['SignatureDoesNotMatch', 'InvalidAccessKeyId', 'AuthorizationHeaderMalformed']);
  });
});

/** The worked examples of the Amazon S3 API Reference, "Examples: Signature Calculations". */
describe('the check of signatures', () => {
  const key = {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
  };
  const nowMs = Date.UTC(2013, 4, 24);
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  const common = {
    host: 'examplebucket.s3.amazonaws.com',
    'x-amz-content-sha256': empty,
    'x-amz-date': '20130524T000000Z',
  };
  const authorization = (signed: string, signature: string) =>
    `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=${signed},Signature=${signature}`;
  const getObject = {
    method: 'GET',
    target: '/test.txt',
    headers: {
      ...common,
      range: 'bytes=0-9',
      authorization: authorization(
        'host;range;x-amz-content-sha256;x-amz-date',
        'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
      ),
    },
    body: Buffer.alloc(0),
  };

  it('passes the examples', () => {
    expect(refusalOfSignature(getObject, key, nowMs)).toBeNull();
    const list = authorization(
      'host;x-amz-content-sha256;x-amz-date',
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    );
    const target = '/?max-keys=2&prefix=J';
    const headers = { ...common, authorization: list };
    expect(refusalOfSignature({ method: 'GET', target, headers, body: Buffer.alloc(0) }, key, nowMs)).toBeNull();
  });

  it('refuses what was changed', () => {
    const changed = (more: object, headers: object = {}) =>
      refusalOfSignature({ ...getObject, ...more, headers: { ...getObject.headers, ...headers } }, key, nowMs)?.[1];
    expect(changed({ target: '/test2.txt' })).toBe('SignatureDoesNotMatch');
    expect(changed({ method: 'PUT' })).toBe('SignatureDoesNotMatch');
    expect(changed({}, { range: 'bytes=0-10' })).toBe('SignatureDoesNotMatch');
    expect(changed({ body: Buffer.from('x') })).toBe('XAmzContentSHA256Mismatch');
    expect(changed({}, { 'x-amz-acl': 'public-read' })).toBe('AccessDenied');
    expect(changed({}, { authorization: undefined })).toBe('AccessDenied');
    expect(changed({}, { 'x-amz-date': '20130525T000000Z' })).toBe('AccessDenied');
    expect(refusalOfSignature(getObject, key, nowMs + 16 * 60_000)?.[1]).toBe('RequestTimeTooSkewed');
  });
});

it('a bucket set by halves is refused at the start', () => {
  const settings = {
    RECORDINGS_DIR: root,
    RECORDINGS_BUCKET: 'b',
    RECORDINGS_ENDPOINT: '',
    RECORDINGS_REGION: 'r',
    RECORDINGS_ACCESS_KEY_ID: 'a',
    RECORDINGS_SECRET_ACCESS_KEY: '',
  };
  expect(() => openRecordingStore(settings, systemClock)).toThrow(
    'RECORDINGS_BUCKET needs RECORDINGS_ENDPOINT and RECORDINGS_SECRET_ACCESS_KEY as well',
  );
  expect(openRecordingStore({ ...settings, RECORDINGS_BUCKET: '' }, systemClock).maxConcurrentPuts).toBe(2);
});
