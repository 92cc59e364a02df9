import type { CallEnd } from '../../shared/call.ts';
import type {
  ChatMessage,
  LanguageModel,
  LanguageModelError,
  ToolCall,
  ToolDefinition,
} from '../../shared/llm/language-model.ts';
import type { Usage } from '../../shared/usage.ts';
import type { SpokenText } from '../playout/spoken-text.ts';
import type { ProviderError } from '../provider/provider-error.ts';
import { type Generation, generate } from '../reply/generate.ts';
import type { LookUp } from '../reply/knowledge.ts';
import { segmentText } from '../reply/speech-segmenter.ts';
import type { TurnTimings } from '../report/turn-timings.ts';
import type { SynthesizerEvent } from '../tts/synthesizer.ts';
import { ReplySpeech, type ReplySpeechDependencies } from './reply-speech.ts';
import type { PreparedTransfer } from './transfer.ts';

/** Why the agent speaks. */
export type ReplyKind = 'welcome' | 'answer' | 'online_check' | 'reprompt' | 'goodbye';

export interface ReplyDependencies extends ReplySpeechDependencies {
  model: LanguageModel;
  usage: Usage;
  temperature: number;
  maxTokens: number;
  /** Language of the agent's voice, for speaking numbers, money and dates. */
  language: string;
}

export interface ReplyListener {
  onFirstToken(reply: AgentReply, modelMs: number): void;
  /** The first audio is about to be handed to playout: should it wait because the caller is speaking? */
  shouldWaitForCaller(reply: AgentReply): boolean;
  /** Runs the tools the model called. Resolves to one message per call, or null when the model is not to continue. */
  onToolCalls(reply: AgentReply, calls: ToolCall[]): Promise<ChatMessage[] | null> | null;
  /** There is nothing to say: the model gave neither speakable words nor a tool call to wait for. */
  onEmpty(reply: AgentReply): void;
  /** `fatal`: nothing of this reply will be heard. */
  onFailure(
    reply: AgentReply,
    component: 'llm' | 'voice',
    error: LanguageModelError | ProviderError,
    fatal: boolean,
  ): void;
}

/** What is kept of a preemptive reply until the caller's words are confirmed. */
interface Unconfirmed {
  firstTokenAfterMs: number | null;
  /** Events to report from before the model was asked. */
  reports: (() => void)[];
  /** What to do about the model's results. */
  results: (() => void)[];
}

/** The model may call tools this often before it has to reply. */
const MAX_TOOL_STEPS = 3;
const UNSPEAKABLE_REPLY_PROMPT =
  'The caller heard nothing of that: on a telephone code and symbols cannot be read out. Say it in plain words.';

/**
 * One reply of the agent, from the model's tokens or a given text to the last frame handed to playout. Its id names its
 * synthesis context and its speech in playout. It reports to its listener, which alone decides when it is cancelled.
 */
export class AgentReply {
  readonly id: string;
  readonly kind: ReplyKind;
  readonly timings: TurnTimings;
  /** The first frame went to the carrier. */
  audible = false;
  /** Playout holds it back while the caller speaks. */
  paused = false;
  /** Wall clock of the first frame. */
  startedAtMs = 0;
  /** Ends the call once everything was played out. */
  hangUpAfter: CallEnd | null = null;
  /** Transfers the caller once everything was played out. */
  transferAfter: PreparedTransfer | null = null;

  readonly #dependencies: ReplyDependencies;
  readonly #listener: ReplyListener;
  readonly #speech: ReplySpeech;
  #generation: Generation | null = null;
  #lookUp: LookUp | null = null;
  #over = false;
  #textComplete = false;
  #unconfirmed: Unconfirmed | null = null;
  /** Length of the text that the model has in its messages. */
  #modelTextLength = 0;

