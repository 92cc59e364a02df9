import type { CallEnd } from '../../shared/call.ts';
import type { Clock } from '../../shared/clock.ts';
import type {
  ChatMessage,
  LanguageModel,
  LanguageModelError,
  ToolCall,
  ToolDefinition,
} from '../../shared/llm/language-model.ts';
import type { Usage } from '../../shared/usage.ts';
import type { Converter } from '../audio/converter.ts';
import { FRAME_MS } from '../audio/format.ts';
import { frameBytes } from '../audio/silence.ts';
import type { Playout } from '../playout/playout.ts';
import { createSpokenText, type SpokenText, type TextSegment } from '../playout/spoken-text.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { type Generation, generate } from '../reply/generate.ts';
import type { LookUp } from '../reply/knowledge.ts';
import { segmentText } from '../reply/speech-segmenter.ts';
import type { TurnTimings } from '../report/turn-timings.ts';
import { countAlphanumerics } from '../tts/character-alignment.ts';
import type { Synthesizer, SynthesizerEvent } from '../tts/synthesizer.ts';
import type { PreparedTransfer } from './transfer.ts';

/**
 * One reply of the agent, from the model's words (or given ones) to the last frame handed to playout. Its id names its
 * voice context and its speech in playout; whatever comes for another id is not its business. It reports to the
 * conversation, which owns it and alone decides when it is cut.
 */

/** Why the agent speaks. */
export type ReplyKind = 'welcome' | 'answer' | 'online_check' | 'goodbye';

export interface ReplyDependencies {
  clock: Clock;
  model: LanguageModel;
  playout: Playout;
  /** The voice in use now; after a failure the conversation puts another one there. */
  synthesizer(): Synthesizer;
  /** Brings the voice's audio into the leg's format; one per reply, since it has state. */
  newConverter(): Converter;
  usage: Usage;
  temperature: number;
  maxTokens: number;
  /** The voice's language, for reading numbers, money and dates aloud. */
  language: string;
}

export interface ReplyListener {
  onFirstToken(reply: AgentReply, modelMs: number): void;
  /** The first sound is about to be handed to playout: should it wait, because the caller is speaking? */
  shouldWaitForCaller(reply: AgentReply): boolean;
  /** The model asked for tools; what they answer, one message per call, or null when there is nothing to tell the model. */
  onToolCalls(reply: AgentReply, calls: ToolCall[]): Promise<ChatMessage[] | null> | null;
  /** There is nothing to say: the model gave neither words nor a reason to hang up. */
  onEmpty(reply: AgentReply): void;
  /** Level `warning`: tried again. Level `error`: this reply will say no more than it has. */
  onFailure(
    reply: AgentReply,
    component: 'llm' | 'voice',
    error: LanguageModelError | ProviderError,
    fatal: boolean,
  ): void;
}

/** A reply may be begun as a draft, on words that are not confirmed: it thinks and speaks into memory, and nothing else. */
interface PreemptiveReply {
  audio: Uint8Array[];
  firstTokenAfterMs: number | null;
  synthesisDone: boolean;
  /** What was learnt before the model was asked, to be told when the draft is confirmed. */
  beforeModel: (() => void)[];
  /** What came of the model's words, and of the voice, to be done when the draft is confirmed. */
  afterModel: (() => void)[];
  afterSynthesis: (() => void)[];
}

/** How often the model may call tools before it has to answer. */
const MAX_TOOL_STEPS = 3;
const UNSPEAKABLE_REPLY_PROMPT =
  'The caller heard nothing of that: on a telephone code and symbols cannot be read out. Say it in plain words.';

export class AgentReply {
  readonly id: string;
  readonly kind: ReplyKind;
  spokenText: SpokenText = createSpokenText();
  readonly timings: TurnTimings;
  /** The first frame went to the carrier. */
  audible = false;
  /** Playout holds it back while the caller speaks. */
  paused = false;
  /** The voice failed in the middle: the sound ends before the text does. */
  truncated = false;
  /** So much sound was made of it. */
  audioMs = 0;
  /** Wall clock of the first frame. */
  startedAtMs = 0;
  /** When everything was heard the call ends like this. */
  hangUpAfter: CallEnd | null = null;
  /** When everything was heard the caller is handed over. */
  transferAfter: PreparedTransfer | null = null;

  readonly #parts: ReplyDependencies;
  readonly #listener: ReplyListener;
  #contextId: string;
  #attempt = 1;
  #converter: Converter;
  #generation: Generation | null = null;
  #pieces: TextSegment[] = [];
  #over = false;
  /** No more text will come. */
  #textComplete = false;
  #began = false;
  #draft: PreemptiveReply | null = null;
  #lookUp: LookUp | null = null;
  /** So much of the text the model knows that it said. */
  #toldLength = 0;

