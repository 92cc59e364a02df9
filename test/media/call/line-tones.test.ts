import { describe, expect, test } from 'vitest';
import { loadSpeech } from '../../../fixtures/speech.ts';
import { type DtmfDigit, dtmfSamples } from '../../../media/audio/dtmf.ts';
import { FRAME_SAMPLES, MULAW_8K } from '../../../media/audio/format.ts';
import { decodeMulaw, encodeMulaw } from '../../../media/audio/g711.ts';
import { Call } from '../../../media/call/call.ts';
import type { Equipment } from '../../../media/call/equipment.ts';
import { createLineTones } from '../../../media/call/line-tones.ts';
import type { Leg, LegListener } from '../../../media/leg/leg.ts';
import type { Details } from '../../../media/report/reporter.ts';
import type { Transcriber } from '../../../media/stt/transcriber.ts';
import type { Vad } from '../../../media/turn/vad.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import type { Bus } from '../../../shared/bus/bus.ts';
import { createLogger } from '../../../shared/log.ts';
import { createStageModel } from '../../support/stage-model.ts';
import { createStageVoice } from '../../support/stage-voice.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

/** A whole call over a carrier that sends nothing but sound, or its keys as well. */
function callOver({ sendsDigits, direction = 'inbound', settings = {} }: Over) {
  const clock = createVirtualClock();
  const log = createLogger('test', 'silent');
  const told: { type: string; more: Details }[] = [];
  /** What the two that listen for speech were given. */
  const toTranscriber: number[] = [];
  const toVad: number[] = [];
  let listener: LegListener | null = null;
  let tick: (nowMs: number) => void = () => {};
  const leg: Leg = {
    carrier: 'test',
    format: MULAW_8K,
    callerFormat: MULAW_8K,
    sendsDigits,
    packetMs: 20,
    playback: { marks: false, marksReturnedOnClear: false, clearAcknowledged: false },
    listen: (given) => {
      listener = given;
    },
    tick() {},
    play: () => true,
    flush() {},
    mark() {},
    clear() {},
    hangUp() {},
  };
  const transcriber: Transcriber = {
    provider: 'test',
    model: 'test',
    input: MULAW_8K,
    decidesTurns: true,
    open: async () => {},
    audio(chunk) {
      const samples = new Int16Array(chunk.length);
      decodeMulaw(chunk, samples);
      toTranscriber.push(...samples);
    },
    finalize() {},
    close: async () => {},
  };
  const model = createStageModel(
    clock,
    100,
    () => ({ text: 'Yes of course.' }),
    () => {},
  );
  const equipment: Partial<Equipment> = {
    transcriber: () => transcriber,
    voice: (_agent, _line, onEvent) => createStageVoice(clock, [], {}, onEvent).voice,
    model: () => model.model,
    ambientSound: () => null,
    denoiser: () => null,
    safeFetch: async () => Promise.reject(new Error('no network')),
  };
  const vad: Pick<Vad, 'open'> = {
    open: () => ({ push: (samples) => void toVad.push(...samples), close() {} }),
  };
  // Whatever is asked of the bus, it answers with something that can be stopped.
  const bus = new Proxy({}, { get: () => () => ({ stop() {} }) }) as Bus;
  const agent = agentConfigSchema.parse({ name: 'Test', call: { record: false, dtmf_input: true, ...settings } });
  const call = new Call({
    session: {
      call_id: 'a'.repeat(32),
      workspace_id: 'w',
      agent_id: 'a',
      direction,
      channel: 'phone',
      from_number: '',
      to_number: '',
      agent_json: JSON.stringify(agent),
      user_data_json: '{}',
      max_duration_seconds: 600,
      llm_fallbacks: [],
    },
    leg,
    bus,
    reporter: { tell: (type, _message, more = {}) => void told.push({ type, more }), flushed: async () => {} },
    equipment: equipment as Equipment,
    places: {
      tryTake: () => ({ free() {} }),
      take: async () => null,
      refused() {},
      inUse: () => 0,
      close: async () => {},
    },
    health: { isWell: () => true, failed() {}, close() {} },
    vad: vad as Vad,
    metronome: {
      join: (beat) => {
        tick = beat;
        return () => {
          tick = () => {};
        };
      },
      lagCounts: new Uint32Array(0),
      takeWorstLagMs: () => 0,
      stop() {},
    },
    recordings: { open: () => Promise.reject() as never, close: async () => {} },
    clock,
    log,
  });
  call.start();

  return {
    told,
    toTranscriber,
    toVad,
    asked: () => model.requests.map((request) => request.messages.at(-1)!.content),
    pressedDigits: () => told.filter(({ type }) => type === 'call.dtmf').map(({ more }) => more.data),
    digit: (digit: string) => listener!.digit(digit),
    /** The caller's line sounds like this, in real (virtual) time. */
    async hear(sound: Int16Array) {
      const frame = new Uint8Array(FRAME_SAMPLES);
      for (let at = 0; at + FRAME_SAMPLES <= sound.length; at += FRAME_SAMPLES) {
        await clock.advance(20);
        encodeMulaw(sound.subarray(at, at + FRAME_SAMPLES), frame);
        listener!.audio(frame, clock.now());
        tick(clock.now());
      }
    },
    async close() {
      call.end({ hangup_by: 'caller', hangup_reason: 'caller hung up' });
      await clock.advance(100);
      await call.over;
    },
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
  expect(createLineTones(null, null)).toBeNull();
});