  constructor(
    id: string,
    timings: TurnTimings,
    kind: ReplyKind,
    dependencies: ReplyDependencies,
    listener: ReplyListener,
  ) {
    this.id = id;
    this.kind = kind;
    this.timings = timings;
    this.#dependencies = dependencies;
    this.#listener = listener;
    this.#speech = new ReplySpeech(id, timings, dependencies, {
      shouldWaitForCaller: () => {
        this.paused = listener.shouldWaitForCaller(this);
        return this.paused;
      },
      onFailure: (error, fatal) => listener.onFailure(this, 'voice', error, fatal),
      onTruncated: () => this.#generation?.cancel(),
    });
  }

  get spokenText(): SpokenText {
    return this.#speech.spokenText;
  }

  /** Synthesis failed in the middle: the audio ends before the text does. */
  get truncated(): boolean {
    return this.#speech.truncated;
  }

  get audioMs(): number {
    return this.#speech.audioMs;
  }

  /** Says this text and nothing else. */
  sayText(text: string): void {
    for (const segment of segmentText(text, this.#dependencies.language)) this.#speech.add(segment);
    this.#endText();
  }

  /** Says this before the model continues, while a tool runs; it is part of the reply. */
  sayAside(text: string): void {
    for (const segment of segmentText(`${text} `, this.#dependencies.language)) this.#speech.add(segment);
  }

  /** Cancels this look-up with the reply. */
  attachLookUp(lookUp: LookUp): void {
    this.#lookUp = lookUp;
  }

  /** Reports at once, or when a preemptive reply is confirmed. */
  reportWhenConfirmed(report: () => void): void {
    if (this.#unconfirmed) this.#unconfirmed.reports.push(report);
    else report();
  }

  /** Says what the model replies to these messages. */
  generate(messages: ChatMessage[], tools: ToolDefinition[], step = 1, retried = false): void {
    const { clock, model, usage, temperature, maxTokens, language } = this.#dependencies;
    const requestMs = clock.now();
    /** Segments of earlier steps, said while tools ran. */
    const earlier = this.#speech.length;
    usage.llm_calls++;
    this.#generation = generate({
      ...{ model, messages, tools, temperature, maxTokens, language, clock },
      onFirstToken: () => this.#onFirstToken(requestMs),
      onSegment: (segment) => this.#speech.add(segment),
    });
    this.#generation.done.then(
      (generated) => {
        if (generated === null || this.#over) return;
        usage.llm_input_tokens += generated.input_tokens;
        usage.llm_output_tokens += generated.output_tokens;
        const nothing = generated.toolCalls.length === 0 && !this.#speech.isSpeakable(earlier);
        this.#whenConfirmed(() => {
          // Models sometimes return nothing, or only code and symbols; a second request usually helps.
          if (nothing && !retried) this.generate(this.#askForWords(messages, earlier), tools, step, true);
          else this.#onGenerated(messages, tools, step, generated.toolCalls);
        });
      },
      (error: LanguageModelError) =>
        this.#whenConfirmed(() => {
          // Only a reply without a segment can be retried: nothing may be said twice.
          const retry =
            !retried && this.#speech.length === earlier && error.kind !== 'auth' && error.kind !== 'bad_request';
          this.#listener.onFailure(this, 'llm', error, !retry && this.#speech.length === 0);
          if (this.#over) return;
          if (retry) this.generate(messages, tools, step, true);
          else this.#endText();
        }),
    );
  }

  /** Makes the reply preemptive until `confirm`: no audio is played, no tool runs, nothing is reported. */
  startPreemptive(): void {
    this.#unconfirmed = { firstTokenAfterMs: null, reports: [], results: [] };
    this.#speech.buffer();
  }

  /** The caller's words are confirmed: what was generated so far counts as if it came now. */
  confirm(): void {
    const unconfirmed = this.#unconfirmed;
    if (!unconfirmed || this.#over) return;
    this.#unconfirmed = null;
    for (const report of unconfirmed.reports) report();
    if (unconfirmed.firstTokenAfterMs !== null) this.#listener.onFirstToken(this, unconfirmed.firstTokenAfterMs);
    for (const run of unconfirmed.results) if (!this.#over) run();
    this.#speech.release();
  }

  onSynthesizerEvent(event: SynthesizerEvent): void {
    this.#speech.onSynthesizerEvent(event);
  }

  /** Stops model and synthesizer. What playout already has is left to the owner. */
  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    this.#lookUp?.cancel();
    this.#generation?.cancel();
    this.#speech.cancel();
  }

  #onFirstToken(requestMs: number): void {
    if (this.timings.firstTokenMs !== null) return;
    const nowMs = this.#dependencies.clock.now();
    this.timings.firstTokenMs = nowMs;
    if (this.#unconfirmed) this.#unconfirmed.firstTokenAfterMs = nowMs - requestMs;
    else this.#listener.onFirstToken(this, nowMs - requestMs);
  }

  /** Takes back the unspeakable segments and tells the model that they were not heard. */
  #askForWords(messages: ChatMessage[], earlier: number): ChatMessage[] {
    const written = this.#speech.removeFrom(earlier);
    if (earlier === 0) this.#modelTextLength = 0;
    if (written.trim() === '') return messages;
    return [
      ...messages,
      { role: 'assistant', content: written },
      { role: 'system', content: UNSPEAKABLE_REPLY_PROMPT },
    ];
  }

  #whenConfirmed(run: () => void): void {
    if (this.#over) return;
    if (this.#unconfirmed) this.#unconfirmed.results.push(run);
    else run();
  }

  #onGenerated(messages: ChatMessage[], tools: ToolDefinition[], step: number, calls: ToolCall[]): void {
    const text = this.spokenText.fullText();
    const content = text.slice(this.#modelTextLength);
    this.#modelTextLength = text.length;
    const running = calls.length === 0 ? null : this.#listener.onToolCalls(this, calls);
    if (this.#over) return;
    if (!running) {
      this.#endText();
      return;
    }
    void running.then((results) => {
      if (this.#over) return;
      if (!results || step >= MAX_TOOL_STEPS) this.#endText();
      else this.generate([...messages, { role: 'assistant', content, tool_calls: calls }, ...results], tools, step + 1);
    });
  }

  #endText(): void {
    if (this.#textComplete) return;
    this.#textComplete = true;
    if (this.#speech.isSpeakable()) this.#speech.end();
    else this.#listener.onEmpty(this);
  }
}
