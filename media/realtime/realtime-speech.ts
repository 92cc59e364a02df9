import { type Converter, createConverter } from '../audio/converter.ts';
import { type AudioFormat, FRAME_MS, frameBytes } from '../audio/format.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { countAlphanumerics } from '../tts/character-alignment.ts';
import type { Synthesizer, SynthesizerEvent, SynthesizerListener } from '../tts/synthesizer.ts';

/**
 * The synthesizer of a call whose model speaks itself. A context's audio is that of the model's replies and of the texts that the
 * agent's own voice says between them (`voice`), one after the other as they were begun: a welcome is all voice, an answer all model,
 * an answer with a tool's message in the middle is both.
 */
export interface RealtimeSpeech extends Synthesizer {
  /** The model speaks next in this context, in audio of this format. */
  beginReply(contextId: string, replyId: string, input: AudioFormat): void;
  /** Words of the reply, as far as they are known. */
  text(replyId: string, text: string): void;
  /** Audio of the reply. */
  audio(replyId: string, bytes: Uint8Array): void;
  endReply(replyId: string): void;
  /** The reply was cancelled: what comes next in its context does not wait for it. */
  dropReply(replyId: string): void;
  /** The session is lost: what it was saying goes on in the agent's own voice. */
  lost(): void;
  onVoiceEvent(event: SynthesizerEvent): void;
}

export interface RealtimeSpeechOptions {
  provider: string;
  model: string;
  voice: Synthesizer;
  output: AudioFormat;
  listener: SynthesizerListener;
  /** The model speaks in this context. */
  onReply(contextId: string): void;
  /** So much of a reply was played out, and no more will be. */
  onPlayedOut(replyId: string, ms: number): void;
}

/** Of a context: a reply of the model, or a text of the other voice. */
interface Part {
  id: string;
  contextId: string;
  speaker: 'model' | 'voice';
  /** Emitted so far, in milliseconds. */
  audioMs: number;
  /** What came before it was this part's turn. */
  held: Uint8Array[];
  text: string;
  /** No more text comes. */
  ended: boolean;
  done: boolean;
  converter: Converter | null;
}

interface Context {
  parts: Part[];
  current: number;
  ended: boolean;
  over: boolean;
}

/** How a text is shared out over the audio of a reply that did not come to its end; as `playout/spoken-text.ts` does. */
const TYPICAL_MS_PER_CHARACTER = 65;
/** Contexts whose layout is kept: one is played, one before it may still be reported. */
const KEPT_CONTEXTS = 8;

