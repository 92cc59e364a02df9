import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { finishWithoutEngine } from '../../../../control/calls/lifecycle/finish-call.ts';
import {
  deleteExpiredRecordings,
  resolveUnknownRecordings,
} from '../../../../control/calls/recordings/recording-retention.ts';
import { createRecordingStatus } from '../../../../control/calls/recordings/recording-status.ts';
import { newId } from '../../../../shared/ids.ts';
import { CHUNK_BYTES, chunkName } from '../../../../shared/recordings/chunks.ts';
import { pause, until } from '../../../support/until.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { type CallApi, createCallApi } from '../call-api-fixture.ts';
import { type CallFixture, createCallFixture, log, type Tenant } from '../call-fixture.ts';

/** 19 MB: more than two socket buffers hold. */
const MAX_BUFFERED_CHUNKS = 150;

let fixture: CallFixture;
let api: CallApi;
let tenant: Tenant;
let other: Tenant;

beforeAll(async () => {
  fixture = await createCallFixture();
  api = await createCallApi(fixture);
  tenant = await fixture.tenant(50);
  other = await fixture.tenant(50);
});
afterAll(() => api.http.close());

const noise = (length: number, seed: number) => Uint8Array.from({ length }, (_, at) => (at * 31 + seed * 7) % 253);

/** Stores chunks of these sizes by number, and returns the data of the file they make. */
function store(call: { workspace_id: string; id: string }, chunks: Record<number, number>): Buffer {
  const last = Math.max(...Object.keys(chunks).map(Number));
  const data = Buffer.alloc(last * CHUNK_BYTES + chunks[last]!);
  for (const [number, bytes] of Object.entries(chunks)) {
    const audio = noise(bytes, Number(number) + 1);
    api.store.objects.set(chunkName(call.workspace_id, call.id, Number(number)), audio);
    data.set(audio, Number(number) * CHUNK_BYTES);
  }
  return data;
}

const recordingOf = (call: { id: string }, range?: string, more: Record<string, string> = {}, who = tenant) =>
  api.get(who, `/calls/${call.id}/recording`, { ...(range ? { range } : {}), ...more });

