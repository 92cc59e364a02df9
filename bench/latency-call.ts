import type { Phone } from '../fixtures/simulators/carrier-phone.ts';
import type { FluxConnection, FluxScript, ScriptedTurn, SpeechInterval } from '../fixtures/simulators/deepgram.ts';
import type { ElevenLabsSimulator } from '../fixtures/simulators/elevenlabs.ts';
import type { OpenAiSimulator } from '../fixtures/simulators/openai.ts';
import type { Speech } from '../fixtures/speech.ts';
import type { TurnDelays } from './provider-delays.ts';

/** One call of `latency.ts`: its script, and the times of every turn from the simulators' records. */

/** Milliseconds. The four stages and the lag of the simulators' timers add up to `addedMs`. */
export interface MeasuredTurn {
  /** The caller's last sample sent → the agent's first frame received. */
  waitedMs: number;
  scriptedMs: number;
  addedMs: number;
  /** The caller's last sample sent → that sample at the transcriber. */
  hearing: number;
  /** End of turn, or eager end, sent by the transcriber → request at the model. */
  deciding: number;
  /** First token of the model → first text at the synthesizer. */
  phrasing: number;
  /** First audio of the synthesizer, or end of the turn when that came later → first frame received. */
  speaking: number;
  /** Generation started before the end of the turn. */
  preemptive: boolean;
}

/** Milliseconds since the frame with the first sample of the caller's speech, unless stated otherwise. */
export interface MeasuredInterruption {
  /** To the first ducked frame; null when the agent was paused before. */
  ducked: number | null;
  clear: number;
  /** To the first sample at the transcriber. */
  noticing: number;
  /** From the transcriber's start of turn to the clear. */
  clearing: number;
  /** Agent audio played after the first sample of the speech, and after the transcriber's message. */
  playedAfterSpeech: number;
  playedAfterMessage: number;
  /** Audio sent between the clear and the next reply. */
  sentAfterClear: number;
}

export interface Providers {
  llm: OpenAiSimulator;
  tts: ElevenLabsSimulator;
}

export type TurnScript = TurnDelays & { scriptedMs: number };

export interface MeasuredCall {
  /** The script for this call's first transcriber connection. */
  scriptFor(connection: FluxConnection): FluxScript;
  /** Plays the speech and waits for the start of the reply. */
  turn(phone: Phone, speech: Speech, script: TurnScript): Promise<void>;
  /** Records the last reply, played to its end, as the reference for ducking. */
  replyPlayedOut(phone: Phone): void;
  /** Plays the speech over the reply, and waits for the start of the next reply. */
  interruption(phone: Phone, speech: Speech, script: TurnScript): Promise<void>;
  readonly turns: readonly MeasuredTurn[];
  readonly interruptions: readonly MeasuredInterruption[];
}

const START_OF_TURN_MS = 120;
const WITHIN_MS = 20_000;
/** A frame counts as ducked only where its reference is at least this loud. */
const LOUD_PEAK = 1_000;
const DUCKED_PEAK_SHARE = 0.8;
const SAMPLES_PER_MS = 8;

