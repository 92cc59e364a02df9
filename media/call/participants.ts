import type { Clock, Timer } from '../../shared/clock.ts';
import { describeError } from '../../shared/describe-error.ts';
import type { LiveOrderResult, OrderedBy, ParticipantMode } from '../../shared/live-control.ts';
import type { Logger } from '../../shared/log.ts';
import { createConverter } from '../audio/converter.ts';
import { type AudioFormat, FRAME_MS, PCM_16K } from '../audio/format.ts';
import { createFramer } from '../audio/framer.ts';
import { mix } from '../audio/mix.ts';
import { readSamples } from '../audio/samples.ts';
import type { Leg } from '../leg/leg.ts';
import type { Background } from '../playout/leg-output.ts';
import type { Reporter } from '../report/reporter.ts';
import type { ParticipantTranscription } from './participant-transcription.ts';
import { createParticipantVoice, type ParticipantVoice } from './participant-voice.ts';

/**
 * The people who are in a live call over a browser, besides its caller: they listen in, unheard, or one of them speaks to the caller,
 * in the agent's place or beside it, and others whisper to that one. What they hear is the caller and what the caller hears, but never
 * themselves.
 *
 * A person is expected first, by the nonce of their stream token, and joins with the stream that brings it. What fails in a person's
 * part ends that part, never the call: who took over leaves the caller to the agent.
 */
export interface Participants {
  /** Expects a person's stream until `expires_at_ms`; why not, otherwise. */
  expect(order: ExpectedParticipant): LiveOrderResult;
  /** How the person of this nonce takes part, once; null where nobody is expected. */
  expected(nonce: string): ParticipantMode | null;
  /** The stream of an expected person; false where it is not expected any more. */
  join(nonce: string, leg: Leg): boolean;
  /** Ends the stream of who speaks, with a note for the agent; false where nobody does. */
  handBack(note: string): boolean;
  /** Somebody speaks in the agent's place. */
  hasTakenOver(): boolean;
  /** 20 ms of the caller, in the leg's format. */
  addCaller(frame: Uint8Array): void;
  /** 20 ms that the caller hears from `playAtMs` on, and what was dropped of it. */
  addAgent(frame: Uint8Array, playAtMs: number): void;
  dropAgent(fromMs: number): void;
  /** Every 20 ms. */
  tick(nowMs: number): void;
  close(reason: string): void;
}

export interface ExpectedParticipant extends OrderedBy {
  nonce: string;
  mode: ParticipantMode;
  /** Milliseconds since 1970. */
  expires_at_ms: number;
}

export interface ParticipantsOptions {
  /** Formats of the line. */
  callerFormat: AudioFormat;
  agentFormat: AudioFormat;
  clock: Clock;
  reporter: Pick<Reporter, 'report'>;
  log: Pick<Logger, 'error'>;
  /** What plays under and between the agent's speech. */
  background(): Background | null;
  /** Somebody speaks from now on, over this background; null: nobody does any more. */
  onVoice(voice: Background | null): void;
  /** The agent falls silent for a person; returns why not, or nothing. */
  onTakeOver(): string;
  /** Transcribes a person from now on, who may speak to the caller. */
  transcribe(): ParticipantTranscription;
  /** The person has left the caller to the agent. */
  onHandBack(note: string): void;
}

export const MAX_PARTICIPANTS = 5;
const NOBODY_TO_WHISPER_TO =
  'nobody of the team speaks to the caller over a browser; the agent takes instructions, and a person of a transfer is out of reach';
/** What the page of a person is told whose part failed. */
const FAILED = 'the connection failed';
/** Frames of the caller, and of one who whispers, that wait for a tick at most. */
const MAX_WAITING_FRAMES = 5;
/** Frames of the agent that are not due yet: more than any carrier is sent ahead. */
const MAX_AGENT_FRAMES = 50;
const FRAME_SAMPLES_16K = (PCM_16K.sample_rate * FRAME_MS) / 1_000;

interface Participant extends ExpectedParticipant {
  leg: Leg;
  /** 20 ms each, of one who whispers. */
  whispered: Int16Array[];
}

/** The person who speaks to the caller. */
interface Speaking {
  participant: Participant;
  voice: ParticipantVoice;
  transcription: ParticipantTranscription | null;
}

interface AgentFrame {
  playAtMs: number;
  /** With the voice of the person who speaks, and without. */
  heard: Int16Array;
  agentOnly: Int16Array;
}

