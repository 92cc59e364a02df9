import type { FastifyInstance } from 'fastify';
import type { Bus } from '../../shared/bus/bus.ts';
import { carrierManifest, isCarrierName } from '../../shared/carriers/registry.ts';
import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { openRecordingStore } from '../../shared/recordings/store-settings.ts';
import { createAnalyst } from '../analysis/analyst.ts';
import { startTotalsJob } from '../call-totals/fold-changes.ts';
import type { Carriers } from '../carriers/carrier.ts';
import type { CarrierUrls } from '../carriers/carrier-urls.ts';
import type { CarrierEventHandler, TransferEventHandler } from '../carriers/event-handlers.ts';
import type { ControlConfig } from '../config.ts';
import type { Sql } from '../db/connect.ts';
import { onePool, type Pools } from '../db/pools.ts';
import type { SearchKnowledge } from '../knowledge/search.ts';
import type { ToolHeaders } from '../tools/seal-tool-headers.ts';
import { readGuardrailModel, startAfterCallWorker, type WriteJobLog } from './after-call/after-call-worker.ts';
import { analysisRoutes } from './api/analysis-routes.ts';
import { callRoutes } from './api/routes.ts';
import { failedCallLine, type WriteCallLog } from './call-log.ts';
import type { CallRow } from './call-row.ts';
import { createEngineRegistry, type EngineRegistry } from './engines/engine-registry.ts';
import { openHandoff } from './engines/open-handoff.ts';
import { reopenStream } from './engines/reopen-stream.ts';
import { type AgentOfTestCall, serveKnowledge } from './engines/serve-knowledge.ts';
import { serveSessions } from './engines/sessions.ts';
import { createStreamUrls, DIAL_TOKEN_TTL_MS, type StreamUrl } from './engines/stream-urls.ts';
import { startIngest } from './events/ingest.ts';
import { startStreamSpaceJob } from './events/stream-space.ts';
import { handleAnsweredCall } from './lifecycle/answered-call.ts';
import { handleCarrierStatus, type SlowDown } from './lifecycle/carrier-status.ts';
import { startSilentCallJob } from './lifecycle/end-silent-web-calls.ts';
import { hangUpAtCarrier } from './lifecycle/hang-up.ts';
import { handleInboundCall } from './lifecycle/inbound-call.ts';
import { createReaper, type ReaperTimes } from './lifecycle/reaper.ts';
import { liveControlRoutes } from './live-control/routes.ts';
import { handleBookCallback } from './queue/book-callback.ts';
import { startBulkCancels } from './queue/bulk-cancel.ts';
import { answerCallback } from './queue/callback-time.ts';
import { startRecordingRetention } from './recordings/recording-retention.ts';
import { createRecordingStatus } from './recordings/recording-status.ts';
import { startCallRetention } from './retention/call-retention.ts';
import type { DeleteOfCalls } from './retention/delete-calls.ts';
import { startCallErasures } from './retention/erase-calls.ts';
import { startPartitionJob } from './retention/month-partitions.ts';
import { startSearchTextsJob } from './search/fold-search-texts.ts';
import { startTransfer } from './transfers/start-transfer.ts';
import { createTransferController } from './transfers/transfer-controller.ts';
import { startTransferReconciler } from './transfers/transfer-reconciler.ts';
import { markCallerEnded } from './transfers/transfer-row.ts';

export interface CallsModuleDeps {
  sql: Sql;
  /** For what a live call does not wait for; `sql`. */
  pools?: Pick<Pools, 'ingest' | 'api' | 'reports' | 'jobs'>;
  clock: Clock;
  log: Logger;
  config: ControlConfig;
  /** Connected and prepared. */
  bus: Bus;
  carriers: Carriers;
  addresses: CarrierUrls;
  searchKnowledge: SearchKnowledge;
  /** Opens the values of tools' headers for the engines. */
  toolHeaders?: Pick<ToolHeaders, 'open'>;
  /** The agent of a call that is a test's, and no call of the workspace's. */
  agentOfTestCall?: AgentOfTestCall;
  reaperTimes?: Partial<ReaperTimes>;
  slowDown?: SlowDown;
  /** Write to the server logs of the workspace. */
  writeLog?: WriteCallLog;
  writeJobLog?: WriteJobLog;
  /** Deletes them with the calls. */
  deleteLogs?: DeleteOfCalls;
}

export interface CallsModule {
  /** The endpoints of the groups Calls and post-call analytics. */
  routes(http: FastifyInstance): void;
  /** For the module `carriers`. */
  carrierEvents: CarrierEventHandler;
  transferEvents: TransferEventHandler;
  /** For the dispatcher: with a stream token that is valid longer than the ringing. */
  dialStreamUrl: StreamUrl;
  engines: EngineRegistry;
  /** Starts following the engines' heartbeats; `start` does as well. */
  followEngines(): void;
  /** Starts serving the engines' requests, ingesting their events, and the background jobs. */
  start(): void;
  /** Resolves when running work is written. Stop it before bus and database are closed. */
  stop(): Promise<void>;
}

/**
 * Wires the calls: endpoints, the carriers' events, the engines' requests and events, and the jobs that end, complete, charge and
 * clean up calls.
 */
