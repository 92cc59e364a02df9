import type { Clock, Timer } from '../../shared/clock.ts';
import { isDtmfDigit } from '../audio/dtmf.ts';

/** Collects the keys a caller presses into one input, which is complete after a pause, at `#`, or at `MAX_DIGITS` keys. */
export interface DtmfInput {
  press(digit: string): void;
  /** Discards what was collected. */
  close(): void;
}

const MAX_DIGITS = 64;

export function createDtmfInput(options: { waitMs: number; clock: Clock; onDigits(digits: string): void }): DtmfInput {
  const { waitMs, clock, onDigits } = options;
  let digits = '';
  let timer: Timer | null = null;

  function finish(): void {
    timer?.cancel();
    timer = null;
    const input = digits;
    digits = '';
    if (input !== '') onDigits(input);
  }

  return {
    press(digit) {
      const key = digit.toUpperCase();
      if (!isDtmfDigit(key)) return;
      timer?.cancel();
      if (key === '#' && digits !== '') {
        finish();
        return;
      }
      digits += key;
      if (digits.length >= MAX_DIGITS) finish();
      else timer = clock.after(waitMs, finish);
    },
    close() {
      timer?.cancel();
      timer = null;
      digits = '';
    },
  };
}
