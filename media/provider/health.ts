import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';

/**
 * Which providers are well, as this engine sees them. One that failed in a call is passed over by later calls until it has
 * answered twice in a row in the background: a provider that fails every other time must not be tried by every other caller.
 */
export interface Health {
  isHealthy(key: string): boolean;
  /** It failed in a call. `probe` is one small, real use of it; it resolves when it is well. */
  failed(key: string, probe: () => Promise<void>): void;
  close(): void;
}

export interface HealthOptions {
  clock: Clock;
  log: Logger;
}

const FIRST_PROBE_MS = 5_000;
const MAX_PROBE_WAIT_MS = 60_000;
/** So many probes in a row make a provider well again. */
const HEALTHY_AFTER_PROBES = 2;

interface OpenCircuit {
  probe: () => Promise<void>;
  waitMs: number;
  successes: number;
  timer: Timer | null;
}

export function createHealth({ clock, log }: HealthOptions): Health {
  const patients = new Map<string, OpenCircuit>();
  let closed = false;

  function plan(key: string, patient: OpenCircuit): void {
    patient.timer = clock.after(patient.waitMs, () => void look(key, patient));
  }

  async function look(key: string, patient: OpenCircuit): Promise<void> {
    patient.timer = null;
    try {
      await patient.probe();
      patient.successes++;
      patient.waitMs = FIRST_PROBE_MS;
    } catch (error) {
      patient.successes = 0;
      patient.waitMs = Math.min(patient.waitMs * 2, MAX_PROBE_WAIT_MS);
      log.debug({ provider: key, error: errorText(error) }, 'a provider is still not well');
    }
    if (closed || patients.get(key) !== patient) return;
    if (patient.successes < HEALTHY_AFTER_PROBES) {
      plan(key, patient);
      return;
    }
    patients.delete(key);
    log.info({ provider: key }, 'a provider is well again');
  }

  return {
    isHealthy: (key) => !patients.has(key),
    failed(key, probe) {
      if (closed) return;
      const known = patients.get(key);
      if (known) {
        known.successes = 0;
        return;
      }
      const patient: OpenCircuit = { probe, waitMs: FIRST_PROBE_MS, successes: 0, timer: null };
      patients.set(key, patient);
      log.warn({ provider: key }, 'a provider is passed over until it is well');
      plan(key, patient);
    },
    close() {
      closed = true;
      for (const { timer } of patients.values()) timer?.cancel();
      patients.clear();
    },
  };
}
