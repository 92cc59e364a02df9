import type { Bus } from '../../shared/bus/bus.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { CarrierAddresses } from '../carriers/addresses.ts';
import type { Carriers } from '../carriers/carrier.ts';
import type { CarrierNews } from '../carriers/carrier-news.ts';
import type { Sql } from '../db/connect.ts';
import { takeAnsweredCall } from './answered-call.ts';
import { takeCarrierStatus } from './carrier-status.ts';
import { takeInboundCall } from './inbound-call.ts';
import { startIngest } from './ingest.ts';
import { createReaper, type ReaperTimes } from './reaper.ts';
import { serveSessions } from './sessions.ts';
import { streamAddresses } from './stream-pass.ts';

export interface CallsDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  /** Connected and prepared. */
  bus: Bus;
  carriers: Carriers;
  addresses: CarrierAddresses;
  /** The same in media. */
  mediaTokenSecret: string;
  reaperTimes?: Partial<ReaperTimes>;
}

export interface CallsRoom {
  /** For `carrierRoutes`. */
  news: CarrierNews;
  /** Begins to answer engines, to write their events and to end what nobody else ends. */
  start(): void;
  /** Takes no further event; resolves when what was begun is written. Before bus and database are closed. */
  stop(): Promise<void>;
}

/** Everything of calls that is not an endpoint of the API: carriers' news, sessions, events, heartbeats, the reaper. */
export function createCallsRoom(deps: CallsDeps): CallsRoom {
  const { sql, clock, log, bus, carriers, addresses, mediaTokenSecret, reaperTimes = {} } = deps;
  const streamAddress = streamAddresses(addresses, mediaTokenSecret, clock);
  const reaper = createReaper({ sql, clock, log, bus, carriers, times: reaperTimes });
  const { settleLater } = reaper;
  let ingest: { stop(): Promise<void> } | null = null;

  return {
    news: {
      inbound: (provider, callback) => takeInboundCall({ sql, clock, log, streamAddress }, provider, callback),
      answered: (provider, callId, callback) =>
        takeAnsweredCall({ sql, clock, streamAddress }, provider, callId, callback),
      status: (provider, callId, callback) =>
        takeCarrierStatus({ sql, clock, log, settleLater }, provider, callId, callback),
    },
    start() {
      serveSessions(bus, { sql, clock, log });
      ingest = startIngest(bus, { sql, clock, log });
      reaper.start();
    },
    async stop() {
      await Promise.all([ingest?.stop(), reaper.stop()]);
    },
  };
}
