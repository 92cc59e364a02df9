import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { moveFinishedCalls } from '../../control/calls/lifecycle/move-finished-calls.ts';
import { newId } from '../../shared/ids.ts';
import { CHUNK_BYTES, CHUNK_SECONDS, chunkName, RECORDING_RATE_HZ } from '../../shared/recordings/chunks.ts';
import { createDiskStore } from '../../shared/recordings/disk-store.ts';
import { type ConsoleFixture, startConsole } from './console-fixture.ts';
import type { OpenedPage } from './page-checks.ts';
import { openSignedIn } from './sign-in-page.ts';

/** Calls in every state, with recordings, for tests of the console's pages. */

export type User = Awaited<ReturnType<ConsoleFixture['newUser']>>;

/** Seconds in which a voice speaks. */
export interface Spoken {
  voice: 'caller' | 'agent';
  from: number;
  until: number;
}

export interface EventRow {
  type: string;
  /** Seconds from the answer. */
  at: number;
  message?: string;
  level?: 'info' | 'warning' | 'error';
  latency_ms?: number;
  data?: object;
}

export interface ConsoleCalls {
  fixture: ConsoleFixture;
  newCall(user: User, columns?: object): Promise<string>;
  finishedCall(user: User, columns?: object): Promise<string>;
  /** Stores a recording of so many seconds, with a tone where a voice speaks. */
  record(user: User, callId: string, seconds: number, spoken: readonly Spoken[]): Promise<void>;
  addEvents(user: User, callId: string, answeredMs: number, events: readonly EventRow[]): Promise<void>;
  /** Signs in and opens the page. */
  opened(browser: Browser, user: User, path: string): Promise<OpenedPage>;
  close(): void;
}

const LOUDNESS = 8_000;

export async function startConsoleCalls(): Promise<ConsoleCalls> {
  const recordings = mkdtempSync(join(tmpdir(), 'antiphon-console-recordings-'));
  const fixture = await startConsole({ settings: { RECORDINGS_DIR: recordings } });
  const { sql } = fixture.api;

  async function newCall({ workspace_id }: User, columns: object = {}): Promise<string> {
    const at = new Date(Date.now() - 60_000);
    const row = {
      ...{ workspace_id, id: newId(), agent_name: 'Maya', agent_version: 1, direction: 'outbound', channel: 'phone' },
      ...{ status: 'in-progress', from_number: '+918044440000', to_number: '+919811112222', started_by: 'Key one' },
      ...{ provider: 'twilio', created_at: at, queued_at: at, started_at: at, currency: 'INR', ...columns },
    };
    await sql`insert into live_calls ${sql(row as never)}`;
    return row.id;
  }

  return {
    fixture,
    newCall,
    async finishedCall(user, columns = {}) {
      const id = await newCall(user);
      const ended = { status: 'completed', ended_at: new Date(), duration_seconds: 8, hangup_reason: 'caller hung up' };
      await sql.begin((tx) => moveFinishedCalls(tx, [id], { ...ended, ...columns } as never));
      return id;
    },
    async record({ workspace_id }, callId, seconds, spoken) {
      const store = createDiskStore(recordings);
      for (let chunk = 0; chunk * CHUNK_SECONDS < seconds; chunk++) {
        const samples = new Int16Array(CHUNK_BYTES / 2);
        for (const { voice, from, until } of spoken) {
          const first = Math.max(0, Math.round((from - chunk * CHUNK_SECONDS) * RECORDING_RATE_HZ));
          const end = Math.min(samples.length / 2, Math.round((until - chunk * CHUNK_SECONDS) * RECORDING_RATE_HZ));
          for (let at = first; at < end; at++) {
            samples[2 * at + (voice === 'agent' ? 1 : 0)] = LOUDNESS * Math.sin(at / 4);
          }
        }
        await store.put(chunkName(workspace_id, callId, chunk), Buffer.from(samples.buffer));
      }
    },
    async addEvents({ workspace_id }, callId, answeredMs, events) {
      const rows = events.map(({ type, at, message = '', level = 'info', latency_ms = null, data = {} }, nth) => ({
        ...{
          workspace_id,
          call_id: callId,
          seq: nth + 1,
          id: `evt_${newId()}`,
          source: 'control',
          type,
          message,
          level,
        },
        ...{ latency_ms, data: sql.json(data as never), created_at: new Date(answeredMs + at * 1_000) },
      }));
      await sql`insert into call_events ${sql(rows as never)}`;
    },
    opened: (browser, user, path) => openSignedIn(browser, `${fixture.url}${path}`, user),
    close: () => rmSync(recordings, { recursive: true, force: true }),
  };
}
