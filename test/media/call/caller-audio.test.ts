import { expect, test } from 'vitest';
import type { AudioFormat } from '../../../media/audio/format.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { type CallerAudioOptions, createCallerAudio } from '../../../media/call/caller-audio.ts';
import { emptyUsage } from '../../../shared/usage.ts';

const WIDE: AudioFormat = { encoding: 'pcm16', sample_rate: 16_000 };

/** Ears that count what they are given. */
function soundOf(line: AudioFormat, openDenoiser: CallerAudioOptions['openDenoiser'] = () => null) {
  const usage = emptyUsage();
  const heard = { bytes: [] as number[], samples: [] as number[], narrow: [] as number[], closed: 0 };
  const sound = createCallerAudio({ lineFormat: line, recording: null, openDenoiser, usage });
  const close = () => void heard.closed++;
  sound.connect({
    transcriber: { audio: (bytes) => void heard.bytes.push(bytes.length) },
    vad: { push: (samples) => void heard.samples.push(samples.length), close },
    turnDetector: { push: (samples) => void heard.narrow.push(samples.length), predict() {}, close },
    tones: null,
  });
  return { sound, heard, usage };
}

test('every ear gets the frame as it knows it, and the transcriber is paid for it', () => {
  const { sound, heard, usage } = soundOf(WIDE);
  for (let at = 20; at <= 100; at += 20) sound.push(new Uint8Array(640), at);
  expect(heard).toMatchObject({ bytes: Array(5).fill(640), samples: Array(5).fill(320), narrow: Array(5).fill(160) });
  expect(usage.stt_seconds).toBeCloseTo(0.1);
});

test('sound that is cleaned at once is a whole frame of it, and no byte more', () => {
  const { sound, heard } = soundOf(WIDE, (listener) => ({
    push: (samples, atMs) => listener(samples, atMs),
    close() {},
  }));
  expect(sound.format).toEqual({ encoding: 'pcm16', sample_rate: 8_000 });
  for (let at = 20; at <= 100; at += 20) sound.push(new Uint8Array(640), at);
  expect(heard.bytes).toEqual(Array(5).fill(320));
});

test('nobody hears anything after its end, what is being cleaned included', () => {
  const clean: (() => void)[] = [];
  const { sound, heard, usage } = soundOf(MULAW_8K, (listener) => ({
    push: (samples, atMs) => void clean.push(() => listener(samples, atMs)),
    close() {},
  }));
  sound.push(new Uint8Array(160), 20);
  sound.close();
  sound.push(new Uint8Array(160), 40);
  for (const tell of clean) tell();
  expect([heard.bytes, heard.closed, usage.stt_seconds, clean.length]).toEqual([[], 2, 0, 1]);
});
