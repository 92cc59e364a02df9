import { expect, test } from 'vitest';
import type { AudioFormat } from '../../../media/audio/format.ts';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { type CallerAudioOptions, createCallerAudio } from '../../../media/call/caller-audio.ts';
import { emptyUsage } from '../../../shared/usage.ts';

const WIDE: AudioFormat = { encoding: 'pcm16', sample_rate: 16_000 };

/** Caller audio with sinks that count what they are given. */
function audioWith(line: AudioFormat, openDenoiser: CallerAudioOptions['openDenoiser'] = () => null) {
  const usage = emptyUsage();
  const received = { bytes: [] as number[], samples: [] as number[], narrow: [] as number[], closed: 0 };
  const callerAudio = createCallerAudio({ lineFormat: line, recording: null, openDenoiser, usage });
  const close = () => void received.closed++;
  callerAudio.connect({
    transcriber: { audio: (bytes) => void received.bytes.push(bytes.length) },
    vad: { push: (samples) => void received.samples.push(samples.length), close },
    turnDetector: { push: (samples) => void received.narrow.push(samples.length), predict() {}, close },
    tones: null,
  });
  return { callerAudio, received, usage };
}

test('every sink gets the frame in its format, and its length counts as transcribed', () => {
  const { callerAudio, received, usage } = audioWith(WIDE);
  for (let at = 20; at <= 100; at += 20) callerAudio.push(new Uint8Array(640), at);
  expect(received).toMatchObject({
    bytes: Array(5).fill(640),
    samples: Array(5).fill(320),
    narrow: Array(5).fill(160),
  });
  expect(usage.stt_seconds).toBeCloseTo(0.1);
});

test.each([
  [WIDE, 640, 640],
  [MULAW_8K, 160, 320],
])('denoised audio keeps the rate of the line: %j', (line, lineBytes, bytes) => {
  const rates: number[] = [];
  const { callerAudio, received } = audioWith(line, (rateHz, listener) => {
    rates.push(rateHz);
    return { push: (samples, atMs) => listener(samples, atMs), close() {} };
  });
  expect(callerAudio.format).toEqual({ encoding: 'pcm16', sample_rate: line.sample_rate });
  for (let at = 20; at <= 100; at += 20) callerAudio.push(new Uint8Array(lineBytes), at);
  expect(rates).toEqual([line.sample_rate]);
  expect(received).toMatchObject({
    bytes: Array(5).fill(bytes),
    samples: Array(5).fill(bytes / 2),
    narrow: Array(5).fill(160),
  });
});

test('no sink gets audio after close, including frames in the denoiser', () => {
  const denoising: (() => void)[] = [];
  const { callerAudio, received, usage } = audioWith(MULAW_8K, (_rateHz, listener) => ({
    push: (samples, atMs) => void denoising.push(() => listener(samples, atMs)),
    close() {},
  }));
  callerAudio.push(new Uint8Array(160), 20);
  callerAudio.close();
  callerAudio.push(new Uint8Array(160), 40);
  for (const finish of denoising) finish();
  expect([received.bytes, received.closed, usage.stt_seconds, denoising.length]).toEqual([[], 2, 0, 1]);
});
