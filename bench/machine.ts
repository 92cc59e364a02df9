import { cpus, loadavg } from 'node:os';

/** Machine and time of a measurement. Only ratios within one run are comparable between machines. */
export interface Machine {
  /** ISO 8601, UTC. */
  measured_at: string;
  cpu: string;
  cores: number;
  node: string;
  /** Load average of the minute before: above the number of cores, the machine was busy. */
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
