import { createBeepDetector } from '../audio/beep.ts';
import { createDtmfDetector } from '../audio/dtmf.ts';
import type { AnsweringMachineDetector } from './answering-machine-handling.ts';
import type { DtmfInput } from './dtmf-input.ts';

/** Detects tones in the caller's audio: an answering machine's beep, and DTMF keys where the carrier does not send them. */
export interface LineToneDetector {
  /** Takes the caller's next 20 ms, 160 samples at 8 kHz. Returns whether a key's tone is sounding. */
  push(samples: Int16Array): boolean;
}

/** Null where neither is of interest. */
export function createLineToneDetector(
  machineDetector: Pick<AnsweringMachineDetector, 'awaitsBeep' | 'onInput'> | null,
  keys: Pick<DtmfInput, 'press'> | null,
): LineToneDetector | null {
  if (!machineDetector && !keys) return null;
  const beeps = machineDetector && createBeepDetector(({ hz }) => machineDetector.onInput({ type: 'beep', hz }));
  const dtmf = keys && createDtmfDetector((digit) => keys.press(digit));
  return {
    push(samples) {
      if (machineDetector?.awaitsBeep) beeps?.push(samples);
      if (!dtmf) return false;
      const wasPressed = dtmf.pressed;
      dtmf.push(samples);
      return wasPressed || dtmf.pressed;
    },
  };
}
