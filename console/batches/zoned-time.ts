/** Times as people enter them, in a zone that they choose. */

const PARTS = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})/;

/** Returns the instant of a wall clock's time such as `2026-12-01T09:30` in the zone; null when it is none. */
export function instantOf(local: string, zone: string): string | null {
  const match = PARTS.exec(local);
  if (!match) return null;
  const [year, month, day, hour, minute] = match.slice(1).map(Number) as [number, number, number, number, number];
  const asUtc = Date.UTC(year, month - 1, day, hour, minute);
  if (Number.isNaN(asUtc)) return null;
  // The zone's offset may be another one at the instant that the first offset leads to.
  const first = asUtc - offsetMs(asUtc, zone);
  return new Date(asUtc - offsetMs(first, zone)).toISOString();
}

/** Returns what a clock in the zone shows at this instant, such as `2026-12-01T09:30`. */
export const localTimeOf = (ms: number, zone: string): string =>
  new Date(ms + offsetMs(ms, zone)).toISOString().slice(0, 16);

function offsetMs(ms: number, zone: string): number {
  const options: Intl.DateTimeFormatOptions = {
    ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  };
  const parts = new Intl.DateTimeFormat('en-US', options).formatToParts(ms);
  const part = (type: string) => Number(parts.find((each) => each.type === type)!.value);
  const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return shown - Math.floor(ms / 1_000) * 1_000;
}
