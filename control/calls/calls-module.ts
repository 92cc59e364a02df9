import type { Bus } from '../../shared/bus/bus.ts';
import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { Carriers } from '../carriers/carrier.ts';
import type { CarrierUrls } from '../carriers/carrier-urls.ts';
import type { CarrierEventHandler, TransferEventHandler } from '../carriers/event-handlers.ts';
import type { Sql } from '../db/connect.ts';
import { failedCallLine, type WriteCallLog } from './call-log.ts';
import type { CallRow } from './call-row.ts';
import { createEngineRegistry, type EngineRegistry } from './engines/engine-registry.ts';
import { reopenStream } from './engines/reopen-stream.ts';
import { serveSessions } from './engines/sessions.ts';
import { createStreamUrls, DIAL_TOKEN_TTL_MS, type StreamUrl } from './engines/stream-urls.ts';
import { startIngest } from './events/ingest.ts';
import { handleAnsweredCall } from './lifecycle/answered-call.ts';
import { handleCarrierStatus } from './lifecycle/carrier-status.ts';
import { hangUpAtCarrier } from './lifecycle/hang-up.ts';
import { handleInboundCall } from './lifecycle/inbound-call.ts';
import { createReaper, type ReaperTimes } from './lifecycle/reaper.ts';
import { startBulkCancels } from './queue/bulk-cancel.ts';
import type { HasRecording } from './recordings/recording-status.ts';
import { startTransfer } from './transfers/start-transfer.ts';
import { createTransferController } from './transfers/transfer-controller.ts';
import { startTransferReconciler } from './transfers/transfer-reconciler.ts';
import { markCallerEnded } from './transfers/transfer-row.ts';

export interface CallsModuleDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  /** Connected and prepared. */
  bus: Bus;
  carriers: Carriers;
  addresses: CarrierUrls;
  /** Where streams go unless an engine has an address of its own; `wss://…`. */
  publicMediaUrl: string;
  /** The same in media. */
  mediaTokenSecret: string;
  reaperTimes?: Partial<ReaperTimes>;
  /** For the server logs of the workspace. */
  writeLog?: WriteCallLog;
  hasRecording?: HasRecording;
}

export interface CallsModule {
  /** For `carrierRoutes`. */
  carrierEvents: CarrierEventHandler;
  /** For `transferRoutes`. */
  transferEvents: TransferEventHandler;
  /** For the dispatcher: with a pass that outlasts the ringing. */
  dialStreamUrl: StreamUrl;
  /** For whoever begins a call: is there room, and where? */
  engines: EngineRegistry;
  /** Begins to answer engines, to write their events and to end what nobody else ends. */
  start(): void;
  /** Takes no further event; resolves when what was begun is written. Before bus and database are closed. */
  stop(): Promise<void>;
}

/** Everything of calls that is not an endpoint of the API: carriers' news, sessions, events, heartbeats, the reaper. */
export function createCallsModule(deps: CallsModuleDeps): CallsModule {
  const { sql, clock, log, bus, carriers, addresses, publicMediaUrl, mediaTokenSecret, reaperTimes = {} } = deps;
  const { writeLog = () => {}, hasRecording } = deps;
  const engines = createEngineRegistry(publicMediaUrl, clock);
  const streamUrl = createStreamUrls({ clock, addresses, engines, mediaTokenSecret });
  const reaper = createReaper({
    sql,
    clock,
    log,
    bus,
    carriers,
    times: reaperTimes,
    writeLog,
    hasRecording,
  });
  const { settleLater } = reaper;
  let ingest: { stop(): Promise<void> } | null = null;
  let reconciler: { stop(): Promise<void> } | null = null;
  let bulkCancels: { stop(): Promise<void> } | null = null;
  const pending = new Set<Promise<void>>();
  const track = (work: Promise<void>, complaint: string) => {
    const done = work.catch((error: unknown) => log.error({ error: errorText(error) }, complaint));
    pending.add(done);
    void done.then(() => pending.delete(done));
  };
  const transfers = createTransferController({ sql, clock, log, bus, carriers, addresses, track });
  const { hangUpTarget } = transfers;
  /** Where the end of the stream is not the end of the call, and the caller is not with a person now. */
  const endAtCarrier = (call: CallRow) => {
    const stays = call.provider !== '' && carriers.get(call.provider)?.outlivesStream;
    if (!stays || call.carrier_ended_at !== null || call.hangup_reason === 'transferred') return;
    track(
      hangUpAtCarrier({ log, carriers }, call).then(() => {}),
      'an ended call could not be hung up',
    );
  };

  return {
    engines,
    dialStreamUrl: createStreamUrls({ clock, addresses, engines, mediaTokenSecret }, DIAL_TOKEN_TTL_MS),
    carrierEvents: {
      inbound: (provider, callback) => handleInboundCall({ sql, clock, log, streamUrl, engines }, provider, callback),
      answered: (provider, callId, callback) =>
        handleAnsweredCall({ sql, clock, streamUrl }, provider, callId, callback),
      streamLost: (provider, callback) => reopenStream({ sql, clock, streamUrl }, provider, callback),
      status: async (provider, callId, callback) => {
        await handleCarrierStatus({ sql, clock, log, settleLater }, provider, callId, callback);
        if (callback.status !== 'completed') return;
        await markCallerEnded(sql, provider, callId, callback.provider_call_id, clock.wall());
      },
    },
    transferEvents: transfers,
    start() {
      bus.onHeartbeat(engines.recordHeartbeat);
      serveSessions(bus, { sql, clock, log, onCallEnded: endAtCarrier });
      bus.serveTransfers((request) =>
        startTransfer({ sql, clock, log, carriers, addresses, hangUpTarget }, request).catch((error: unknown) => {
          log.error({ call_id: request.call_id, error: errorText(error) }, 'a transfer could not be begun');
          return { accepted: false, message: 'the service could not do it' };
        }),
      );
      reconciler = startTransferReconciler({ sql, clock, log, transfers: transfers });
      const ended = (call: CallRow) => {
        const line = failedCallLine(call);
        if (line) writeLog(line);
        engines.release(call.id);
        endAtCarrier(call);
      };
      ingest = startIngest(bus, { sql, clock, log, onCallEnded: ended });
      reaper.start();
      bulkCancels = startBulkCancels({ sql, clock, log });
    },
    async stop() {
      await Promise.all([ingest?.stop(), reaper.stop(), reconciler?.stop(), bulkCancels?.stop()]);
      // Each is bounded by the carrier's deadline.
      await Promise.all(pending);
    },
  };
}
