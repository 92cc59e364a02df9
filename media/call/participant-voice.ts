import { createConverter } from '../audio/converter.ts';
import { type AudioFormat, FRAME_MS, PCM_16K } from '../audio/format.ts';
import { createFramer } from '../audio/framer.ts';
import { mixIntoFrame } from '../audio/mix.ts';
import { readSamples } from '../audio/samples.ts';
import type { Background } from '../playout/leg-output.ts';

/** The voice of a person who speaks to the caller, as what plays under and between the agent's speech. */
export interface ParticipantVoice extends Background {
  /** Takes 20 ms of the person, PCM at 16 kHz. */
  push(frame: Uint8Array): void;
  /** The frame that was last mixed, without the person's voice; valid until the next one. */
  under(): Uint8Array | null;
}

/** Frames that wait at most: what is late is not said any more. */
const MAX_WAITING_FRAMES = 6;
/** Frames that the carrier may give back: more than it is ever sent ahead. */
const MAX_SENT_FRAMES = 40;

/** @param background what plays besides. */
export function createParticipantVoice(format: AudioFormat, background: () => Background | null): ParticipantVoice {
  const samplesPerFrame = (format.sample_rate * FRAME_MS) / 1_000;
  const lineFormat: AudioFormat = { encoding: 'pcm16', sample_rate: format.sample_rate };
  const converter = createConverter(PCM_16K, lineFormat);
  const silence = new Int16Array(samplesPerFrame);
  const waiting: Int16Array[] = [];
  /** Taken from `waiting`, newest last; null where nothing waited. */
  const sent: (Int16Array | null)[] = [];
  let mixed = new Uint8Array(0);
  let under: Uint8Array | null = null;
  const framer = createFramer(lineFormat, (frame) => {
    const samples = new Int16Array(samplesPerFrame);
    readSamples(frame, 'pcm16', samples);
    waiting.push(samples);
    if (waiting.length > MAX_WAITING_FRAMES) waiting.shift();
  });

  return {
    push: (frame) => framer.push(converter.convert(frame)),
    under: () => under,
    mixInto(frame, encoding) {
      under = background()?.mixInto(frame, encoding) ?? frame;
      const samples = waiting.shift() ?? null;
      sent.push(samples);
      if (sent.length > MAX_SENT_FRAMES) sent.shift();
      if (mixed.length !== frame.length) mixed = new Uint8Array(frame.length);
      mixIntoFrame(under, encoding, samples ?? silence, mixed);
      return mixed;
    },
    rewind(samples) {
      background()?.rewind(samples);
      for (let frames = Math.round(samples / samplesPerFrame); frames > 0 && sent.length > 0; frames--) {
        const last = sent.pop();
        if (last) waiting.unshift(last);
      }
      waiting.splice(0, Math.max(0, waiting.length - MAX_WAITING_FRAMES));
    },
  };
}