export function createParticipants(options: ParticipantsOptions): Participants {
  const { agentFormat, clock, reporter, log } = options;
  const expected = new Map<string, { order: ExpectedParticipant; timer: Timer }>();
  const present = new Set<Participant>();
  let speaking: Speaking | null = null;
  let closed = false;
  const callerFrames: Int16Array[] = [];
  const agentFrames: AgentFrame[] = [];
  const silence = new Int16Array(FRAME_SAMPLES_16K);
  const mixed = new Int16Array(FRAME_SAMPLES_16K);
  const mixedBytes = new Uint8Array(mixed.buffer);
  /** Of the line's frames; null while nobody is there to hear them. */
  let converters: LineConverters | null = null;

  const isSpoken = () => speaking !== null || [...expected.values()].some(({ order }) => speaksToCaller(order));

  function reportPart(participant: ExpectedParticipant, action: string, message: string): void {
    const { by, by_id, mode } = participant;
    reporter.report('call.control', message, { data: { action, mode, by, by_id } });
  }

  function logFailure(error: unknown): void {
    log.error(describeError(error), "unexpected error in a person's part of a call, which ends");
  }

  function hangUp({ leg }: Participant, reason: string): void {
    try {
      leg.hangUp(reason);
    } catch (error) {
      logFailure(error);
    }
  }

  function fail(participant: Participant, error: unknown): void {
    if (!present.has(participant)) return;
    logFailure(error);
    leave(participant, '', "a person's part failed");
    hangUp(participant, FAILED);
  }

  /** Runs a person's part of the work; an error ends that part. */
  function attempt(participant: Participant, run: () => void): void {
    try {
      run();
    } catch (error) {
      fail(participant, error);
    }
  }

  /** The same for what is done for all at once. */
  function attemptForAll(run: () => void): void {
    try {
      run();
    } catch (error) {
      for (const participant of [...present]) fail(participant, error);
    }
  }

  function leave(participant: Participant, note = '', why = ''): void {
    if (!present.delete(participant)) return;
    const handsBack = speaking?.participant === participant;
    if (handsBack) {
      const { transcription } = speaking!;
      speaking = null;
      options.onVoice(null);
      transcription?.close();
    }
    if (present.size === 0) {
      callerFrames.length = 0;
      agentFrames.length = 0;
      converters = null;
    }
    if (closed) return;
    const left = LEFT[participant.mode];
    reportPart(participant, 'leave', why === '' ? left : `${left}: ${why}`);
    if (handsBack && participant.mode === 'take_over') options.onHandBack(note);
  }

  function addWhispered({ whispered }: Participant, frame: Uint8Array): void {
    const samples = new Int16Array(FRAME_SAMPLES_16K);
    readSamples(frame, 'pcm16', samples);
    whispered.push(samples);
    if (whispered.length > MAX_WAITING_FRAMES) whispered.shift();
  }

  /** Begins to send a person's voice; returns why not, or nothing. */
  function letSpeak(participant: Participant): string {
    if (speaking) return 'somebody else speaks to the caller already';
    const refusal = participant.mode === 'take_over' ? options.onTakeOver() : '';
    if (refusal !== '') return refusal;
    const voice = createParticipantVoice(agentFormat, options.background);
    const started: Speaking = { participant, voice, transcription: null };
    speaking = started;
    options.onVoice(guardedVoice(participant, voice));
    attempt(participant, () => {
      started.transcription = options.transcribe();
    });
    return '';
  }

  /** The voice as the line plays it: one that fails is left out. */
  function guardedVoice(participant: Participant, voice: Background): Background {
    return {
      mixInto(frame, encoding) {
        try {
          return voice.mixInto(frame, encoding);
        } catch (error) {
          fail(participant, error);
          return options.background()?.mixInto(frame, encoding) ?? frame;
        }
      },
      rewind: (samples) => attempt(participant, () => voice.rewind(samples)),
    };
  }

  return {
    expect(order) {
      if (present.size + expected.size >= MAX_PARTICIPANTS) {
        return { done: false, detail: `${MAX_PARTICIPANTS} people are in the call already` };
      }
      if (speaksToCaller(order) && isSpoken()) return { done: false, detail: 'somebody speaks to the caller already' };
      if (order.mode === 'whisper' && !isSpoken()) return { done: false, detail: NOBODY_TO_WHISPER_TO };
      const withinMs = Math.max(0, order.expires_at_ms - clock.wall());
      const timer = clock.after(withinMs, () => expected.delete(order.nonce));
      expected.set(order.nonce, { order, timer });
      return { done: true, detail: '' };
    },
    expected: (nonce) => (closed ? null : (expected.get(nonce)?.order.mode ?? null)),
    join(nonce, leg) {
      const found = expected.get(nonce);
      if (closed || !found) return false;
      found.timer.cancel();
      expected.delete(nonce);
      const participant: Participant = { ...found.order, leg, whispered: [] };
      present.add(participant);
      attempt(participant, () =>
        leg.listen({
          audio(frame) {
            const current = speaking?.participant === participant ? speaking : null;
            attempt(participant, () => {
              if (participant.mode === 'whisper') addWhispered(participant, frame);
              current?.voice.push(frame);
              current?.transcription?.push(frame);
            });
          },
          mark() {},
          digit() {},
          ended(_cause, detail) {
            leave(participant);
            hangUp(participant, detail);
          },
        }),
      );
      if (!present.has(participant)) return true;
      const refusal = speaksToCaller(participant) ? letSpeak(participant) : '';
      if (refusal !== '') {
        present.delete(participant);
        hangUp(participant, refusal);
        return true;
      }
      reportPart(participant, participant.mode, JOINED[participant.mode]);
      return true;
    },
    hasTakenOver: () => speaking?.participant.mode === 'take_over',
    handBack(note) {
      if (!speaking) return false;
      const { participant } = speaking;
      leave(participant, note);
      hangUp(participant, 'handed back');
      return true;
    },
    addCaller(frame) {
      if (present.size === 0) return;
      converters ??= createLineConverters(options);
      const { caller } = converters;
      attemptForAll(() =>
        caller(frame, (samples) => {
          callerFrames.push(samples);
          if (callerFrames.length > MAX_WAITING_FRAMES) callerFrames.shift();
        }),
      );
    },
    addAgent(frame, playAtMs) {
      if (present.size === 0) return;
      const own = speaking?.voice.under() ?? frame;
      converters ??= createLineConverters(options);
      const { heard, agentOnly } = converters;
      let ownSamples: Int16Array | null = null;
      attemptForAll(() => {
        if (own !== frame) {
          agentOnly(own, (samples) => {
            ownSamples = samples;
          });
        }
        heard(frame, (samples) => {
          agentFrames.push({ playAtMs, heard: samples, agentOnly: own === frame ? samples : (ownSamples ?? silence) });
          if (agentFrames.length > MAX_AGENT_FRAMES) agentFrames.shift();
        });
      });
    },
    dropAgent(fromMs) {
      while (agentFrames.length > 0 && agentFrames.at(-1)!.playAtMs >= fromMs) agentFrames.pop();
    },
    tick(nowMs) {
      if (present.size === 0) return;
      if (speaking) {
        const { participant, transcription } = speaking;
        attempt(participant, () => transcription?.tick());
      }
      const caller = callerFrames.shift() ?? silence;
      const due = agentFrames[0] && agentFrames[0].playAtMs <= nowMs ? agentFrames.shift()! : null;
      const whispered = [...present].flatMap((participant) => participant.whispered.shift() ?? []);
      for (const participant of present) {
        const { leg } = participant;
        const agent = speaking?.participant === participant ? due?.agentOnly : due?.heard;
        attempt(participant, () => {
          leg.tick(nowMs);
          mix(caller, agent ?? silence, mixed);
          if (speaking?.participant === participant) for (const frame of whispered) mix(mixed, frame, mixed);
          leg.play(mixedBytes);
        });
      }
    },
    close(reason) {
      closed = true;
      for (const { timer } of expected.values()) timer.cancel();
      expected.clear();
      for (const participant of [...present]) {
        leave(participant);
        hangUp(participant, reason);
      }
    },
  };
}

