import { LINE_RATE } from '../../media/audio/format.ts';

/** What the caller says, each with a pitch of its own, by which the transcriber recognizes it. */
export const UTTERANCES = [
  { text: 'a table for two please', hz: 110 },
  { text: 'let me speak to a person', hz: 160 },
  { text: 'thank you and goodbye', hz: 210 },
] as const;

/** Duration of each. */
export const UTTERANCE_MS = 1_200;
const SPEECH_SAMPLE = 1_000;

/** 20 ms of a voice that rises and falls four times a second; `fromMs`: since its beginning. */
export function voiceFrame(hz: number, fromMs: number): Int16Array {
  const frame = new Int16Array((LINE_RATE * 20) / 1_000);
  for (let at = 0; at < frame.length; at++) {
    const seconds = fromMs / 1_000 + at / LINE_RATE;
    const loudness = 6_000 + 3_000 * Math.sin(2 * Math.PI * 4 * seconds);
    frame[at] = loudness * Math.sin(2 * Math.PI * hz * seconds);
  }
  return frame;
}

export const SILENT_FRAME = new Int16Array((LINE_RATE * 20) / 1_000);

export const isSpeech = (samples: Int16Array) => samples.some((sample) => Math.abs(sample) > SPEECH_SAMPLE);

/** The pitch of a voice in Hz, from its changes of sign. */
export function pitchOf(samples: readonly number[]): number {
  let changes = 0;
  for (let at = 1; at < samples.length; at++) if (samples[at]! >= 0 !== samples[at - 1]! >= 0) changes++;
  return (changes / 2 / samples.length) * LINE_RATE;
}
