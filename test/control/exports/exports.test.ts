import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startExportWorker } from '../../../control/exports/export-worker.ts';
import { writeArchive } from '../../../control/exports/write-archive.ts';
import { systemClock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/log.ts';
import { chunkName } from '../../../shared/recordings/chunks.ts';
import { createDiskStore } from '../../../shared/recordings/disk-store.ts';
import type { RecordingStore } from '../../../shared/recordings/recording-store.ts';
import { afterFile } from '../../support/after-file.ts';
import { startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';
import { furnish } from '../../support/furnish.ts';
import { createOperatorCommand } from '../../support/operator-command.ts';
import { eventually } from '../../support/until.ts';
import { openArchive, rowsOf } from './open-archive.ts';

let api: TestApi;
let store: RecordingStore;
let owner: UserClient;
let number = 919811110000;
const folder = mkdtempSync(join(tmpdir(), 'antiphon-test-exports-'));
const log = createLogger('control', 'silent');

beforeAll(async () => {
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  store = createDiskStore(folder);
  api = await startTestApi({}, { RECORDINGS_DIR: folder });
});
beforeEach(async () => {
  await api.sql`delete from workspace_exports`;
  owner = await api.asUser('owner');
});

const EXPORTS = '/workspace/exports';
const start = async (recordings = false) => (await owner.send('POST', EXPORTS, { recordings })).body;
const listed = async () => (await owner.send('GET', EXPORTS)).body;
const stored = () =>
  readdirSync(folder, { recursive: true }).filter((name) => String(name).includes(owner.workspace_id));
const withStatus = (status: string) =>
  eventually(`an export that is ${status}`, 60_000, async () => {
    const [row] = await listed();
    return row?.status === status ? row : null;
  });

/** The worker runs while `work` does. */
async function withWorker<Result>(work: () => Promise<Result>, deps: object = {}): Promise<Result> {
  const worker = startExportWorker({ sql: api.sql, reportsSql: api.sql, clock: systemClock, log, store, ...deps });
  try {
    return await work();
  } finally {
    await worker.stop();
  }
}

async function download(id: string): Promise<Map<string, Buffer>> {
  const url = `/api/v1${EXPORTS}/${id}/download`;
  const headers = { authorization: `Bearer ${owner.token}` };
  const { rawPayload, headers: answered } = await api.http.inject({ method: 'GET', url, headers });
  expect([answered['content-type'], Number(answered['content-length'])]).toEqual([
    'application/zip',
    rawPayload.length,
  ]);
  return openArchive(rawPayload);
}

/** A call with a recording of two chunks. */
async function recordedCall(): Promise<string> {
  const [agent] = (await owner.send('GET', '/agents')).body;
  await owner.send('POST', `/agents/${agent.id}/call`, { to_number: '+919811112222' });
  const [call] = await api.sql`select id from calls where workspace_id = ${owner.workspace_id} limit 1`;
  await api.sql`update calls set recorded = true where id = ${call!.id}`;
  await store.put(chunkName(owner.workspace_id, call!.id, 0), randomBytes(128_000));
  await store.put(chunkName(owner.workspace_id, call!.id, 1), randomBytes(4_000));
  return call!.id;
}

const furnished = () => furnish(api.sql, owner, `+${++number}`);

describe('an export', () => {
  it('has the rows of the workspace, and no other', async () => {
    const other = await api.asUser('owner');
    await furnish(api.sql, other, `+${++number}`);
    await furnished();
    await api.sql`delete from workspace_exports`;
    const { id } = await start();
    const ready = await withWorker(() => withStatus('ready'));
    const files = await download(id);
    const about = JSON.parse(String(files.get('export.json')));
    expect(rowsOf(files, 'agents').map(({ name }) => name)).toEqual(['Renamed']);
    expect(rowsOf(files, 'memberships')).toMatchObject([{ email: owner.email, role: 'owner' }]);
    expect(rowsOf(files, 'knowledge_sources')).toMatchObject([{ text: expect.stringContaining('One.') }]);
    expect(about).toMatchObject({ workspace_id: owner.workspace_id, recordings: 0 });
    const counted = Object.values<number>(about.records).reduce((sum, rows) => sum + rows, 0);
    expect(ready).toMatchObject({ records: counted, recording_count: 0, recordings: false });
    const text = [...files.values()].map(String).join();
    expect([text.includes(owner.workspace_id), text.includes(other.workspace_id)]).toEqual([true, false]);
  });

  it('has the values of no tool headers, wherever a tool is', async () => {
    const headers = { Authorization: 'Bearer of-the-tool' };
    const tool = { name: 'book', description: 'Books', url: 'https://example.com/x', method: 'GET', headers };
    await owner.send('POST', '/tools', tool);
    await owner.send('POST', '/agents', { name: 'Booker', tools: [tool] });
    const { id } = await start();
    await withWorker(() => withStatus('ready'));
    const files = await download(id);
    const hidden = { Authorization: '***' };
    expect(rowsOf(files, 'tools')).toMatchObject([{ headers: hidden }]);
    expect(rowsOf(files, 'agents')).toMatchObject([{ tools: [{ headers: hidden }] }]);
    expect(rowsOf(files, 'agent_versions')).toMatchObject([{ config: { tools: [{ headers: hidden }] } }]);
    expect([...files.values()].some((file) => file.includes('🔒'))).toBe(false);
  });

  it('has the recordings when they are wanted', async () => {
    await furnished();
    await api.sql`delete from workspace_exports`;
    const call = await recordedCall();
    const { id } = await start(true);
    const ready = await withWorker(() => withStatus('ready'));
    const wav = (await download(id)).get(`recordings/${call}.wav`)!;
    expect([ready.recording_count, wav.subarray(0, 4).toString(), wav.length]).toEqual([1, 'RIFF', 44 + 132_000]);
  });

  it('has every row of many pages, once', async () => {
    await manyRows(1_001, 10);
    const { id } = await start();
    await withWorker(() => withStatus('ready'));
    const names = rowsOf(await download(id), 'audit_events').filter(({ action }) => action === 'test.many');
    expect(new Set(names.map(({ id }) => id)).size).toBe(1_001);
    expect(names).toHaveLength(1_001);
  });

  it('is read no faster than it is written', async () => {
    await manyRows(4_000, 5_000);
    const { archive, progress } = writeArchive({
      ...{ sql: api.sql, clock: systemClock, workspace_id: owner.workspace_id, recordings: null, at: new Date() },
    });
    let [written, ahead] = [0, 0];
    for await (const chunk of archive) {
      written += chunk.length;
      // A row is about 5,000 bytes in the archive, because its text cannot be compressed to less than half.
      ahead = Math.max(ahead, progress.records * 2_500 - written);
    }
    expect(progress.records).toBeGreaterThan(4_000);
    expect(ahead).toBeLessThan(4_000_000);
  });
});

async function manyRows(count: number, bytes: number): Promise<void> {
  for (let at = 0; at < count; at += 500) {
    const rows = Array.from({ length: Math.min(500, count - at) }, () => ({
      ...{ workspace_id: owner.workspace_id, id: newId(), at: new Date(), action: 'test.many', actor_kind: 'user' },
      ...{ actor_id: '', actor_name: '', target_kind: '', target_id: '', target_name: '', changes: {}, address: '' },
      ...{ data: { text: randomBytes(bytes / 2).toString('hex') }, request_id: '' },
    }));
    await api.sql`insert into audit_events ${api.sql(rows as never)}`;
  }
}

describe('exports', () => {
  it('are made one at a time, and five a day', async () => {
    const statuses: number[] = [];
    for (let made = 0; made < 6; made++) {
      const { status, body } = await owner.send('POST', EXPORTS, {});
      statuses.push(status);
      if (made === 0) statuses.push((await owner.send('POST', EXPORTS, {})).status);
      if (status === 202) await owner.send('DELETE', `${EXPORTS}/${body.id}`);
    }
    expect(statuses).toEqual([202, 409, 202, 202, 202, 202, 429]);
  });

  it('are for owners only', async () => {
    const admin = await api.asUser('admin', owner.workspace_id);
    const { id } = await start();
    const answers = await Promise.all([
      admin.send('POST', EXPORTS, {}),
      admin.send('GET', EXPORTS),
      admin.send('GET', `${EXPORTS}/${id}/download`),
      admin.send('DELETE', `${EXPORTS}/${id}`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });

  it('cannot be downloaded before they are ready', async () => {
    const { id } = await start();
    const { status, body } = await owner.send('GET', `${EXPORTS}/${id}/download`);
    expect([status, body.detail]).toEqual([409, 'the export is not ready']);
  });

  it('are in the audit trail', async () => {
    const { id } = await start();
    await withWorker(() => withStatus('ready'));
    await download(id);
    await owner.send('DELETE', `${EXPORTS}/${id}`);
    const rows = await api.sql`
      select action from audit_events where workspace_id = ${owner.workspace_id} and target_id = ${id} order by id`;
    expect(rows.map(({ action }) => action)).toEqual(['export.started', 'export.downloaded', 'export.removed']);
  });

  it('are gone from the store once they are removed', async () => {
    const { id } = await start();
    await withWorker(async () => {
      await withStatus('ready');
      expect(stored()).not.toEqual([]);
      expect((await owner.send('DELETE', `${EXPORTS}/${id}`)).status).toBe(204);
      await eventually('an empty store', 60_000, async () =>
        stored().some((n) => String(n).endsWith('.pcm')) ? null : true,
      );
    });
    expect(await listed()).toEqual([]);
  });

  it('are gone a week after they were ready', async () => {
    const { id } = await start();
    await withWorker(() => withStatus('ready'));
    const [row] = await listed();
    expect(Date.parse(row.expires_at) - Date.parse(row.finished_at)).toBe(7 * 24 * 3_600_000);
    const later = { ...systemClock, wall: () => Date.now() + 7 * 24 * 3_600_000 + 1_000 };
    await withWorker(() => noRow(id), { clock: later });
    expect(stored().filter((name) => String(name).endsWith('.pcm'))).toEqual([]);
  });

  it('of a process that died are begun anew', async () => {
    const { id } = await start();
    await store.put(chunkName(owner.workspace_id, id, 7), randomBytes(100));
    await api.sql`
      update workspace_exports set status = 'running', stored = true, tries = 1, lease_id = 'dead', records = 5,
        leased_until = ${new Date(Date.now() - 1)} where id = ${id}`;
    await withWorker(() => withStatus('ready'));
    expect((await download(id)).has('export.json')).toBe(true);
  });

  it('of a process that stops wait for another one, untried', async () => {
    const { id } = await start();
    let writing = () => {};
    const begun = new Promise<void>((resolve) => {
      writing = resolve;
    });
    const slow: RecordingStore = {
      ...store,
      put(name, bytes) {
        writing();
        return store.put(name, bytes);
      },
    };
    await manyRows(2_000, 20_000);
    await withWorker(() => begun, { store: slow });
    const [row] = await api.sql`select status, tries, leased_until from workspace_exports where id = ${id}`;
    expect(row).toEqual({ status: 'queued', tries: 0, leased_until: null });
  });

  it('that are removed while they are made leave nothing', async () => {
    const { id } = await start();
    const removing: RecordingStore = {
      ...store,
      async put(name, bytes) {
        await store.put(name, bytes);
        await owner.send('DELETE', `${EXPORTS}/${id}`);
      },
    };
    await manyRows(1_000, 20_000);
    await withWorker(() => removed(id), { store: removing });
    expect(stored().filter((name) => String(name).endsWith('.pcm'))).toEqual([]);
  });

  it('that fail three times are given up, and what was stored is removed', async () => {
    const { id } = await start();
    await api.sql`update workspace_exports set tries = 2 where id = ${id}`;
    const failing = { ...store, put: () => Promise.reject(new Error('the store is full')) };
    await withWorker(() => withStatus('failed'), { store: failing });
    expect((await owner.send('POST', EXPORTS, {})).status).toBe(202);
  });

  it('stop when the workspace is closed', async () => {
    const { id } = await start();
    const closing: RecordingStore = {
      ...store,
      async put(name, bytes) {
        await store.put(name, bytes);
        await api.sql`update workspaces set state = 'closed' where id = ${owner.workspace_id}`;
      },
    };
    await manyRows(1_000, 20_000);
    await withWorker(() => removed(id), { store: closing });
    expect(stored().filter((name) => String(name).endsWith('.pcm'))).toEqual([]);
  });

  it('are not made while calls with a person are erased', async () => {
    await createOperatorCommand(api.sql).operator(`call erase ${owner.workspace_id}`, { number: '+919811119999' });
    const { status, body } = await owner.send('POST', EXPORTS, {});
    expect([status, body.detail]).toEqual([409, 'calls are being erased; try again in a few minutes']);
  });

  it('are removed when an owner erases calls with a person, and nobody else may', async () => {
    await furnished();
    await recordedCall();
    await api.sql`delete from workspace_exports`;
    await withWorker(async () => {
      await start();
      await withStatus('ready');
    });
    const number = '+919811112222';
    const admin = await api.asUser('admin', owner.workspace_id);
    expect((await admin.send('POST', '/workspace/erasures', { number })).status).toBe(403);
    expect((await owner.send('POST', '/workspace/erasures', { number: '9811' })).status).toBe(422);
    const { status, body } = await owner.send('POST', '/workspace/erasures', { number });
    expect([status, body]).toMatchObject([202, { exports_removed: 1 }]);
    expect(body.calls).toBeGreaterThan(0);
    expect(await listed()).toEqual([]);
    const [{ data, actor }] = (await owner.send('GET', '/audit-events?action=calls.erased')).body.items;
    expect([data, actor.kind]).toEqual([{ number: '+91***22' }, 'user']);
  });

  it('are removed when calls with a person are erased', async () => {
    await start();
    await withWorker(() => withStatus('ready'));
    const { result } = await createOperatorCommand(api.sql).operator(`call erase ${owner.workspace_id}`, {
      number: '+919811119999',
    });
    expect([result.exports_removed, await listed()]).toEqual([1, []]);
  });
});

const noRow = (id: string) =>
  eventually('no row', 60_000, async () => {
    const rows = await api.sql`select 1 from workspace_exports where id = ${id}`;
    return rows.length === 0 ? true : null;
  });
const removed = (id: string) =>
  eventually('a removed export', 60_000, async () => {
    const [row] = await api.sql`select removed_at, stored from workspace_exports where id = ${id}`;
    return row!.removed_at !== null && !row!.stored ? true : null;
  });

describe('the operator', () => {
  it('writes the same archive to a folder, audited', async () => {
    await furnished();
    const { operator, trailOf } = createOperatorCommand(api.sql);
    const { result } = await operator(`workspace export ${owner.workspace_id}`, { to: join(folder, 'by-operator') });
    const files = await openArchive(readFileSync(result.file));
    expect(rowsOf(files, 'agents')).toHaveLength(1);
    expect(await trailOf(owner.workspace_id)).toContain('workspace.exported');
  });
});