const JOINED: Record<ParticipantMode, string> = {
  listen: 'a person listens in',
  take_over: 'a person took over',
  join: 'a person joined the caller and the agent',
  whisper: 'a person whispers to the one who speaks to the caller',
};

const LEFT: Record<ParticipantMode, string> = {
  listen: 'a person stopped listening',
  take_over: 'a person left the caller to the agent',
  join: 'a person left the caller to the agent',
  whisper: 'a person stopped whispering',
};

const speaksToCaller = ({ mode }: ExpectedParticipant): boolean => mode === 'take_over' || mode === 'join';

type FrameConverter = ReturnType<typeof createFrameConverter>;

/** Of the caller's frames, and of the agent's with the voice of the person who speaks and without it. */
type LineConverters = Record<'caller' | 'heard' | 'agentOnly', FrameConverter>;

function createLineConverters({ callerFormat, agentFormat }: ParticipantsOptions): LineConverters {
  return {
    caller: createFrameConverter(callerFormat),
    heard: createFrameConverter(agentFormat),
    agentOnly: createFrameConverter(agentFormat),
  };
}

/** Converts frames of a format to PCM at 16 kHz; the samples belong to the receiver. */
function createFrameConverter(format: AudioFormat) {
  const converter = createConverter(format, PCM_16K);
  let deliver: (samples: Int16Array) => void = () => {};
  const framer = createFramer(PCM_16K, (frame) => {
    const samples = new Int16Array(FRAME_SAMPLES_16K);
    readSamples(frame, 'pcm16', samples);
    deliver(samples);
  });
  return (frame: Uint8Array, to: (samples: Int16Array) => void): void => {
    deliver = to;
    framer.push(converter.convert(frame));
  };
}
