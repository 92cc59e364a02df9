import { createBeepDetector } from '../audio/beep.ts';
import { createDtmfDetector } from '../audio/dtmf.ts';
import type { AnsweringMachineDetector } from './answering-machine-detection.ts';
import type { DtmfInput } from './dtmf-input.ts';

/** Listens for tones that mean something: the beep of an answering machine, and keys where the carrier does not tell them. */
export interface LineToneDetector {
  /** The caller's next 20 ms, 160 samples at 8 kHz, as they came. True while a key sounds. */
  push(samples: Int16Array): boolean;
}

/** Null where there is nothing to listen for. */
export function createLineToneDetector(
  answerer: Pick<AnsweringMachineDetector, 'awaitsBeep' | 'onInput'> | null,
  keys: Pick<DtmfInput, 'press'> | null,
): LineToneDetector | null {
  if (!answerer && !keys) return null;
  const beeps = answerer && createBeepDetector(({ hz }) => answerer.onInput({ type: 'beep', hz }));
  const presses = keys && createDtmfDetector((digit) => keys.press(digit));
  return {
    push(samples) {
      if (answerer?.awaitsBeep) beeps?.push(samples);
      if (!presses) return false;
      const sounded = presses.pressed;
      presses.push(samples);
      return sounded || presses.pressed;
    },
  };
}