  constructor(id: string, timings: TurnTimings, kind: ReplyKind, parts: ReplyDependencies, listener: ReplyListener) {
    this.id = id;
    this.kind = kind;
    this.timings = timings;
    this.#parts = parts;
    this.#listener = listener;
    this.#contextId = id;
    this.#converter = parts.newConverter();
  }

  /** Says this text and nothing else. */
  sayText(text: string): void {
    for (const piece of segmentText(text, this.#parts.language)) this.#speak(piece);
    this.#endText();
  }

  /** Says this on the way, while a tool runs; it is part of the reply. */
  sayAside(text: string): void {
    for (const piece of segmentText(`${text} `, this.#parts.language)) this.#speak(piece);
  }

  /** What is looked up before the model is asked is called off with the reply. */
  attachLookUp(lookUp: LookUp): void {
    this.#lookUp = lookUp;
  }

  /** Tells it at once; of a draft, when it is confirmed. */
  reportWhenConfirmed(tell: () => void): void {
    if (this.#draft) this.#draft.beforeModel.push(tell);
    else tell();
  }

  /** Says what the model answers to these messages. */
  generate(messages: ChatMessage[], tools: ToolDefinition[], step = 1, retried = false): void {
    const { clock, model, usage } = this.#parts;
    const requestMs = clock.now();
    /** Pieces of what was said before, while tools were run. */
    const before = this.#pieces.length;
    usage.llm_calls++;
    this.#generation = generate({
      model,
      messages,
      tools,
      temperature: this.#parts.temperature,
      maxTokens: this.#parts.maxTokens,
      language: this.#parts.language,
      clock,
      onFirstToken: () => {
        if (this.timings.firstTokenMs !== null) return;
        this.timings.firstTokenMs = clock.now();
        if (this.#draft) this.#draft.firstTokenAfterMs = clock.now() - requestMs;
        else this.#listener.onFirstToken(this, clock.now() - requestMs);
      },
      onSegment: (piece) => this.#speak(piece),
    });
    this.#generation.done.then(
      (generated) => {
        if (generated === null || this.#over) return;
        usage.llm_input_tokens += generated.input_tokens;
        usage.llm_output_tokens += generated.output_tokens;
        const nothing = generated.toolCalls.length === 0 && !this.#hasWords(before);
        this.#whenConfirmed(() => {
          // Now and then a model says nothing at all, or code, dots and the like; asked again, it does.
          if (nothing && !retried) this.generate(this.#askForWords(messages, before), tools, step, true);
          else this.#modelDone(messages, tools, step, generated.toolCalls);
        });
      },
      (error: LanguageModelError) =>
        this.#whenConfirmed(() => {
          // What was said cannot be said again; a reply that has not begun can.
          const again =
            !retried && this.#pieces.length === before && error.kind !== 'auth' && error.kind !== 'bad_request';
          this.#listener.onFailure(this, 'llm', error, !again && this.#pieces.length === 0);
          if (this.#over) return;
          if (again) this.generate(messages, tools, step, true);
          else this.#endText();
        }),
    );
  }

  /** There is something to hear, behind so many pieces. */
  #hasWords(behind = 0): boolean {
    return this.#pieces.some((piece, at) => at >= behind && isSpeakable(piece));
  }

  /** Nothing that was written behind these pieces can be spoken: it is forgotten, and the model told so. */
  #askForWords(messages: ChatMessage[], before: number): ChatMessage[] {
    const written = this.#pieces
      .splice(before)
      .map((piece) => piece.original)
      .join('');
    if (before === 0) {
      this.spokenText = createSpokenText();
      this.#toldLength = 0;
    }
    if (written.trim() === '') return messages;
    return [
      ...messages,
      { role: 'assistant', content: written },
      { role: 'system', content: UNSPEAKABLE_REPLY_PROMPT },
    ];
  }

  /** What follows is on words that are not confirmed yet: no sound leaves, no tool runs, nothing is told. */
  startPreemptive(): void {
    const empty = { audio: [], beforeModel: [], afterModel: [], afterSynthesis: [] };
    this.#draft = { ...empty, firstTokenAfterMs: null, synthesisDone: false };
  }

