import type { Bus } from '../../../shared/bus/bus.ts';
import type { Heartbeat } from '../../../shared/bus/messages.ts';
import type { Clock, Timer } from '../../../shared/clock.ts';
import { errorText, type Logger } from '../../../shared/log.ts';
import type { Carriers } from '../../carriers/carrier.ts';
import type { Sql } from '../../db/connect.ts';
import { beginItem, createItemRunner, type JobItem } from '../../db/item-runner.ts';
import { type PollingJob, startPollingJob } from '../../db/polling-job.ts';
import { lostEngineLine, ringTimeoutLine, type WriteCallLog } from '../call-log.ts';
import type { CallRow } from '../call-row.ts';
import {
  callsOverSince,
  deleteEnginesSilentSince,
  isHeartbeatStorable,
  lastListedAt,
  unheldCalls,
  writeHeartbeat,
} from '../engines/engine-heartbeats.ts';
import { hasUnreadEvents } from '../events/ingest.ts';
import { type HasRecording, recordingUnknown } from '../recordings/recording-status.ts';
import { findCall, lockCallById } from '../store.ts';
import { endUnconnected, unlessRequested } from './call-state-machine.ts';
import { settleCarrierEnded } from './carrier-status.ts';
import { finishWithoutEngine } from './finish-call.ts';
import { endLiveCall, hangUpAtCarrier } from './hang-up.ts';
import { createHeartbeatInbox } from './heartbeat-inbox.ts';

export interface ReaperDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  bus: Pick<Bus, 'sendHangUp' | 'onHeartbeat' | 'connected' | 'lastEventSeq' | 'reachableForMs'>;
  carriers: Carriers;
  times?: Partial<ReaperTimes>;
  /** For the server logs of the workspace. */
  writeLog?: WriteCallLog;
  hasRecording?: HasRecording;
}

export interface ReaperTimes {
  interval_ms: number;
  /** An engine without a heartbeat (one every 10 seconds) for this long is lost, and so is a call that its engine does not list. */
  lost_after_ms: number;
  /** Carriers stop ringing after 60 seconds. */
  max_ringing_ms: number;
  /** How long an engine has to report the end of a call after its carrier did. */
  engine_report_timeout_ms: number;
}

const TIMES: ReaperTimes = {
  interval_ms: 10_000,
  lost_after_ms: 45_000,
  max_ringing_ms: 90_000,
  engine_report_timeout_ms: 5_000,
};
/** An engine that is closing a call may list it in one more heartbeat. */
const STALE_AFTER_MS = 12_000;
/** An engine that is gone; its calls are ended long before. */
const FORGOTTEN_AFTER_MS = 24 * 3_600_000;
const BATCH_SIZE = 100;

export interface Reaper {
  /** Settles a call that its carrier ended, after the time that the engine has to report the end itself. */
  settleLater(callId: string): void;
  start(): void;
  /** Resolves when no work is running any more. */
  stop(): Promise<void>;
}

/**
 * Ends live calls that nothing else will end: of lost engines, of carriers that sent no final status, and of a dispatcher that
 * died between taking a call and dialling it. Because a live call holds a slot, this also frees leaked slots.
 */
