import { describe, expect, test } from 'vitest';
import { loadSpeech } from '../../../fixtures/speech.ts';
import { type DtmfDigit, dtmfSamples } from '../../../media/audio/dtmf.ts';
import { FRAME_SAMPLES } from '../../../media/audio/format.ts';
import { decodeMulaw, encodeMulaw } from '../../../media/audio/g711.ts';
import { createLineToneDetector } from '../../../media/call/line-tones.ts';
import { startSingleCall } from '../../support/single-call.ts';

/** A whole call over a carrier that sends audio only, or keys as well. */
function callOver({ sendsDigits, direction = 'inbound', settings = {} }: Over) {
  /** Audio given to the transcriber and to the VAD. */
  const toTranscriber: number[] = [];
  const toVad: number[] = [];
  const call = startSingleCall({
    session: { direction },
    settings: { dtmf_input: true, ...settings },
    sendsDigits,
    onTranscriber(mulaw) {
      const samples = new Int16Array(mulaw.length);
      decodeMulaw(mulaw, samples);
      toTranscriber.push(...samples);
    },
    onVad: (samples) => void toVad.push(...samples),
  });
  return {
    ...call,
    toTranscriber,
    toVad,
    asked: () => call.requests.map((request) => request.messages.at(-1)!.content),
    pressedDigits: () => call.emitted.filter(({ type }) => type === 'call.dtmf').map(({ more }) => more.data),
  };
}

interface Over {
  sendsDigits: boolean;
  direction?: 'inbound' | 'outbound';
  settings?: Record<string, unknown>;
}

const keys = (digits: string) => dtmfSamples([...digits] as DtmfDigit[], { toneMs: 120, pauseMs: 120 });
const silence = (ms: number) => new Int16Array(ms * 8);
const loud = (samples: number[]) => samples.filter((sample) => Math.abs(sample) > 1000).length / 8;

function beep(hz: number, ms: number): Int16Array {
  return Int16Array.from({ length: ms * 8 }, (_, i) => Math.round(9000 * Math.sin((2 * Math.PI * hz * i) / 8000)));
}

describe('DTMF tones in the audio', () => {
  test('are input where the carrier does not send keys, and mostly silenced for transcriber and VAD', async () => {
    const call = callOver({ sendsDigits: false });
    await call.sendAudio(silence(400));
    await call.sendAudio(keys('407'));
    await call.sendAudio(silence(4000));
    expect(call.pressedDigits()).toEqual([{ digits: '407' }]);
    expect(call.asked()).toEqual(['[pressed 407]']);
    // Less than 60 of the 120 ms of each key pass before it is detected.
    for (const received of [call.toTranscriber, call.toVad]) {
      expect(loud(received)).toBeLessThan(3 * 60);
      expect(received).toHaveLength((400 + 720 + 4000) * 8);
    }
    await call.close();
  });

  test('are ignored where the carrier sends keys, which count once', async () => {
    const call = callOver({ sendsDigits: true });
    call.digit('5');
    await call.sendAudio(keys('5'));
    await call.sendAudio(silence(4000));
    expect(call.pressedDigits()).toEqual([{ digits: '5' }]);
    await call.close();
  });

  test('are ignored by an agent without dtmf_input', async () => {
    const call = callOver({ sendsDigits: false, settings: { dtmf_input: false } });
    await call.sendAudio(keys('5'));
    await call.sendAudio(silence(4000));
    expect(call.pressedDigits()).toEqual([]);
    expect(loud(call.toTranscriber)).toBeGreaterThan(50);
    await call.close();
  });

  test('are not detected in speech, which passes unchanged', async () => {
    const call = callOver({ sendsDigits: false });
    const { samples } = loadSpeech('booking-request');
    await call.sendAudio(samples);
    const whole = samples.subarray(0, Math.floor(samples.length / FRAME_SAMPLES) * FRAME_SAMPLES);
    const coded = new Uint8Array(whole.length);
    const line = new Int16Array(whole.length);
    encodeMulaw(whole, coded);
    decodeMulaw(coded, line);
    expect(call.toTranscriber).toEqual([...line]);
    expect(call.pressedDigits()).toEqual([]);
    await call.close();
  });
});

describe('a beep in the audio', () => {
  const settings = { voicemail_detection: true, dtmf_input: false };

  test('detects an answering machine on an outbound call', async () => {
    const call = callOver({ sendsDigits: true, direction: 'outbound', settings });
    await call.sendAudio(silence(1000));
    await call.sendAudio(beep(1000, 400));
    await call.sendAudio(silence(400));
    expect(call.emitted.find(({ type }) => type === 'call.voicemail')?.more.data).toEqual({
      answered_by: 'machine',
      message_left: false,
    });
    expect(call.emitted.at(-1)?.more.ending).toMatchObject({
      hangup_by: 'agent',
      hangup_reason: 'voicemail',
      answered_by: 'machine',
    });
    await call.close();
  });

  test('is ignored on an inbound call', async () => {
    const call = callOver({ sendsDigits: true, direction: 'inbound', settings });
    await call.sendAudio(silence(1000));
    await call.sendAudio(beep(1000, 400));
    await call.sendAudio(silence(400));
    expect(call.emitted.map(({ type }) => type)).toEqual(['call.started']);
    await call.close();
    expect(call.emitted.at(-1)?.more.ending?.answered_by).toBeUndefined();
  });
});

test('there is no detector where neither keys nor beeps matter', () => {
  expect(createLineToneDetector(null, null)).toBeNull();
});
