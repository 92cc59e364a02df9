import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Phone } from '../../fixtures/simulators/carrier-phone.ts';
import {
  type DeepgramSimulator,
  type ScriptedTurn,
  startDeepgramSimulator,
} from '../../fixtures/simulators/deepgram.ts';
import { type OpenAiSimulator, startOpenAiSimulator } from '../../fixtures/simulators/openai.ts';
import { loadSpeech, type Speech } from '../../fixtures/speech.ts';
import { type MediaCall, type MediaProgram, startMediaProgram } from './media-program.ts';
import { providerSettings } from './simulated-providers.ts';
import { eventually } from './until.ts';

/**
 * A caller who speaks over the agent's long sentence, with the media program, a carrier's WebSocket, and recordings at 8 kHz
 * µ-law in real time. The result is measured on the socket.
 */

/**
 * The transcriber. `prompt`: simulated Flux with the first word 120 ms into the speech. `late`: Flux that reports a word 100 ms
 * after its end. `local`: pocketsphinx, which has no interim results.
 */
export type ScriptedTranscriber = 'prompt' | 'late' | 'local';

/** 9 seconds without a pause, so that ducked frames can be distinguished from quiet ones. */
export const LONG_SENTENCE =
  'Let me read all of that back to you now so that we are both quite sure a table for two people tomorrow evening at seven under your name near the big window with a high chair for your little girl';
const ANSWER = 'Yes of course.';
const FLUX_WORD_MS = 100;
const DUCKED_PEAK_SHARE = 0.8;
const LOUD_PEAK = 1_000;
const SAMPLES_PER_MS = 8;
/** Timeout of every wait. */
const TIMEOUT_MS = 60_000;

export interface TalkOverResult {
  fixture: string;
  kind: Speech['kind'];
  transcriber: ScriptedTranscriber;
  /** Milliseconds since the frame with the first sample of the speech was sent; null for events that did not happen. */
  duckedMs: number | null;
  /** When the first ducked audio is played, after the audio that is buffered at the carrier. */
  duckedPlayedOutMs: number | null;
  silencedMs: number | null;
  /** From the silence to the agent's next audio. */
  resumedAfterMs: number | null;
  replyEnded: boolean;
  /** The caller's turns. */
  turns: string[];
}

export interface TalkOver {
  /**
   * Plays a recording `afterMs` into the agent's sentence and measures the result `settleMs` after its end, and after the agent's
   * next audio when it was silenced. With `awaited`, also after events of these types, where they come. Ducking is measured only
   * after `listen`.
   */
  over(
    fixture: string,
    stt: ScriptedTranscriber,
    afterMs: number,
    settleMs: number,
    awaited?: readonly string[],
  ): Promise<TalkOverResult>;
  /** Records the sentence once undisturbed, as the reference for ducking. */
  listen(): Promise<void>;
  /** Plays a recording to a silent agent; returns the caller's turns. `endpointingMs` is for `local`. */
  say(fixture: string, stt: ScriptedTranscriber, endpointingMs?: number): Promise<string[]>;
  program: MediaProgram;
  close(): Promise<void>;
}

