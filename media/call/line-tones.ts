import { createBeepDetector } from '../audio/beep.ts';
import { createDtmfDetector } from '../audio/dtmf.ts';
import type { DtmfInput } from './dtmf-input.ts';
import type { Answerer } from './voicemail.ts';

/** Listens for tones that mean something: the beep of an answering machine, and keys where the carrier does not tell them. */
export interface LineTones {
  /** The caller's next 20 ms, 160 samples at 8 kHz, as they came. True while a key sounds. */
  hear(samples: Int16Array): boolean;
}

/** Null where there is nothing to listen for. */
export function createLineTones(
  answerer: Pick<Answerer, 'awaitsBeep' | 'hear'> | null,
  keys: Pick<DtmfInput, 'press'> | null,
): LineTones | null {
  if (!answerer && !keys) return null;
  const beeps = answerer && createBeepDetector(({ hz }) => answerer.hear({ type: 'beep', hz }));
  const presses = keys && createDtmfDetector((digit) => keys.press(digit));
  return {
    hear(samples) {
      if (answerer?.awaitsBeep) beeps?.push(samples);
      if (!presses) return false;
      const sounded = presses.pressed;
      presses.push(samples);
      return sounded || presses.pressed;
    },
  };
}
