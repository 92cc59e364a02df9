import type { AgentConfig } from '../../shared/agent.ts';
import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { ProviderUsage } from '../../shared/usage.ts';
import { FRAME_SAMPLES, MULAW_8K, silenceByte } from '../audio/format.ts';
import { meanSquare } from '../audio/level.ts';
import { readSamples } from '../audio/samples.ts';
import { synthesizerChoices } from '../call/call-providers.ts';
import type { ProviderFactory } from '../call/provider-factory.ts';
import type { ConcurrencyPermits } from '../provider/concurrency-permits.ts';
import { createFallbackSynthesizer } from '../tts/fallback-synthesizer.ts';

/** The synthesized voice of a test's caller. */
export interface CallerVoice {
  /** Says the text after what is being said already. */
  say(text: string): void;
  /** The next 20 ms in µ-law, valid until the next call; null when there is nothing to be said, or not yet. */
  next(): Uint8Array | null;
  /** Not everything is said. */
  readonly saying: boolean;
  /** The last frame was loud enough to be heard. */
  readonly audible: boolean;
  usage(): ProviderUsage[];
  close(): Promise<void>;
}

export interface CallerVoiceOptions {
  /** Speaks with the voice of this agent, and its fallbacks. */
  agent: AgentConfig;
  providerFactory: Pick<ProviderFactory, 'synthesizer'>;
  permits: ConcurrencyPermits;
  clock: Clock;
  log: Logger;
  onFailed(reason: string): void;
}

/** −50 dBFS, mean square: the pauses between words are below it. */
const AUDIBLE_MEAN_SQUARE = 1e-5;

export async function openCallerVoice(options: CallerVoiceOptions): Promise<CallerVoice> {
  const { agent, providerFactory, permits, clock, log, onFailed } = options;
  const frame = new Uint8Array(FRAME_SAMPLES);
  const samples = new Int16Array(FRAME_SAMPLES);
  const characters = new Map<string, ProviderUsage>();
  let audio: Uint8Array[] = [];
  let waiting = 0;
  let contexts = 0;
  let unfinished = 0;
  let audible = false;

  const synthesizer = createFallbackSynthesizer({
    choices: synthesizerChoices({ agent, providerFactory, agentFormat: MULAW_8K }),
    outputFormat: MULAW_8K,
    permits,
    clock,
    log,
    watch: (work) => void work.catch((error) => onFailed(errorText(error))),
    listener(event) {
      if (event.type === 'audio') {
        audio.push(event.bytes.slice());
        waiting += event.bytes.length;
      } else if (event.type === 'done') unfinished--;
      else if (event.type === 'failed') onFailed(event.error.message);
    },
    onFallback() {},
    onCapacity() {},
  });
  await synthesizer.open();

  function count(text: string): void {
    const { provider, model } = synthesizer;
    const name = `${provider}/${model}`;
    const before = characters.get(name) ?? { component: 'voice', provider, model, tts_characters: 0 };
    characters.set(name, { ...before, tts_characters: before.tts_characters! + text.length });
  }

  function take(length: number): void {
    waiting -= length;
    for (let filled = 0; filled < length; ) {
      const head = audio[0]!;
      const part = head.subarray(0, length - filled);
      frame.set(part, filled);
      filled += part.length;
      if (part.length < head.length) audio[0] = head.subarray(part.length);
      else audio.shift();
    }
  }

  return {
    say(text) {
      const context = `caller ${++contexts}`;
      unfinished++;
      count(text);
      synthesizer.speak(context, text);
      synthesizer.end(context);
    },
    next() {
      audible = false;
      // A frame that is not full waits for the rest of it, unless there is none.
      if (waiting === 0 || (waiting < frame.length && unfinished > 0)) return null;
      frame.fill(silenceByte('mulaw'));
      take(Math.min(waiting, frame.length));
      readSamples(frame, 'mulaw', samples);
      audible = meanSquare(samples) >= AUDIBLE_MEAN_SQUARE;
      return frame;
    },
    get saying() {
      return unfinished > 0 || waiting > 0;
    },
    get audible() {
      return audible;
    },
    usage: () => [...characters.values()],
    close() {
      audio = [];
      waiting = 0;
      return synthesizer.close();
    },
  };
}