export async function startTalkOver(): Promise<TalkOver> {
  const scripts = new Map<string, ScriptedTurn>();
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const each of closing.splice(0).toReversed()) await each();
  };
  let stt: DeepgramSimulator;
  let llm: OpenAiSimulator;
  let program: MediaProgram;
  try {
    stt = await startDeepgramSimulator({
      // The key term selects the script of the call.
      script: ({ query }) => ({
        turns: (index) => (index === 0 ? scripts.get(query.get('keyterm') ?? '') : undefined),
      }),
    });
    closing.push(() => stt.close());
    llm = await startOpenAiSimulator({ firstTokenMs: 50, answer: () => ({ text: ANSWER }) });
    closing.push(() => llm.close());
    program = await startMediaProgram({
      ...providerSettings({ stt, llm }),
      LANGUAGE_MODELS_DIR: fileURLToPath(new URL('../../fixtures/language-models', import.meta.url)),
    });
    closing.push(() => program.stop());
  } catch (error) {
    await close();
    throw error;
  }
  let calls = 0;
  /** Peaks of the undisturbed frames; the local synthesizer is deterministic. */
  let undisturbed: number[] = [];

  function begin(
    speech: Speech | null,
    who: ScriptedTranscriber,
    welcome: string,
    more: object = {},
  ): Promise<MediaCall> {
    const term = `script ${calls++}`;
    if (speech) scripts.set(term, scriptOf(speech, who));
    const transcriber =
      who === 'local'
        ? { provider: 'local', model: 'booking', language: 'en', ...more }
        : { provider: 'deepgram_flux', model: 'flux-general-en', turn_detection: 'balanced', keyterms: [term] };
    return program.call({
      welcome_message: welcome,
      transcriber,
      voice: { provider: 'local', language: 'en' },
      call: { record: false },
    });
  }

  async function listen(): Promise<void> {
    const { phone, ended: over } = await begin(null, 'prompt', LONG_SENTENCE);
    await phone.waitForAgentSpeech(TIMEOUT_MS, 0);
    await phone.waitForAgentSilence(500, TIMEOUT_MS);
    phone.hangUp();
    await over();
    undisturbed = phone.agentFrames.map((frame) => frame.peak);
  }

  return {
    program,
    close,
    listen,
    async over(fixture, who, afterMs, settleMs, awaited = []) {
      const speech = loadSpeech(fixture);
      const { phone, events: eventsSoFar, ended: over } = await begin(speech, who, LONG_SENTENCE);
      const first = await phone.waitForAgentSpeech(TIMEOUT_MS, 0);
      await sleep(afterMs - (performance.now() - first.atMs));
      const spoken = phone.say(speech.samples);
      await spoken.done;
      const startMs = phone.sentTimeOfSample(spoken.startSample + speech.speech[0]!.start);
      await sleep(settleMs);
      const orNever = (what: string, ready: () => boolean) =>
        eventually(what, TIMEOUT_MS, async () => ready() || null).catch(() => null);
      await orNever('the events', () => awaited.every((type) => eventsSoFar.some((event) => event.type === type)));
      const cleared = phone.events.find((event) => event.type === 'clear' && event.atMs >= startMs)?.atMs ?? null;
      const resumed = () => phone.agentFrames.find((frame) => cleared !== null && frame.atMs > cleared);
      if (cleared !== null) await orNever('the next audio', () => resumed() !== undefined);
      const ducked = phone.agentFrames.findIndex(
        ({ atMs, peak }, index) =>
          atMs >= startMs &&
          (cleared === null || atMs < cleared) &&
          (undisturbed[index] ?? 0) >= LOUD_PEAK &&
          peak < undisturbed[index]! * DUCKED_PEAK_SHARE,
      );
      const back = resumed();
      // Frames before a clear are played in order.
      const duckedAtMs = phone.playback.chunks[ducked]?.atMs;
      phone.hangUp();
      const events = await over();
      const replyEnded = events.some((event) => event.type === 'interrupted');
      const since = (atMs: number | null | undefined) => (atMs === null || atMs === undefined ? null : atMs - startMs);
      return {
        fixture,
        kind: speech.kind,
        transcriber: who,
        duckedMs: since(phone.agentFrames[ducked]?.atMs),
        duckedPlayedOutMs: since(
          duckedAtMs !== undefined && duckedAtMs < (cleared ?? Number.POSITIVE_INFINITY) ? duckedAtMs : null,
        ),
        // After a stall of the engine there may be nothing to clear at the carrier.
        silencedMs: since(cleared ?? (replyEnded ? underrunAfter(phone, startMs) : null)),
        resumedAfterMs: back && cleared !== null ? back.atMs - cleared : null,
        replyEnded,
        turns: events.filter((event) => event.type === 'user.turn').map((event) => event.message),
      };
    },
    async say(fixture, who, endpointingMs) {
      const speech = loadSpeech(fixture);
      const more = endpointingMs === undefined ? {} : { endpointing_ms: endpointingMs };
      const { phone, ended: over } = await begin(speech, who, 'Hello.', more);
      await phone.waitForAgentSpeech(TIMEOUT_MS, 0);
      await phone.waitForAgentSilence(600, TIMEOUT_MS);
      await phone.say(speech.samples).done;
      const saidMs = performance.now();
      await phone.waitForAgentSpeech(TIMEOUT_MS, saidMs - 400);
      await phone.waitForAgentSilence(1_500, TIMEOUT_MS);
      phone.hangUp();
      const events = await over();
      return events.filter((event) => event.type === 'user.turn').map((event) => event.message);
    },
  };
}

/** Returns the first time after this moment at which playback paused for a quarter of a second. */
function underrunAfter({ playback }: Phone, afterMs: number): number | null {
  for (const [index, { atMs, samples }] of playback.chunks.entries()) {
    const endMs = atMs + samples.length / SAMPLES_PER_MS;
    const nextMs = playback.chunks[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
    if (endMs > afterMs && nextMs - endMs > 250) return endMs;
  }
  return null;
}

function scriptOf({ text, speech, words, sample_rate }: Speech, who: ScriptedTranscriber): ScriptedTurn {
  const toMs = 1_000 / sample_rate;
  const start = speech[0]?.start ?? 0;
  const longestPauseMs = Math.max(0, ...speech.slice(1).map((next, index) => (next.start - speech[index]!.end) * toMs));
  const firstWordMs = words[0] ? (words[0].end - start) * toMs + FLUX_WORD_MS : 120;
  return {
    text,
    startAfterMs: who === 'late' ? firstWordMs : 120,
    // Flux sends an eager end of turn at the pause, and then resumes the turn.
    endAfterMs: longestPauseMs > 0 ? longestPauseMs + 200 : 500,
    eagerAfterMs: longestPauseMs > 0 ? longestPauseMs / 2 : 250,
  };
}
