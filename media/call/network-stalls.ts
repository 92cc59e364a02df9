import type { Reporter } from '../report/reporter.ts';

/** More of one call say nothing new: its network is bad. */
const MAX_REPORTED_STALLS = 50;

/** Puts on the timeline that the network held back the caller's audio; the returned function takes the length of each stall. */
export function createStallReports(reporter: Pick<Reporter, 'report'>): (stallMs: number) => void {
  let reported = 0;
  return (stallMs) => {
    if (reported === MAX_REPORTED_STALLS) return;
    reported++;
    const stall_ms = Math.round(stallMs);
    reporter.report('network.stall', `no audio from the caller for ${stall_ms} ms, then all of it at once`, {
      level: 'warning',
      data: { stall_ms },
    });
  };
}