export function createReaper({
  sql,
  clock,
  log,
  bus,
  carriers,
  times = {},
  writeLog,
  hasRecording = recordingUnknown,
}: ReaperDeps): Reaper {
  const { interval_ms, lost_after_ms, max_ringing_ms, engine_report_timeout_ms } = { ...TIMES, ...times };
  const settling = new Set<Timer>();
  const pending = new Set<Promise<void>>();
  let stopped = false;
  // Missing heartbeats count only while bus, database and this process were up.
  let listeningSinceMs = clock.wall();
  /** Connected calls that their engine does not list, and since when that has been seen here. */
  let unlisted = new Map<string, number>();
  const items = createItemRunner({ name: 'reaper', idField: 'call_id', clock, log, maxConcurrent: 4 });

  const inbox = createHeartbeatInbox(recordHeartbeat, () => heartbeatFailed(new Error('too many engines')));

  let job: PollingJob | null = null;

  return {
    start() {
      listeningSinceMs = clock.wall();
      bus.onHeartbeat(receiveHeartbeat);
      job = startPollingJob({ name: 'reaper', intervalMs: interval_ms, clock, log, items, run: sweep });
    },
    settleLater(callId) {
      if (stopped) return;
      const timer = clock.after(engine_report_timeout_ms, () => {
        settling.delete(timer);
        // The next sweep tries again.
        track(settleCarrierEnded({ sql, clock, bus, hasRecording }, callId), (error) =>
          log.warn({ call_id: callId, error: errorText(error) }, 'settling a call that its carrier ended failed'),
        );
      });
      settling.add(timer);
    },
    async stop() {
      stopped = true;
      for (const timer of settling) timer.cancel();
      await job?.stop();
      await Promise.all(pending);
    },
  };

  function track(work: Promise<void>, onFailed: (error: unknown) => void): void {
    const done = work.catch(onFailed);
    pending.add(done);
    void done.then(() => pending.delete(done));
  }

  function heartbeatFailed(error: unknown): void {
    listeningSinceMs = clock.wall();
    log.warn({ error: errorText(error) }, 'writing heartbeats failed');
  }

  function receiveHeartbeat(heartbeat: Heartbeat): void {
    if (!isHeartbeatStorable(heartbeat)) {
      log.warn({ at_ms: heartbeat.at_ms }, 'invalid heartbeat ignored');
      return;
    }
    const handled = inbox.receive(heartbeat);
    if (handled) track(handled, heartbeatFailed);
  }

  async function recordHeartbeat(heartbeat: Heartbeat): Promise<void> {
    if (stopped) return;
    const nowMs = clock.wall();
    if (!(await writeHeartbeat(sql, heartbeat, nowMs))) return;
    const { engine_id, call_ids } = heartbeat;
    for (const call_id of await callsOverSince(sql, call_ids, new Date(nowMs - STALE_AFTER_MS))) {
      log.warn({ call_id, engine_id }, 'engine still holds an ended call; sending a hang-up command');
      const command = { call_id, hangup_by: 'service', hangup_reason: 'media engine lost' } as const;
      await bus.sendHangUp(command, 2_000, engine_id).catch(() => null);
    }
  }

  async function sweep(): Promise<void> {
    // One timestamp for the whole run, for heartbeats and for the time since when they were received.
    const nowMs = clock.wall();
    try {
      if (!bus.connected()) listeningSinceMs = nowMs;
      await settleCarrierEndedCalls(nowMs);
      await endRingingTimeouts(nowMs);
      await endCallsOfLostEngines(nowMs);
    } catch (error) {
      listeningSinceMs = clock.wall();
      throw error;
    }
  }

  async function settleCarrierEndedCalls(nowMs: number): Promise<void> {
    const before = new Date(nowMs - engine_report_timeout_ms);
    const calls = await sql<JobItem[]>`
      select workspace_id, id from live_calls
      where carrier_ended_at is not null and status in ('ringing', 'in-progress') and carrier_ended_at <= ${before}
        ${exceptExcluded()}
      order by carrier_ended_at limit ${BATCH_SIZE}`;
    await items.run(calls, ({ id }) => settleCarrierEnded({ sql, clock, bus, hasRecording }, id));
  }

  async function endRingingTimeouts(nowMs: number): Promise<void> {
    const before = new Date(nowMs - max_ringing_ms);
    const calls = await sql<CallRow[]>`
      select * from live_calls where status = 'ringing' and ringing_at <= ${before} and dial_state <> 'slowed' ${exceptExcluded()}
      order by ringing_at limit ${BATCH_SIZE}`;
    await items.run(calls, async (seen) => {
      if (stopped || (await hasUnreadEvents(bus, seen))) return;
      const known = seen.provider_call_id !== '' || seen.provider_request_id !== '';
      await endLiveCall({ log, bus, carriers }, seen, {
        call_id: seen.id,
        hangup_by: 'service',
        hangup_reason: 'no-answer',
      });
      await beginItem(sql, async (tx) => {
        const call = await lockCallById(tx, seen.id);
        if (call?.status !== 'ringing') return;
        // A call that the carrier never had: the dispatcher died before the dial.
        const status = known ? 'no-answer' : 'failed';
        const hangup_reason = known ? 'no-answer' : 'error: dispatch';
        const level = known ? 'warning' : 'error';
        const end = {
          status,
          hangup_by: 'service',
          hangup_reason,
          level,
          message: `not connected: ${status}`,
        } as const;
        await endUnconnected(tx, call, unlessRequested(call, { ...end, data: { carrier_status: '' } }), clock.wall());
      });
      log.warn({ call_id: seen.id, provider: seen.provider }, 'ringing timed out');
      writeLog?.(ringTimeoutLine(seen));
    });
  }

  async function endCallsOfLostEngines(nowMs: number): Promise<void> {
    const before = nowMs - lost_after_ms;
    const unheld = await unheldCalls(sql, new Date(before));
    unlisted = new Map(
      unheld.flatMap(({ id, listed_at }) => (listed_at ? [] : [[id, unlisted.get(id) ?? nowMs] as const])),
    );
    if (nowMs - listeningSinceMs < lost_after_ms) return;
    const { ids, workspace_ids } = items.excluded();
    const [excluded, excludedWorkspaces] = [new Set(ids), new Set(workspace_ids)];
    const lost = unheld
      .map(({ id, workspace_id, listed_at }) => ({
        id,
        workspace_id,
        lostMs: listed_at?.getTime() ?? unlisted.get(id)!,
      }))
      .filter((call) => call.lostMs <= before && !excluded.has(call.id) && !excludedWorkspaces.has(call.workspace_id))
      .sort((a, b) => a.lostMs - b.lostMs)
      .slice(0, BATCH_SIZE);
    await items.run(lost, endLostCall);
    await deleteEnginesSilentSince(sql, new Date(nowMs - FORGOTTEN_AFTER_MS));
  }

  async function endLostCall({ id, workspace_id, lostMs }: JobItem & { lostMs: number }): Promise<void> {
    const seen = stopped ? null : await findCall(sql, workspace_id, id);
    if (!seen || (await hasUnreadEvents(bus, seen))) return;
    const recorded = await hasRecording(seen);
    const ended = await beginItem(sql, async (tx) => {
      const call = await lockCallById(tx, id);
      if (call?.status !== 'in-progress') return false;
      const listedAt = await lastListedAt(tx, call);
      if (listedAt && listedAt.getTime() > lostMs) return false;
      const end = { hangup_by: 'service', hangup_reason: 'media engine lost', recorded } as const;
      return finishWithoutEngine(tx, call, { ...end, ended_at_ms: lostMs }, clock.wall());
    });
    if (!ended) return;
    log.error({ call_id: id, engine_id: seen.engine_id }, 'media engine lost; the call has failed');
    writeLog?.(lostEngineLine(seen));
    // After a completed transfer the caller does not need the engine.
    if (seen.transfer?.status !== 'answered') await hangUpAtCarrier({ log, carriers }, seen);
  }

  function exceptExcluded() {
    const { ids, workspace_ids } = items.excluded();
    return sql`and id <> all(${ids}) and workspace_id <> all(${workspace_ids})`;
  }
}
