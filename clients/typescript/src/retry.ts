import { retryAfterOf } from './errors.ts';

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;

/**
 * Returns how long to wait before another attempt; null: there should be none. A 429 was not carried out, so it may always be sent again;
 * whether anything else was is not known, so that is sent again only where twice is as good as once (`repeatable`).
 */
export function retryDelayMs(outcome: Response | Error, attempt: number, repeatable: boolean): number | null {
  const backoffMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.5 + Math.random() / 2);
  if (outcome instanceof Error) return repeatable ? backoffMs : null;
  const { status } = outcome;
  const isTransient = status === 429 || (repeatable && [502, 503, 504].includes(status));
  if (!isTransient) return null;
  const seconds = retryAfterOf(outcome);
  return seconds === null ? backoffMs : seconds * 1_000;
}