  /** The words are confirmed: what was made so far counts, as from now. */
  confirm(): void {
    const startPreemptive = this.#draft;
    if (!startPreemptive || this.#over) return;
    this.#draft = null;
    for (const tell of startPreemptive.beforeModel) tell();
    if (startPreemptive.firstTokenAfterMs !== null)
      this.#listener.onFirstToken(this, startPreemptive.firstTokenAfterMs);
    for (const run of startPreemptive.afterModel) if (!this.#over) run();
    for (const bytes of startPreemptive.audio) if (!this.#over) this.#hear(bytes);
    for (const run of startPreemptive.afterSynthesis) if (!this.#over) run();
    if (startPreemptive.synthesisDone && !this.#over) this.#voiceDone();
  }

  /** Takes the voice's events; those of other contexts pass by. */
  onSynthesizerEvent(event: SynthesizerEvent): void {
    if (this.#over) return;
    if (event.type === 'failed') {
      if (event.contextId === null || event.contextId === this.#contextId) this.#voiceFailed(event.error);
      return;
    }
    if (event.contextId !== this.#contextId) return;
    switch (event.type) {
      case 'audio':
        this.#hear(this.#converter.convert(event.bytes));
        break;
      case 'timing':
        this.spokenText.addTimings(event.text, event.startMs);
        break;
      case 'done':
        this.#hear(this.#converter.flush());
        if (this.#draft) this.#draft.synthesisDone = true;
        else this.#voiceDone();
        break;
    }
  }

  #voiceDone(): void {
    if (this.#began) this.#parts.playout.complete(this.id);
    else this.#voiceFailed(new ProviderError(this.#parts.synthesizer().provider, 'unavailable', 'no audio for a text'));
  }

  #whenConfirmed(run: () => void): void {
    if (this.#over) return;
    if (this.#draft) this.#draft.afterModel.push(run);
    else run();
  }

  #modelDone(messages: ChatMessage[], tools: ToolDefinition[], step: number, calls: ToolCall[]): void {
    const whole = this.spokenText.fullText();
    const asked: ChatMessage = { role: 'assistant', content: whole.slice(this.#toldLength), tool_calls: calls };
    this.#toldLength = whole.length;
    const running = calls.length === 0 ? null : this.#listener.onToolCalls(this, calls);
    if (this.#over) return;
    if (!running) {
      this.#endText();
      return;
    }
    void running.then((results) => {
      if (this.#over) return;
      if (results && step < MAX_TOOL_STEPS) this.generate([...messages, asked, ...results], tools, step + 1);
      else this.#endText();
    });
  }

  /** Stops model and voice. What playout still has is the conversation's to drop. */
  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    this.#lookUp?.cancel();
    this.#generation?.cancel();
    if (this.#pieces.length > 0) this.#parts.synthesizer().cancel(this.#contextId);
  }

  #speak(piece: TextSegment): void {
    if (this.#over) return;
    this.timings.firstSegmentMs ??= this.#parts.clock.now();
    this.#pieces.push(piece);
    this.spokenText.add(piece);
    if (isSpeakable(piece)) this.#parts.synthesizer().speak(this.#contextId, piece.spoken);
  }

  #endText(): void {
    if (this.#textComplete) return;
    this.#textComplete = true;
    if (this.#hasWords()) this.#parts.synthesizer().end(this.#contextId);
    else this.#listener.onEmpty(this);
  }

  #hear(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const { playout, clock } = this.#parts;
    this.timings.firstAudioMs ??= clock.now();
    if (this.#draft) {
      // The converter's bytes are only lent.
      this.#draft.audio.push(bytes.slice());
      return;
    }
    if (!this.#began) {
      this.#began = true;
      this.paused = this.#listener.shouldWaitForCaller(this);
      playout.begin(this.id, this.paused);
    }
    this.audioMs += (bytes.length / frameBytes(this.#converter.to)) * FRAME_MS;
    playout.push(this.id, bytes);
  }

  #voiceFailed(error: ProviderError): void {
    if (this.#draft) {
      this.#draft.afterSynthesis.push(() => this.#voiceFailed(error));
      return;
    }
    const again = !this.#began && this.#attempt === 1;
    this.#listener.onFailure(this, 'voice', error, !again && !this.#began);
    if (this.#over) return;
    if (!again) {
      // What was made is spoken to its end; the rest is not said twice.
      this.truncated = true;
      if (this.#began) this.#parts.playout.complete(this.id);
      this.#generation?.cancel();
      return;
    }
    this.#attempt++;
    this.#contextId = `${this.id}.${this.#attempt}`;
    this.#converter = this.#parts.newConverter();
    const voice = this.#parts.synthesizer();
    for (const piece of this.#pieces) if (isSpeakable(piece)) voice.speak(this.#contextId, piece.spoken);
    if (this.#textComplete) voice.end(this.#contextId);
  }
}

/** A piece may be all markup, or dots: part of the transcript, nothing for the ear. No voice makes a sound of it. */
function isSpeakable(piece: TextSegment): boolean {
  return countAlphanumerics(piece.spoken) > 0;
}
