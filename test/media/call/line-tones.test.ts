import { describe, expect, test } from 'vitest';
import { loadSpeech } from '../../../fixtures/speech.ts';
import { type DtmfDigit, dtmfSamples } from '../../../media/audio/dtmf.ts';
import { FRAME_SAMPLES } from '../../../media/audio/format.ts';
import { decodeMulaw, encodeMulaw } from '../../../media/audio/g711.ts';
import { createLineToneDetector } from '../../../media/call/line-tones.ts';
import { startSingleCall } from '../../support/single-call.ts';

/** A whole call over a carrier that sends nothing but sound, or its keys as well. */
function callOver({ sendsDigits, direction = 'inbound', settings = {} }: Over) {
  /** What the two that listen for speech were given. */
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
    pressedDigits: () => call.told.filter(({ type }) => type === 'call.dtmf').map(({ more }) => more.data),
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

describe('keys in the sound', () => {
  test('are input where the carrier does not tell them, and hardly a sound to who listens for speech', async () => {
    const call = callOver({ sendsDigits: false });
    await call.hear(silence(400));
    await call.hear(keys('407'));
    await call.hear(silence(4000));
    expect(call.pressedDigits()).toEqual([{ digits: '407' }]);
    expect(call.asked()).toEqual(['[pressed 407]']);
    // Of 120 ms of each key less than 60 ms pass before it is known.
    for (const heard of [call.toTranscriber, call.toVad]) {
      expect(loud(heard)).toBeLessThan(3 * 60);
      expect(heard).toHaveLength((400 + 720 + 4000) * 8);
    }
    await call.close();
  });

  test('are nothing where the carrier tells them: its word counts, once', async () => {
    const call = callOver({ sendsDigits: true });
    call.digit('5');
    await call.hear(keys('5'));
    await call.hear(silence(4000));
    expect(call.pressedDigits()).toEqual([{ digits: '5' }]);
    await call.close();
  });

  test('are nothing to an agent that takes none', async () => {
    const call = callOver({ sendsDigits: false, settings: { dtmf_input: false } });
    await call.hear(keys('5'));
    await call.hear(silence(4000));
    expect(call.pressedDigits()).toEqual([]);
    expect(loud(call.toTranscriber)).toBeGreaterThan(50);
    await call.close();
  });

  test('do not take anything of speech away', async () => {
    const call = callOver({ sendsDigits: false });
    const { samples } = loadSpeech('booking-request');
    await call.hear(samples);
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

describe('a beep in the sound', () => {
  const settings = { voicemail_detection: true, dtmf_input: false };

  test('tells a machine on a call that we placed', async () => {
    const call = callOver({ sendsDigits: true, direction: 'outbound', settings });
    await call.hear(silence(1000));
    await call.hear(beep(1000, 400));
    await call.hear(silence(400));
    expect(call.told.find(({ type }) => type === 'call.voicemail')?.more.data).toEqual({
      answered_by: 'machine',
      message_left: false,
    });
    expect(call.told.at(-1)?.more.ending).toMatchObject({
      hangup_by: 'agent',
      hangup_reason: 'voicemail',
      answered_by: 'machine',
    });
    await call.close();
  });

  test('is nothing on a call that came in', async () => {
    const call = callOver({ sendsDigits: true, direction: 'inbound', settings });
    await call.hear(silence(1000));
    await call.hear(beep(1000, 400));
    await call.hear(silence(400));
    expect(call.told.map(({ type }) => type)).toEqual(['call.started']);
    await call.close();
    expect(call.told.at(-1)?.more.ending?.answered_by).toBeUndefined();
  });
});

test('where there is nothing to listen for, nobody listens', () => {
  expect(createLineToneDetector(null, null)).toBeNull();
});