export function measuredCall({ llm, tts }: Providers): MeasuredCall {
  const truth: SpeechInterval[] = [];
  const scriptedTurns: ScriptedTurn[] = [];
  const turns: MeasuredTurn[] = [];
  const interruptions: MeasuredInterruption[] = [];
  let stt: FluxConnection | null = null;
  /** Index of the last reply's first frame. */
  let replyFrom = 0;
  let undisturbed: number[] = [];

  function speak(phone: Phone, speech: Speech, delays: TurnDelays): { firstSample: number; lastSample: number } {
    const { endOfTurnMs, eagerMs } = delays;
    scriptedTurns.push({
      text: speech.text,
      startAfterMs: START_OF_TURN_MS,
      endAfterMs: endOfTurnMs,
      eagerAfterMs: eagerMs,
    });
    const { startSample } = phone.say(speech.samples);
    const start = startSample + speech.speech[0]!.start;
    const end = startSample + speech.speech.at(-1)!.end;
    truth.push({ start, end });
    return { firstSample: start, lastSample: end - 1 };
  }

  /** Waits for the reply to the speech that ends with this sample, and records its times. */
  async function answered(phone: Phone, lastSample: number, script: TurnScript): Promise<void> {
    const spokenMs = await phone.waitFor(
      'the caller to finish',
      WITHIN_MS,
      () => phone.sentTimeOfSample(lastSample) || null,
    );
    const first = () => phone.agentFrames.findIndex((frame) => frame.atMs > spokenMs);
    await phone.waitFor('the answer', WITHIN_MS, () => first() >= 0);
    replyFrom = first();
    const frameMs = phone.agentFrames[replyFrom]!.atMs;
    const sinceSpoken = (atMs: number | null) => atMs !== null && atMs > spokenMs && atMs <= frameMs;
    const events = stt!.events.filter((event) => sinceSpoken(event.at));
    const end = events.findLast((event) => event.event === 'EndOfTurn')!;
    const eager = events.findLast((event) => event.event === 'EagerEndOfTurn');
    const asked = llm.requests.filter(
      ({ path, firstTokenMs }) => path.endsWith('/completions') && sinceSpoken(firstTokenMs),
    );
    const contexts = tts.connections
      .flatMap(({ contexts: own }) => own)
      .filter(({ firstAudioAt }) => sinceSpoken(firstAudioAt));
    const request = asked.at(-1)!;
    const context = contexts.at(-1)!;
    const waitedMs = frameMs - spokenMs;
    const preemptive = request.arrivedMs < end.at;
    const begun = preemptive && eager ? eager : end;
    const scriptedHearingMs = begun === end ? script.endOfTurnMs : script.eagerMs!;
    turns.push({
      waitedMs,
      scriptedMs: script.scriptedMs,
      addedMs: waitedMs - script.scriptedMs,
      hearing: begun.at - spokenMs - scriptedHearingMs,
      deciding: request.arrivedMs - begun.at,
      phrasing: context.firstTextAt! - request.firstTokenMs!,
      speaking: frameMs - Math.max(context.firstAudioAt!, end.at),
      preemptive,
    });
  }

  return {
    turns,
    interruptions,
    scriptFor(connection) {
      stt ??= connection;
      return { truth, turns: (index) => scriptedTurns[index] ?? { text: 'hello' } };
    },
    async turn(phone, speech, script) {
      const { lastSample } = speak(phone, speech, script);
      await answered(phone, lastSample, script);
    },
    replyPlayedOut(phone) {
      undisturbed = phone.agentFrames.slice(replyFrom).map((frame) => frame.peak);
    },
    async interruption(phone, speech, script) {
      const interruptedFrom = replyFrom;
      const sinceMs = performance.now();
      const { firstSample, lastSample } = speak(phone, speech, script);
      const clearMs = await phone.waitForClear(10_000, sinceMs);
      const spokenMs = phone.sentTimeOfSample(firstSample);
      const start = stt!.events.findLast((event) => event.event === 'StartOfTurn')!;
      await answered(phone, lastSample, script);
      const nextMs = phone.agentFrames[replyFrom]!.atMs;
      const ducked = phone.agentFrames.find(({ atMs, peak }, index) => {
        const like = undisturbed[index - interruptedFrom] ?? 0;
        return (
          index >= interruptedFrom &&
          atMs >= spokenMs &&
          atMs < clearMs &&
          like >= LOUD_PEAK &&
          peak < like * DUCKED_PEAK_SHARE
        );
      });
      const playedMs = (fromMs: number) =>
        phone.playback.chunks
          .map(({ atMs, samples }) => ({
            fromMs: Math.max(atMs, fromMs),
            toMs: atMs + samples.length / SAMPLES_PER_MS,
            atMs,
          }))
          .filter((chunk) => chunk.toMs > chunk.fromMs && chunk.atMs < nextMs)
          .reduce((sum, chunk) => sum + chunk.toMs - chunk.fromMs, 0);
      const strays = phone.agentFrames.filter(({ atMs }) => atMs > clearMs && atMs < nextMs);
      interruptions.push({
        ducked: ducked ? ducked.atMs - spokenMs : null,
        clear: clearMs - spokenMs,
        noticing: start.at - spokenMs - START_OF_TURN_MS,
        clearing: clearMs - start.at,
        playedAfterSpeech: playedMs(spokenMs),
        playedAfterMessage: playedMs(start.at),
        sentAfterClear: strays.reduce((sum, { bytes }) => sum + bytes / SAMPLES_PER_MS, 0),
      });
    },
  };
}
