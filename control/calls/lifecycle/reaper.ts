import type { Bus } from '../../../shared/bus/bus.ts';
import type { Heartbeat } from '../../../shared/bus/messages.ts';
import type { Clock, Timer } from '../../../shared/clock.ts';
import { errorText, type Logger } from '../../../shared/log.ts';
import type { Carriers } from '../../carriers/carrier.ts';
import type { Sql } from '../../db/connect.ts';
import { type PollingJob, startPollingJob } from '../../db/polling-job.ts';
import { lostEngineLine, ringTimeoutLine, type WriteCallLog } from '../call-log.ts';
import type { CallRow } from '../call-row.ts';
import { hasUnreadEvents } from '../events/event-backlog.ts';
import { type HasRecording, recordingUnknown } from '../recordings/recording-status.ts';
import { lockCallById } from '../store.ts';
import { endUnconnected } from './call-state-machine.ts';
import { settleCarrierEnded } from './carrier-status.ts';
import { finishWithoutEngine } from './finish-call.ts';
import { endLiveCall, hangUpAtCarrier } from './hang-up.ts';

export interface ReaperDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  bus: Pick<Bus, 'sendHangUp' | 'onHeartbeat' | 'connected' | 'lastEventSeq'>;
  carriers: Carriers;
  times?: Partial<ReaperTimes>;
  /** For the server logs of the workspace. */
  writeLog?: WriteCallLog;
  hasRecording?: HasRecording;
}

export interface ReaperTimes {
  interval_ms: number;
  /** An engine silent for so long is lost; it sends a heartbeat every 10 seconds. */
  lost_after_ms: number;
  /** The carrier gives up ringing after 60 seconds. */
  max_ringing_ms: number;
  /** The engine sees the end of a stream by itself; so long it has to tell it. */
  engine_report_timeout_ms: number;
}

const TIMES: ReaperTimes = {
  interval_ms: 10_000,
  lost_after_ms: 45_000,
  max_ringing_ms: 90_000,
  engine_report_timeout_ms: 5_000,
};
/** An engine still closing a call may name it once more. */
const STALE_AFTER_MS = 12_000;
const BATCH_SIZE = 100;