export function createRealtimeSpeech(options: RealtimeSpeechOptions): RealtimeSpeech {
  const { provider, model, voice, output, listener } = options;
  const contexts = new Map<string, Context>();
  const parts = new Map<string, Part>();
  const bytesPerMs = frameBytes(output) / FRAME_MS;
  let voiceFailure: ProviderError | null = null;

  function contextOf(contextId: string): Context {
    let context = contexts.get(contextId);
    if (!context) {
      context = { parts: [], current: 0, ended: false, over: false };
      contexts.set(contextId, context);
      if (contexts.size > KEPT_CONTEXTS) forget(contexts.keys().next().value!);
    }
    return context;
  }

  function forget(contextId: string): void {
    for (const part of contexts.get(contextId)?.parts ?? []) parts.delete(part.id);
    contexts.delete(contextId);
  }

  function addPart(contextId: string, id: string, speaker: Part['speaker']): Part {
    const context = contextOf(contextId);
    endVoice(context);
    const none = { audioMs: 0, held: [], text: '', ended: false, done: false };
    const part: Part = { id, contextId, speaker, ...none, converter: null };
    context.parts.push(part);
    parts.set(id, part);
    return part;
  }

  /** Something else is said after the last text. */
  function endVoice(context: Context): void {
    const last = context.parts.at(-1);
    if (last?.speaker !== 'voice' || last.ended) return;
    last.ended = true;
    voice.end(last.id);
  }

  function emit(part: Part, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const context = contexts.get(part.contextId);
    if (!context || context.over) return;
    if (context.parts[context.current] !== part) {
      part.held.push(bytes.slice());
      return;
    }
    part.audioMs += bytes.length / bytesPerMs;
    listener({ type: 'audio', contextId: part.contextId, bytes });
  }

  function finish(part: Part): void {
    if (part.done) return;
    part.done = true;
    const context = contexts.get(part.contextId);
    if (context) advance(part.contextId, context);
  }

  function advance(contextId: string, context: Context): void {
    while (!context.over && context.parts[context.current]?.done) {
      context.current++;
      const part = context.parts[context.current];
      for (const bytes of part?.held.splice(0) ?? []) emit(part!, bytes);
    }
    if (context.over || !context.ended || context.current < context.parts.length) return;
    context.over = true;
    listener({ type: 'done', contextId });
  }

  function fail(contextId: string, error: ProviderError): void {
    const context = contexts.get(contextId);
    if (!context || context.over) return;
    context.over = true;
    listener({ type: 'failed', contextId, error });
  }

  function speakWith(contextId: string, text: string): void {
    const context = contextOf(contextId);
    const last = context.parts.at(-1);
    const isFirst = !context.parts.some(({ speaker }) => speaker === 'voice');
    const part =
      last?.speaker === 'voice' && !last.ended
        ? last
        : addPart(contextId, isFirst ? contextId : `${contextId}/${context.parts.length}`, 'voice');
    if (voiceFailure) queueMicrotask(() => fail(contextId, voiceFailure!));
    else voice.speak(part.id, text);
  }

  return {
    provider,
    model,
    output,
    async open() {
      // Without it the model can still answer.
      await voice.open().catch((error: ProviderError) => {
        voiceFailure = error;
      });
    },
    speak: speakWith,
    end(contextId) {
      const context = contextOf(contextId);
      if (context.ended || context.over) return;
      context.ended = true;
      endVoice(context);
      advance(contextId, context);
    },
    cancel(contextId) {
      const context = contexts.get(contextId);
      if (!context) return;
      context.over = true;
      for (const part of context.parts) {
        part.held = [];
        if (part.speaker === 'voice' && !part.done) voice.cancel(part.id);
      }
    },
    playedOut(contextId, ms) {
      const context = contexts.get(contextId);
      if (!context) return;
      let beforeMs = 0;
      for (const part of context.parts) {
        const playedMs = Math.min(part.audioMs, Math.max(0, ms - beforeMs));
        if (part.speaker === 'model') options.onPlayedOut(part.id, playedMs);
        beforeMs += part.audioMs;
      }
      forget(contextId);
    },
    close: () => voice.close(),

    beginReply(contextId, replyId, input) {
      addPart(contextId, replyId, 'model').converter = createConverter(input, output);
      options.onReply(contextId);
    },
    text(replyId, text) {
      const part = parts.get(replyId);
      if (part) part.text += text;
    },
    audio(replyId, bytes) {
      const part = parts.get(replyId);
      if (part && !part.done) emit(part, part.converter!.convert(bytes));
    },
    endReply(replyId) {
      const part = parts.get(replyId);
      if (!part || part.done) return;
      emit(part, part.converter!.flush());
      const silent = part.audioMs === 0 && part.held.length === 0;
      if (silent && countAlphanumerics(part.text) > 0) {
        fail(part.contextId, new ProviderError(provider, 'unavailable', 'words without audio'));
      } else finish(part);
    },
    dropReply(replyId) {
      const part = parts.get(replyId);
      if (part) finish(part);
    },
    lost() {
      for (const part of [...parts.values()]) {
        const context = contexts.get(part.contextId);
        if (part.speaker !== 'model' || part.done || !context || context.over) continue;
        const rest = unspoken(part.text, part.audioMs);
        if (countAlphanumerics(rest) > 0) speakWith(part.contextId, rest);
        finish(part);
      }
    },
    onVoiceEvent(event) {
      if (event.type === 'failed' && event.contextId === null) {
        voiceFailure = event.error;
        for (const [contextId, { parts: all }] of [...contexts]) {
          if (all.some(({ speaker, done }) => speaker === 'voice' && !done)) fail(contextId, event.error);
        }
        return;
      }
      const part = parts.get(event.contextId!);
      if (!part) return;
      if (event.type === 'audio') emit(part, event.bytes);
      else if (event.type === 'done') finish(part);
      else if (event.type === 'failed') fail(part.contextId, event.error);
      // Positions count from the start of the context.
      else if (contexts.get(part.contextId)?.parts.length === 1) listener({ ...event, contextId: part.contextId });
    },
  };
}

/** The rest of a text after so much of its audio, from the beginning of a word. */
function unspoken(text: string, audioMs: number): string {
  const at = Math.min(text.length, Math.floor(audioMs / TYPICAL_MS_PER_CHARACTER));
  if (at === 0) return text;
  const space = text.slice(0, at + 1).search(/\s\S*$/u);
  return space < 0 ? text : text.slice(space + 1);
}
