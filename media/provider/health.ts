import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';

/**
 * A circuit breaker per provider, in this engine. A failure in a call opens the provider's circuit, and later calls use
 * another provider until two background probes in a row have succeeded: a provider that fails every other time must not be
 * tried by every other caller.
 */
export interface Health {
  isHealthy(key: string): boolean;
  /** Opens the circuit after a failure in a call. `probe` is one small, real use of the provider; it rejects on failure. */
  reportFailure(key: string, probe: () => Promise<void>): void;
  close(): void;
}

export interface HealthOptions {
  clock: Clock;
  log: Logger;
}

const FIRST_PROBE_MS = 5_000;
const MAX_PROBE_WAIT_MS = 60_000;
/** Consecutive successful probes that close the circuit. */
const HEALTHY_AFTER_PROBES = 2;

interface OpenCircuit {
  probe: () => Promise<void>;
  waitMs: number;
  successes: number;
  timer: Timer | null;
}

export function createHealth({ clock, log }: HealthOptions): Health {
  const openCircuits = new Map<string, OpenCircuit>();
  let closed = false;

  function scheduleProbe(key: string, circuit: OpenCircuit): void {
    circuit.timer = clock.after(circuit.waitMs, () => void probe(key, circuit));
  }

  async function probe(key: string, circuit: OpenCircuit): Promise<void> {
    circuit.timer = null;
    try {
      await circuit.probe();
      circuit.successes++;
      circuit.waitMs = FIRST_PROBE_MS;
    } catch (error) {
      circuit.successes = 0;
      circuit.waitMs = Math.min(circuit.waitMs * 2, MAX_PROBE_WAIT_MS);
      log.debug({ provider: key, error: errorText(error) }, 'provider probe failed');
    }
    if (closed || openCircuits.get(key) !== circuit) return;
    if (circuit.successes < HEALTHY_AFTER_PROBES) {
      scheduleProbe(key, circuit);
      return;
    }
    openCircuits.delete(key);
    log.info({ provider: key }, 'provider healthy again, circuit closed');
  }

  return {
    isHealthy: (key) => !openCircuits.has(key),
    reportFailure(key, probe) {
      if (closed) return;
      const known = openCircuits.get(key);
      if (known) {
        known.successes = 0;
        return;
      }
      const circuit: OpenCircuit = { probe, waitMs: FIRST_PROBE_MS, successes: 0, timer: null };
      openCircuits.set(key, circuit);
      log.warn({ provider: key }, 'provider unhealthy, circuit open');
      scheduleProbe(key, circuit);
    },
    close() {
      closed = true;
      for (const { timer } of openCircuits.values()) timer?.cancel();
      openCircuits.clear();
    },
  };
}
