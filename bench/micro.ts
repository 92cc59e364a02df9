import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Bench } from 'tinybench';
import { type Machine, thisMachine } from './machine.ts';
import { carrierCases } from './micro-carriers.ts';
import { audioCases, eventCases, type MicroCase } from './micro-cases.ts';
import { startVoiceActivityCases } from './micro-voice-activity.ts';

/**
 * `make micro`: CPU cost of each small part that every 20 ms of a call passes, on one core, with tinybench. A case repeats its
 * part many times and divides, which excludes the clock's own cost. The column "share" is relative to 20 ms: 1 % is a hundred
 * calls per core, for this part alone. `--only WORDS` selects cases, `--seconds 2` runs longer.
 */

const FRAME_US = 20_000;

export interface MicroRow {
  group: string;
  name: string;
  /** Microseconds per frame, window or event; `mean_us` includes disturbances of the machine. */
  us: number;
  p99_us: number;
  mean_us: number;
  /** Share of 20 ms; only for parts that run once per frame. */
  share_of_frame: number | null;
}

export interface MicroResult {
  machine: Machine;
  rows: MicroRow[];
}

const { values } = parseArgs({ options: { only: { type: 'string' }, seconds: { type: 'string', default: '0.5' } } });

async function main(): Promise<void> {
  const machine = thisMachine();
  const voiceActivity = await startVoiceActivityCases();
  const all = [...audioCases(), ...carrierCases(), ...voiceActivity, ...eventCases()];
  const cases = all.filter(({ group, name }) => `${group} ${name}`.includes(values.only ?? ''));
  const rows: MicroRow[] = [];
  console.log(`${'µs'.padStart(70)}${'99th'.padStart(10)}${'share'.padStart(10)}`);
  for (const each of cases) {
    const row = await measure(each);
    rows.push(row);
    const share = row.share_of_frame === null ? '' : `${(row.share_of_frame * 100).toFixed(3)} %`;
    const figures = [row.us, row.p99_us].map((us) => us.toFixed(2).padStart(10)).join('');
    console.log(`${row.group.padEnd(18)}${row.name.padEnd(42)}${figures}${share.padStart(10)}`);
  }
  if (values.only !== undefined) return;
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'micro.json'), `${JSON.stringify({ machine, rows }, null, 2)}\n`);
  console.log('the same in bench/results/micro.json');
}

async function measure({ group, name, times, eachFrame, run }: MicroCase): Promise<MicroRow> {
  const bench = new Bench({
    time: Number(values.seconds) * 1_000,
    warmupTime: 100,
    iterations: 8,
    warmupIterations: 4,
    throws: true,
  });
  bench.add(name, run);
  await bench.run();
  const { result } = bench.tasks[0]!;
  if (result.state !== 'completed') throw new Error(`${name}: ${result.state}`);
  const us = (ms: number) => Math.round((ms * 1_000_000) / times) / 1_000;
  const { p50, p99, mean } = result.latency;
  const median = us(p50);
  const share_of_frame = eachFrame ? Math.round((median / FRAME_US) * 1e6) / 1e6 : null;
  return { group, name, us: median, p99_us: us(p99), mean_us: us(mean), share_of_frame };
}

await main();
