import { cpus, loadavg } from 'node:os';

/** Where and when something was measured. Figures of two machines are not comparable; ratios within one run are. */
export interface Machine {
  /** ISO 8601, UTC. */
  measured_at: string;
  cpu: string;
  cores: number;
  node: string;
  /** Mean number of running programs in the minute before: above the cores, the figures are those of a busy machine. */
  load_before: number;
}

export function thisMachine(): Machine {
  const [first] = cpus();
  return {
    measured_at: new Date().toISOString(),
    cpu: first?.model.trim() || 'unknown',
    cores: cpus().length,
    node: process.version,
    load_before: Math.round(loadavg()[0]! * 10) / 10,
  };
}
