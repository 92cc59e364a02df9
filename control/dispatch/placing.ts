import type { Clock } from '../../shared/clock.ts';
import type { CallRow } from '../calls/call-row.ts';
import { changeCall, endUnconnected, requestedEnd } from '../calls/lifecycle/call-state-machine.ts';
import { dialRequested } from '../calls/lifecycle/dial-outcome.ts';
import type { PlacingLimits } from '../calls/queue/call-queue.ts';
import type { Sql } from '../db/connect.ts';
import { afterPlacing, type CallsPerSecond, readRates, takeRate } from './carrier-rates.ts';

export interface PlacingDeps {
  sql: Sql;
  clock: Pick<Clock, 'wall'>;
  /** As set by the operator. */
  callsPerSecond?: CallsPerSecond;
}

export interface Placing {
  /** Of this moment. A carrier with calls that are to be dialled again takes no others before them. */
  readLimits(): Promise<PlacingLimits & { slowed: readonly string[]; nextAtMs: number | null }>;
  /**
   * Takes the oldest call of that carrier that is to be dialled again, with the right to place it; null when none may be placed. One
   * that a member hung up meanwhile ends here.
   */
  takeSlowed(provider: string): Promise<CallRow | null>;
}

/** How many calls may be placed, at carriers that limit calls per second. */
export function createPlacing({ sql, clock, callsPerSecond = new Map() }: PlacingDeps): Placing {
  return {
    async readLimits() {
      const nowMs = clock.wall();
      const rates = await readRates(sql);
      const slowed = [...rates].flatMap(([provider, rate]) => (rate.slowed > 0 ? [provider] : []));
      const full = new Set(slowed);
      let nextAtMs: number | null = null;
      for (const [provider, rate] of rates) {
        if (afterPlacing(rate, callsPerSecond.get(provider), nowMs)) continue;
        full.add(provider);
        nextAtMs = Math.min(nextAtMs ?? rate.next_at_ms, rate.next_at_ms);
      }
      return {
        slowed,
        nextAtMs,
        isFull: (provider) => full.has(provider),
        async take(tx, provider) {
          if (!rates.has(provider)) return true;
          const taken = await takeRate(tx, provider, callsPerSecond.get(provider), clock.wall());
          if (!taken) full.add(provider);
          return taken;
        },
      };
    },

    async takeSlowed(provider) {
      for (;;) {
        const taken = await sql.begin(async (tx) => {
          const nowMs = clock.wall();
          const [call] = await tx<CallRow[]>`
            select * from live_calls
            where status = 'ringing' and dial_state = 'slowed' and dial_due_at <= ${new Date(nowMs)}
              and provider = ${provider}
            order by queued_at, id limit 1 for no key update skip locked`;
          if (!call) return null;
          if (call.hangup_requested_reason !== '') {
            await endUnconnected(tx, call, requestedEnd(call), nowMs);
            return 'ended';
          }
          if (!(await takeRate(tx, provider, callsPerSecond.get(provider), nowMs))) return null;
          await changeCall(tx, call, dialRequested(nowMs));
          return call;
        });
        if (taken !== 'ended') return taken;
      }
    },
  };
}
