import type { Bus } from '../../shared/bus/bus.ts';
import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { Carriers } from '../carriers/carrier.ts';
import type { CarrierEventHandler } from '../carriers/carrier-event-handler.ts';
import type { CarrierUrls } from '../carriers/carrier-urls.ts';
import type { TransferEventHandler } from '../carriers/transfer-event-handler.ts';
import type { Sql } from '../db/connect.ts';
import { takeAnsweredCall } from './answered-call.ts';
import { lineOfEnd, type WriteCallLog } from './call-log.ts';
import type { CallRow } from './call-row.ts';
import { takeCarrierStatus } from './carrier-status.ts';
import { startQueueClearing } from './clear-queue.ts';
import { createEngineBoard, type EngineBoard } from './engine-board.ts';
import { hangUpAtCarrier } from './hang-up.ts';
import { takeInboundCall } from './inbound-call.ts';
import { startIngest } from './ingest.ts';
import { reopenStream } from './lost-stream.ts';
import { createReaper, type ReaperTimes } from './reaper.ts';
import type { RecordedOf } from './recorded-of.ts';
import { serveSessions } from './sessions.ts';
import { startTransfer } from './start-transfer.ts';
import { DIAL_VALID_MS, type StreamAddress, streamAddresses } from './stream-pass.ts';
import { startTransferKeeper } from './transfer-keeper.ts';
import { markCallerEnded } from './transfer-row.ts';
import { createTransferSteps } from './transfer-steps.ts';

export interface CallsDeps {
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
  recordedOf?: RecordedOf;
}

export interface CallsRoom {
  /** For `carrierRoutes`. */
  news: CarrierEventHandler;
  /** For `transferRoutes`. */
  transferNews: TransferEventHandler;
  /** For the dispatcher: with a pass that outlasts the ringing. */
  dialStreamAddress: StreamAddress;
  /** For whoever begins a call: is there room, and where? */
  engines: EngineBoard;
  /** Begins to answer engines, to write their events and to end what nobody else ends. */
  start(): void;
  /** Takes no further event; resolves when what was begun is written. Before bus and database are closed. */
  stop(): Promise<void>;
}

/** Everything of calls that is not an endpoint of the API: carriers' news, sessions, events, heartbeats, the reaper. */
export function createCallsRoom(deps: CallsDeps): CallsRoom {
  const { sql, clock, log, bus, carriers, addresses, publicMediaUrl, mediaTokenSecret, reaperTimes = {} } = deps;
  const { writeLog = () => {}, recordedOf } = deps;
  const engines = createEngineBoard(publicMediaUrl, clock);
  const streamAddress = streamAddresses({ clock, addresses, engines, mediaTokenSecret });
  const reaper = createReaper({ sql, clock, log, bus, carriers, times: reaperTimes, writeLog, recordedOf });
  const { settleLater } = reaper;
  let ingest: { stop(): Promise<void> } | null = null;
  let keeper: { stop(): Promise<void> } | null = null;
  let clearing: { stop(): Promise<void> } | null = null;
  const working = new Set<Promise<void>>();
  const own = (work: Promise<void>, complaint: string) => {
    const done = work.catch((error: unknown) => log.error({ error: errorText(error) }, complaint));
    working.add(done);
    void done.then(() => working.delete(done));
  };
  const transfers = createTransferSteps({ sql, clock, log, bus, carriers, addresses, own });
  const { hangUpPerson } = transfers;
  /** Where the end of the stream is not the end of the call, and the caller is not with a person now. */
  const endAtCarrier = (call: CallRow) => {
    const stays = call.provider !== '' && carriers.get(call.provider)?.outlivesStream;
    if (!stays || call.carrier_ended_at !== null || call.hangup_reason === 'transferred') return;
    own(
      hangUpAtCarrier({ log, carriers }, call).then(() => {}),
      'an ended call could not be hung up',
    );
  };

  return {
    engines,
    dialStreamAddress: streamAddresses({ clock, addresses, engines, mediaTokenSecret }, DIAL_VALID_MS),
    news: {
      inbound: (provider, callback) => takeInboundCall({ sql, clock, log, streamAddress, engines }, provider, callback),
      answered: (provider, callId, callback) =>
        takeAnsweredCall({ sql, clock, streamAddress }, provider, callId, callback),
      streamLost: (provider, callback) => reopenStream({ sql, clock, streamAddress }, provider, callback),
      status: async (provider, callId, callback) => {
        await takeCarrierStatus({ sql, clock, log, settleLater }, provider, callId, callback);
        if (callback.status !== 'completed') return;
        await markCallerEnded(sql, provider, callId, callback.provider_call_id, clock.wall());
      },
    },
    transferNews: transfers,
    start() {
      bus.onHeartbeat(engines.heard);
      serveSessions(bus, { sql, clock, log, ended: endAtCarrier });
      bus.serveTransfers((request) =>
        startTransfer({ sql, clock, log, carriers, addresses, hangUpPerson }, request).catch((error: unknown) => {
          log.error({ call_id: request.call_id, error: errorText(error) }, 'a transfer could not be begun');
          return { accepted: false, words: 'the service could not do it' };
        }),
      );
      keeper = startTransferKeeper({ sql, clock, log, steps: transfers });
      const ended = (call: CallRow) => {
        const line = lineOfEnd(call);
        if (line) writeLog(line);
        engines.over(call.id);
        endAtCarrier(call);
      };
      ingest = startIngest(bus, { sql, clock, log, ended });
      reaper.start();
      clearing = startQueueClearing({ sql, clock, log });
    },
    async stop() {
      await Promise.all([ingest?.stop(), reaper.stop(), keeper?.stop(), clearing?.stop()]);
      // Each is bounded by the carrier's deadline.
      await Promise.all(working);
    },
  };
}