export interface Reaper {
  /** Settles a call its carrier ended, when the engine has had its time to tell the end by itself. */
  settleLater(callId: string): void;
  start(): void;
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

/**
 * Ends the calls nobody else ends: of engines that are gone, of carriers that fell silent, of a dispatcher that died
 * between its decision and the dial. Because a slot is a live call, this is also what gives leaked slots back.
 */
export function createReaper({
  sql,
  clock,
  log,
  bus,
  carriers,
  times = {},
  writeLog,
  hasRecording: recordedOf = recordingUnknown,
}: ReaperDeps): Reaper {
  const {
    interval_ms: every_ms,
    lost_after_ms,
    max_ringing_ms: ringing_at_most_ms,
    engine_report_timeout_ms: engine_tells_within_ms,
  } = { ...TIMES, ...times };
  const settling = new Set<Timer>();
  const pending = new Set<Promise<void>>();
  let stopped = false;
  // Silence tells something only of a time in which we could hear: not while bus, database or we ourselves were away.
  let listeningSince = clock.wall();

  let job: PollingJob | null = null;

  return {
    start() {
      listeningSince = clock.wall();
      bus.onHeartbeat((heartbeat) => own(takeHeartbeat(heartbeat), 'heartbeats could not be written'));
      job = startPollingJob({ name: 'reaper', intervalMs: every_ms, clock, log, run: sweep });
    },
    settleLater(callId) {
      if (stopped) return;
      const timer = clock.after(engine_tells_within_ms, () => {
        settling.delete(timer);
        own(
          settleCarrierEnded({ sql, clock, bus, hasRecording: recordedOf }, callId),
          'a call the carrier ended could not be settled yet',
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

  function own(work: Promise<void>, complaint: string): void {
    const done = work.catch((error: unknown) => {
      listeningSince = clock.wall();
      log.warn({ error: errorText(error) }, complaint);
    });
    pending.add(done);
    void done.then(() => pending.delete(done));
  }

  async function takeHeartbeat({ engine_id, call_ids }: Heartbeat): Promise<void> {
    if (stopped || call_ids.length === 0) return;
    const nowMs = clock.wall();
    // Engines are ours and speak for calls of many workspaces: the call's id alone names it. Every control process
    // hears every heartbeat, so the rows are locked in one order.
    const alive = await sql<{ id: string }[]>`
      with live as (
        select id from calls where id = any(${call_ids}) and status in ('ringing', 'in-progress')
        order by id for no key update
      )
      update calls set heartbeat_at = ${new Date(nowMs)} from live where calls.id = live.id returning calls.id`;
    if (alive.length === call_ids.length) return;
    const over = await sql<{ id: string }[]>`
      select id from calls
      where id = any(${call_ids}) and status not in ('queued', 'ringing', 'in-progress')
        and ended_at < ${new Date(nowMs - STALE_AFTER_MS)}`;
    for (const { id } of over) {
      log.warn({ call_id: id, engine_id }, 'an engine still holds a call that is over; it is told to hang up');
      const order = { call_id: id, hangup_by: 'service', hangup_reason: 'media engine lost' } as const;
      await bus.sendHangUp(order, 2_000).catch(() => null);
    }
  }

  async function sweep(): Promise<void> {
    // One moment for the whole round: who was heard, and since when we listen, are judged by the same clock.
    const nowMs = clock.wall();
    try {
      if (!bus.connected()) listeningSince = nowMs;
      await settleForgotten(nowMs);
      await endLongRinging(nowMs);
      await endSilent(nowMs);
    } catch (error) {
      listeningSince = clock.wall();
      throw error;
    }
  }

  async function settleForgotten(nowMs: number): Promise<void> {
    const before = new Date(nowMs - engine_tells_within_ms);
    const calls = await sql<{ id: string }[]>`
      select id from calls
      where carrier_ended_at is not null and status in ('ringing', 'in-progress') and carrier_ended_at <= ${before}
      order by carrier_ended_at limit ${BATCH_SIZE}`;
    for (const { id } of calls) await settleCarrierEnded({ sql, clock, bus, hasRecording: recordedOf }, id);
  }

  async function endLongRinging(nowMs: number): Promise<void> {
    const before = new Date(nowMs - ringing_at_most_ms);
    const calls = await sql<CallRow[]>`
      select * from calls where status = 'ringing' and ringing_at <= ${before} order by ringing_at limit ${BATCH_SIZE}`;
    for (const seen of calls) {
      if (stopped) return;
      if (await hasUnreadEvents(bus, seen, seen.ringing_at!, nowMs)) continue;
      const known = seen.provider_call_id !== '' || seen.provider_request_id !== '';
      await endLiveCall({ log, bus, carriers }, seen, {
        call_id: seen.id,
        hangup_by: 'service',
        hangup_reason: 'no-answer',
      });
      await sql.begin(async (tx) => {
        const call = await lockCallById(tx, seen.id);
        if (call?.status !== 'ringing') return;
        const ordered = call.hangup_requested_reason;
        // Never heard of by the carrier: whoever was to dial it is gone.
        const status = ordered !== '' ? 'canceled' : known ? 'no-answer' : 'failed';
        const reason = ordered !== '' ? ordered : known ? 'no-answer' : 'error: dispatch';
        const level = status === 'failed' ? 'error' : 'warning';
        const hangup_by = ordered !== '' ? 'member' : 'service';
        const end = { status, hangup_by, hangup_reason: reason, level, message: `not connected: ${status}` } as const;
        await endUnconnected(tx, call, { ...end, data: { carrier_status: '' } }, clock.wall());
      });
      log.warn({ call_id: seen.id, provider: seen.provider }, 'a call rang too long and was ended');
      writeLog?.(ringTimeoutLine(seen));
    }
  }

  async function endSilent(nowMs: number): Promise<void> {
    if (nowMs - listeningSince < lost_after_ms) return;
    const before = new Date(nowMs - lost_after_ms);
    const calls = await sql<CallRow[]>`
      select * from calls
      where status = 'in-progress' and heartbeat_at <= ${before} order by heartbeat_at limit ${BATCH_SIZE}`;
    for (const seen of calls) {
      if (stopped) return;
      if (await hasUnreadEvents(bus, seen, seen.heartbeat_at!, nowMs)) continue;
      const recorded = await recordedOf(seen);
      const ended = await sql.begin(async (tx) => {
        const call = await lockCallById(tx, seen.id);
        if (call?.status !== 'in-progress' || !call.heartbeat_at || call.heartbeat_at > before) return false;
        const end = { hangup_by: 'service', hangup_reason: 'media engine lost', recorded } as const;
        return finishWithoutEngine(tx, call, { ...end, ended_at_ms: call.heartbeat_at.getTime() }, clock.wall());
      });
      if (!ended) continue;
      log.error({ call_id: seen.id, engine_id: seen.engine_id }, 'the engine of a call is lost; the call has failed');
      writeLog?.(lostEngineLine(seen));
      // A caller who talks with a person now does not need the engine.
      if (seen.transfer?.status !== 'answered') await hangUpAtCarrier({ log, carriers }, seen);
    }
  }
}
