import { percentiles } from '../shared/percentiles.ts';
import { type Load, runLoad } from './http-load.ts';

/** The client of `list-rate.ts`, in a process of its own, so that its CPU time is counted apart. */
process.on('message', async (load: Load) => {
  const { requests, seconds, latenciesMs } = await runLoad(load);
  const { p50, p99 } = percentiles(latenciesMs, 2);
  process.send!({ requests, seconds, p50_ms: p50, p99_ms: p99 });
});
process.on('disconnect', () => process.exit(0));
