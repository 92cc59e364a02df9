import type { Clock, Timer } from '../../shared/clock.ts';
import { isDtmfDigit } from '../audio/dtmf.ts';

/**
 * Collects the keys a caller presses into one input, which is complete after a pause, at `#`, or at `MAX_DIGITS` keys. The `#` is
 * part of it: only the agent knows whether it asked for it as an end or as a key.
 */
export interface DtmfInput {
  press(digit: string): void;
  /** Returns the unfinished input. */
  close(): string;
}

const MAX_DIGITS = 64;

export interface DtmfInputOptions {
  /** The pause after the last key that completes an input. */
  waitMs: number;
  clock: Clock;
  /** A key was pressed, and more may follow. */
  onKey(): void;
  onDigits(digits: string): void;
}

export function createDtmfInput({ waitMs, clock, onKey, onDigits }: DtmfInputOptions): DtmfInput {
  let digits = '';
  let timer: Timer | null = null;

  function finish(): void {
    timer?.cancel();
    const input = digits;
    digits = '';
    onDigits(input);
  }

  return {
    press(digit) {
      const key = digit.toUpperCase();
      if (!isDtmfDigit(key)) return;
      timer?.cancel();
      digits += key;
      if (key === '#' || digits.length >= MAX_DIGITS) {
        finish();
        return;
      }
      timer = clock.after(waitMs, finish);
      onKey();
    },
    close() {
      timer?.cancel();
      const unfinished = digits;
      digits = '';
      return unfinished;
    },
  };
}