export function createCallsModule(deps: CallsModuleDeps): CallsModule {
  const { sql, pools = onePool(sql), clock, log, config, bus, carriers, addresses, reaperTimes: times = {} } = deps;
  const { searchKnowledge, agentOfTestCall = async () => null, writeLog = () => {}, writeJobLog } = deps;
  const { deleteLogs = async () => {} } = deps;
  const mediaTokenSecret = config.MEDIA_TOKEN_SECRET;
  const recordings = openRecordingStore(config, clock);
  const hasRecording = createRecordingStatus(recordings, clock);
  const deletion = { sql: pools.jobs, store: recordings, deleteLogs };
  const analyst = createAnalyst({ settings: config, clock, log });
  const guardrailModel = readGuardrailModel(config);
  const engines = createEngineRegistry(config.PUBLIC_MEDIA_URL, clock);
  const streamUrl = createStreamUrls({ clock, addresses, engines, mediaTokenSecret });
  const anotherEngine = { ...engines, assign: engines.assignAnother };
  const anotherStreamUrl = createStreamUrls({ clock, addresses, engines: anotherEngine, mediaTokenSecret });
  const reaper = createReaper({ sql, clock, log, bus, carriers, times, writeLog, hasRecording });
  let jobs: { stop(): Promise<void> }[] = [reaper];
  let following = false;
  const pending = new Set<Promise<void>>();
  const track = (work: Promise<void>, failureMessage: string) => {
    const done = work.catch((error: unknown) => log.error({ error: errorText(error) }, failureMessage));
    pending.add(done);
    void done.then(() => pending.delete(done));
  };
  const transfers = createTransferController({ sql, clock, log, bus, carriers, addresses, track });
  const { hangUpTarget } = transfers;

  /** Hangs up at a carrier whose calls outlive the stream, unless the caller was transferred. */
  const endAtCarrier = (call: CallRow) => {
    const { provider } = call;
    const inUse = isCarrierName(provider) && carriers.has(provider);
    const outlives = inUse && carrierManifest(provider)?.capabilities.callOutlivesStream;
    if (!outlives || call.carrier_ended_at !== null || call.hangup_reason === 'transferred') return;
    track(
      hangUpAtCarrier({ log, carriers }, call).then(() => {}),
      'hanging up an ended call failed',
    );
  };
  const onCallEnded = (call: CallRow) => {
    const line = failedCallLine(call);
    if (line) writeLog(line);
    engines.release(call.id);
    endAtCarrier(call);
  };

  const followEngines = () => {
    if (!following) bus.onHeartbeat(engines.recordHeartbeat);
    following = true;
  };

  return {
    engines,
    followEngines,
    dialStreamUrl: createStreamUrls({ clock, addresses, engines, mediaTokenSecret }, DIAL_TOKEN_TTL_MS),
    carrierEvents: {
      inbound: (provider, callback) => handleInboundCall({ sql, clock, log, streamUrl, engines }, provider, callback),
      answered: (provider, callId, callback) =>
        handleAnsweredCall({ sql, clock, streamUrl }, provider, callId, callback),
      streamLost: (provider, callback) =>
        reopenStream({ sql, clock, streamUrl, anotherStreamUrl, onCallEnded }, provider, callback),
      status: async (provider, callId, callback) => {
        const { settleLater } = reaper;
        const slowDown = deps.slowDown ? { slowDown: deps.slowDown } : {};
        await handleCarrierStatus({ sql, clock, log, settleLater, ...slowDown }, provider, callId, callback);
        if (callback.status !== 'completed') return;
        await markCallerEnded(sql, provider, callId, callback.provider_call_id, clock.wall());
      },
    },
    transferEvents: transfers,
    routes(http) {
      const { api, reports } = pools;
      callRoutes(http, { sql: api, reportsSql: reports, callsSql: sql, clock, log, bus, carriers, recordings });
      liveControlRoutes(http, { sql, clock, bus, carriers });
      analysisRoutes(http, { sql: api, clock, analyst });
    },
    start() {
      followEngines();
      serveSessions(bus, { sql, clock, log, toolHeaders: deps.toolHeaders, onCallEnded: endAtCarrier });
      serveKnowledge(bus, { sql, search: searchKnowledge, agentOfTestCall });
      bus.serveCallbacks(async (request) => {
        const test = await agentOfTestCall(request.call_id);
        return test
          ? answerCallback(test.agent.call, request, clock.wall())
          : handleBookCallback({ sql, clock, log }, request);
      });
      bus.serveHandoffs((request) => openHandoff({ sql, clock, log, toolHeaders: deps.toolHeaders }, request));
      bus.serveTransfers((request) =>
        startTransfer({ sql, clock, log, carriers, addresses, hangUpTarget }, request).catch((error: unknown) => {
          log.error({ call_id: request.call_id, error: errorText(error) }, 'starting a transfer failed');
          return { accepted: false, message: 'the service could not do it' };
        }),
      );
      reaper.start();
      jobs = [
        reaper,
        startIngest(bus, { sql: pools.ingest, clock, log, onCallEnded }),
        startStreamSpaceJob(bus.events, { clock, log }),
        startTransferReconciler({ sql, clock, log, transfers }),
        startBulkCancels({ sql: pools.jobs, clock, log }),
        startSilentCallJob({ sql, clock, log, bus }),
        startAfterCallWorker({ sql: pools.jobs, clock, log, analyst, guardrailModel, writeJobLog }),
        startPartitionJob({ sql: pools.jobs, clock, log }),
        startTotalsJob({ sql: pools.jobs, clock, log }),
        startSearchTextsJob({ sql: pools.jobs, clock, log }),
        startCallRetention({ ...deletion, clock, log, defaultDays: config.CALL_RETENTION_DAYS }),
        startCallErasures({ ...deletion, clock, log }),
        startRecordingRetention({ sql: pools.jobs, clock, log, store: recordings }),
      ];
    },
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
      // Each is bounded by the carrier's request timeout.
      await Promise.all(pending);
    },
  };
}