describe('the recording', () => {
  it('is one WAV file made of its chunks', async () => {
    const call = await api.finished(tenant);
    const data = store(call, { 0: CHUNK_BYTES, 1: CHUNK_BYTES, 2: 4_000 });
    const { status, headers, raw } = await recordingOf(call);
    expect([status, headers['content-type'], headers['content-length']]).toEqual([
      200,
      'audio/wav',
      String(44 + data.length),
    ]);
    expect(headers['content-disposition']).toBe(`attachment; filename="call-${call.id}.wav"`);
    expect(headers['accept-ranges']).toBe('bytes');
    expect(raw.toString('latin1', 0, 4) + raw.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ');
    expect([raw.readUInt16LE(22), raw.readUInt32LE(24), raw.readUInt32LE(40)]).toEqual([2, 8_000, data.length]);
    expect(raw.subarray(44).equals(data)).toBe(true);
  });

  it('is returned in ranges', async () => {
    const call = await api.finished(tenant);
    store(call, { 0: CHUNK_BYTES, 1: CHUNK_BYTES, 2: 800 });
    const whole = (await recordingOf(call)).raw;
    const size = whole.length;
    const inParts: [string, number, number][] = [
      ['0-0', 0, 0],
      ['0-43', 0, 43],
      ['10-19', 10, 19],
      ['40-50', 40, 50],
      ['44-47', 44, 47],
      [`${44 + CHUNK_BYTES - 2}-${44 + CHUNK_BYTES + 1}`, 44 + CHUNK_BYTES - 2, 44 + CHUNK_BYTES + 1],
      [`100-${44 + 2 * CHUNK_BYTES + 9}`, 100, 44 + 2 * CHUNK_BYTES + 9],
      [`${size - 10}-`, size - 10, size - 1],
      ['-5', size - 5, size - 1],
      [`-${size + 100}`, 0, size - 1],
      [`0-${size * 2}`, 0, size - 1],
      [`${size - 1}-${size - 1}`, size - 1, size - 1],
    ];
    for (const [range, start, end] of inParts) {
      const { status, headers, raw } = await recordingOf(call, `bytes=${range}`);
      expect([status, headers['content-range'], headers['content-length']], range).toEqual([
        206,
        `bytes ${start}-${end}/${size}`,
        String(end - start + 1),
      ]);
      expect(raw.equals(whole.subarray(start, end + 1)), range).toBe(true);
    }
    for (const beyond of [`bytes=${size}-`, `bytes=${size + 5}-${size + 9}`, 'bytes=-0']) {
      const { status, headers, raw } = await recordingOf(call, beyond);
      expect([status, headers['content-range'], raw.length], beyond).toEqual([416, `bytes */${size}`, 0]);
    }
    for (const odd of ['bytes=5-2', 'bytes=0-1,4-5', 'lines=1-2', 'bytes=-', 'bytes=x', 'bytes=9999999999999999-']) {
      expect((await recordingOf(call, odd)).status, odd).toBe(200);
    }
  });

  it('keeps its ETag until a byte changes', async () => {
    const call = await api.finished(tenant);
    store(call, { 0: CHUNK_BYTES, 2: 800 });
    const { etag } = (await recordingOf(call)).headers as { etag: string };
    expect((await recordingOf(call, 'bytes=0-9', { 'if-range': '"old"' })).status).toBe(200);
    expect((await recordingOf(call, 'bytes=0-9', { 'if-range': etag })).status).toBe(206);
    store(call, { 0: CHUNK_BYTES, 1: CHUNK_BYTES, 2: 800 });
    expect((await recordingOf(call)).headers.etag).not.toBe(etag);
  });

  it('is silent where a chunk is missing or short, and continues at its position', async () => {
    const call = await api.finished(tenant);
    const data = store(call, { 1: 1_000, 3: CHUNK_BYTES, 4: 4 });
    expect((await recordingOf(call)).raw.subarray(44).equals(data)).toBe(true);
    const start = 44 + CHUNK_BYTES + 900;
    const { raw } = await recordingOf(call, `bytes=${start}-${start + 199}`);
    expect(raw.equals(Buffer.concat([data.subarray(CHUNK_BYTES + 900, CHUNK_BYTES + 1_000), Buffer.alloc(100)]))).toBe(
      true,
    );
  });

  it('consists of whole samples of chunks only', async () => {
    const call = await api.finished(tenant);
    store(call, { 0: 4_003 });
    const folder = chunkName(call.workspace_id, call.id, 0).slice(0, 66);
    api.store.objects.set(`${folder}notes.txt`, noise(10, 1));
    api.store.objects.set(`${folder}000007.pcm`, new Uint8Array(0));
    expect((await recordingOf(call)).raw.length).toBe(44 + 4_000);
  });

  it('returns 404 when there is none, and for another workspace', async () => {
    const call = await api.finished(tenant);
    const missing = await recordingOf(call);
    expect([missing.status, missing.body.detail]).toEqual([404, 'recording not found']);
    store(call, { 0: 400 });
    expect((await recordingOf(call, undefined, {}, other)).body.detail).toBe('call not found');
    await fixture.sql`update calls set recorded = false where id = ${call.id}`;
    expect((await recordingOf(call)).status).toBe(404);
    expect((await api.get(tenant, '/calls/..%2f..%2fetc%2fpasswd/recording')).status).toBe(404);
  });

  it('returns 502 when its store does not respond', async () => {
    const call = await api.finished(tenant);
    store(call, { 0: 400 });
    api.store.state = 'unavailable';
    const { status, body } = await recordingOf(call);
    api.store.state = 'normal';
    expect([status, body.detail]).toEqual([502, 'the store of recordings did not answer; try again shortly']);
  });

  it('writes one audit event per actor, however many parts a player requests', async () => {
    const call = await api.finished(tenant);
    store(call, { 0: 4_000 });
    const events = () => fixture.sql`
      select actor_id from audit_events where target_id = ${call.id} and action = 'recording.downloaded'`;
    expect((await recordingOf(call, 'bytes=90000-')).status).toBe(416);
    expect(await events()).toHaveLength(0);
    for (let at = 0; at < 4_000; at += 1_000) await recordingOf(call, `bytes=${at}-${at + 999}`);
    expect(await events()).toHaveLength(1);
    fixture.clock.shift(11 * 60_000);
    await recordingOf(call);
    expect(await events()).toHaveLength(2);
  });

  it('is fetched no faster than it is read, and no further after the client disconnects', async () => {
    const call = await api.finished(tenant);
    const chunks = Object.fromEntries(
      Array.from({ length: 2 * MAX_BUFFERED_CHUNKS }, (_, number) => [number, CHUNK_BYTES]),
    );
    store(call, chunks);
    await api.http.listen({ port: 0, host: '127.0.0.1' });
    const { port } = api.http.server.address() as AddressInfo;
    const before = api.store.readBytes;
    const request = httpRequest({
      ...{ port, host: '127.0.0.1', path: `/api/v1/calls/${call.id}/recording` },
      headers: { 'x-api-key': tenant.workspace_id },
    });
    const response = await new Promise<IncomingMessage>((resolve) => {
      request.on('response', resolve).end();
    });
    // One chunk is read, then no more: the socket buffers hold less than half of it.
    response.once('data', () => response.pause());
    await until(() => api.store.readBytes > before);
    await pause(200);
    response.destroy();
    await once(response, 'close');
    await pause(200);
    expect(api.store.readBytes - before).toBeLessThan(MAX_BUFFERED_CHUNKS * CHUNK_BYTES);
  });
});

describe('a lost engine', () => {
  const lose = async (call: CallRow, recorded: boolean | null = null) =>
    fixture.sql.begin(async (tx) => {
      const [held] = await tx<CallRow[]>`select * from calls where id = ${call.id} for update`;
      const end = { hangup_by: 'service', hangup_reason: 'media engine lost' } as const;
      const nowMs = fixture.clock.wall();
      return finishWithoutEngine(tx, held!, { ...end, ended_at_ms: nowMs, recorded }, nowMs);
    });
  const live = async () => {
    const call = await fixture.opened(tenant);
    await fixture.sql`update calls set status = 'in-progress', started_at = now() where id = ${call.id}`;
    return fixture.read(call.id);
  };

  it('leaves its recording, which can be fetched at once and is on the record soon', async () => {
    const call = await live();
    const data = store(call, { 0: CHUNK_BYTES, 1: CHUNK_BYTES });
    expect((await recordingOf(call)).status).toBe(404);
    await lose(call);
    expect((await recordingOf(call)).raw.length).toBe(44 + data.length);
    await resolveUnknownRecordings({ sql: fixture.sql, store: api.store });
    expect(await fixture.read(call.id)).toMatchObject({ recorded: true, recording_unknown: false });
  });

  it('has its recording on the record at once when the store responds in time', async () => {
    const hasRecording = createRecordingStatus(api.store, createVirtualClock());
    const call = await live();
    expect(await hasRecording(call)).toBe(false);
    store(call, { 0: 400 });
    await lose(call, await hasRecording(call));
    expect(await fixture.read(call.id)).toMatchObject({ recorded: true, recording_unknown: false });
    const completed = (await fixture.timeline(call)).find(({ type }) => type === 'call.completed');
    expect(completed!.data).toMatchObject({ call: { recorded: true } });
  });

  it('does not delay the end of its calls when the store does not respond', async () => {
    const clock = createVirtualClock();
    const hasRecording = createRecordingStatus(api.store, clock);
    const call = { workspace_id: newId(), id: newId() };
    api.store.state = 'hangs';
    const asked = hasRecording(call);
    await clock.advance(2_000);
    expect(await asked).toBeNull();
    // The store is not asked for the next ones, for a while.
    expect(await hasRecording(call)).toBeNull();
    api.store.state = 'normal';
    await clock.advance(30_000);
    expect(await hasRecording(call)).toBe(false);
    expect(clock.pending()).toBe(0);
  });

  it('that stored nothing leaves no recording', async () => {
    const call = await live();
    await lose(call);
    expect((await recordingOf(call)).status).toBe(404);
    await resolveUnknownRecordings({ sql: fixture.sql, store: api.store });
    expect(await fixture.read(call.id)).toMatchObject({ recorded: false, recording_unknown: false });
  });

  it('is looked up again after the store was unavailable', async () => {
    const call = await live();
    store(call, { 0: 400 });
    await lose(call);
    api.store.state = 'unavailable';
    await expect(resolveUnknownRecordings({ sql: fixture.sql, store: api.store })).rejects.toThrow(
      'the store is unavailable',
    );
    api.store.state = 'normal';
    expect((await fixture.read(call.id)).recording_unknown).toBe(true);
    await resolveUnknownRecordings({ sql: fixture.sql, store: api.store });
    expect((await fixture.read(call.id)).recorded).toBe(true);
  });
});

it('recordings are deleted after a year', async () => {
  const [old, young] = [await api.finished(tenant), await api.finished(tenant)];
  for (const call of [old, young]) store(call, { 0: 400, 1: 400 });
  const ended = (days: number) => new Date(fixture.clock.wall() - days * 86_400_000);
  await fixture.sql`update calls set ended_at = ${ended(366)} where id = ${old.id}`;
  await fixture.sql`update calls set ended_at = ${ended(364)} where id = ${young.id}`;
  const deps = { sql: fixture.sql, clock: fixture.clock, log, store: api.store };
  api.store.state = 'unavailable';
  await expect(deleteExpiredRecordings(deps)).rejects.toThrow('the store is unavailable');
  expect((await fixture.read(old.id)).recorded).toBe(true);
  api.store.state = 'normal';
  await deleteExpiredRecordings(deps);
  expect([(await fixture.read(old.id)).recorded, (await fixture.read(young.id)).recorded]).toEqual([false, true]);
  const left = [...api.store.objects.keys()].filter((name) => name.includes(old.id) || name.includes(young.id));
  expect(left).toHaveLength(2);
  expect(left.every((name) => name.includes(young.id))).toBe(true);
});
