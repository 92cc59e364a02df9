import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../shared/log.ts';
import { percentiles } from '../shared/percentiles.ts';
import { measureModels } from './adapter-models.ts';
import { measureSynthesizers } from './adapter-synthesizers.ts';
import { measureTranscribers } from './adapter-transcribers.ts';

/**
 * Measures the overhead of every adapter against its provider's simulator on a real socket: from the engine's call to the bytes
 * at the simulator, and from the bytes of a response to the event.
 */

const ROUNDS = Number(process.env.ROUNDS ?? 400);

interface Overhead {
  provider: string;
  outMs: number[];
  inMs: number[];
}

async function main(): Promise<void> {
  const kinds: [kind: string, measure: (rounds: number) => Promise<Overhead[]>][] = [
    ['transcriber', measureTranscribers],
    ['synthesizer', measureSynthesizers],
    ['model', measureModels],
  ];
  const rows: Record<string, string | number>[] = [];
  for (const [kind, measure] of kinds) {
    console.log(`${kind}s, ${ROUNDS} rounds each …`);
    for (const { provider, outMs, inMs } of await measure(ROUNDS)) {
      const out = percentiles(outMs, 2);
      const back = percentiles(inMs, 2);
      rows.push({
        kind,
        provider,
        'out p50': out.p50,
        'out p95': out.p95,
        'out p99': out.p99,
        'in p50': back.p50,
        'in p95': back.p95,
        'in p99': back.p99,
      });
    }
  }
  console.table(rows);
  const folder = join(import.meta.dirname, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'adapters.json'), `${JSON.stringify({ rounds: ROUNDS, milliseconds: rows }, null, 2)}\n`);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(errorText(error));
    process.exit(1);
  },
);
