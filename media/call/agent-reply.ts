import type { CallEnd } from '../../shared/call.ts';
import type { Timer } from '../../shared/clock.ts';
import type {
  ChatMessage,
  LanguageModel,
  LanguageModelError,
  ToolCall,
  ToolDefinition,
} from '../../shared/llm/language-model.ts';
import { toolRoundMessages } from '../../shared/llm/prompt.ts';
import type { Pronunciation } from '../../shared/pronunciation.ts';
import type { Completion } from '../../shared/reply/complete.ts';
import type { LookUp } from '../../shared/reply/knowledge.ts';
import { afterAnswer, afterFailure, askForWords, mustAnswer } from '../../shared/reply/next-step.ts';
import type { Usage } from '../../shared/usage.ts';
import type { SpokenText } from '../playout/spoken-text.ts';
import type { ProviderError } from '../provider/provider-error.ts';
import { generate } from '../reply/generate.ts';
import { segmentText } from '../reply/speech-segmenter.ts';
import type { TurnTimings } from '../report/turn-timings.ts';
import type { SynthesizerEvent } from '../tts/synthesizer.ts';
import type { CallScope } from './call-scope.ts';
import { type TextRange, type ToolRound, withoutRanges } from './chat-context.ts';
import type { PreparedHandoff } from './handoff.ts';
import { ReplySpeech, type ReplySpeechDependencies } from './reply-speech.ts';
import type { PreparedTransfer } from './transfer.ts';

/** Why the agent speaks. */
export type ReplyKind = 'notice' | 'welcome' | 'answer' | 'online_check' | 'reprompt' | 'goodbye' | 'said' | 'tones';

export interface ReplyDependencies extends ReplySpeechDependencies {
  scope: CallScope;
  model: LanguageModel;
  usage: Usage;
  temperature: number;
  maxTokens: number;
  /** The language that the agent speaks now, for speaking numbers, money and dates. */
  readonly language: string;
  /** Words that are said otherwise than they are written; null without any. */
  pronunciation: Pronunciation | null;
  /** A phrase is said when model or tools take longer than this; 0: none is. */
  fillerAfterMs: number;
}

export interface ReplyListener {
  onFirstToken(reply: AgentReply, modelMs: number): void;
  /** The first audio is about to be handed to playout: should it wait because the caller is speaking? */
  shouldWaitForCaller(reply: AgentReply): boolean;
  /** Runs the tools the model called; null when there is nothing to wait for. */
  onToolCalls(reply: AgentReply, calls: ToolCall[]): RunningTools | null;
  /** The rounds of tools are used up: the model has to answer without another. */
  onToolLimit(): void;
  /**
   * The model gave no answer, or with `failed` none after the words it had said. Returns what the caller is told; null when they
   * have said more and get a reply to all of it.
   */
  onUnanswered(reply: AgentReply, failed: boolean): string | null;
  /** Model or tools take long: returns what is said meanwhile, or null while the caller speaks. */
  fillerFor(reply: AgentReply): string | null;
  /** The reply ends without anything to say. */
  onEmpty(reply: AgentReply): void;
  /** `fatal`: nothing of this reply will be heard. */
  onFailure(
    reply: AgentReply,
    component: 'llm' | 'voice',
    error: LanguageModelError | ProviderError,
    fatal: boolean,
  ): void;
}

/** A round of tools on its way. */
export interface RunningTools {
  round: ToolRound;
  /** Resolves when all have finished, to whether the model is to continue with their results. */
  done: Promise<boolean>;
}

/** What is kept of a preemptive reply until the caller's words are confirmed. */
interface Unconfirmed {
  firstTokenAfterMs: number | null;
  /** Events to report from before the model was asked. */
  reports: (() => void)[];
  /** What to do about the model's results. */
  results: (() => void)[];
}

interface ModelRequest {
  messages: ChatMessage[];
  tools: ToolDefinition[];
  /** How often the model was asked this before, and since when it is asked. */
  retries: number;
  sinceMs: number;
}

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
  /** The tools called so far. */
  readonly rounds: ToolRound[] = [];
  /** Ends the call once everything was played out. */
  hangUpAfter: CallEnd | null = null;
  /** Transfers the caller once everything was played out. */
  transferAfter: PreparedTransfer | null = null;
  /** Another agent goes on after it. */
  handoffAfter: PreparedHandoff | null = null;

  /** Somebody else goes on after it: a person, or another agent. */
  get givesCallAway(): boolean {
    return this.transferAfter !== null || this.handoffAfter !== null;
  }

  /** Where phrases lie in the text that were said only because model or tools took long; in order. */
  readonly fillers: TextRange[] = [];
  /** The first words are such a phrase. */
  get beginsWithFiller(): boolean {
    return this.fillers[0]?.from === 0;
  }

  readonly #dependencies: ReplyDependencies;
  readonly #listener: ReplyListener;
  readonly #speech: ReplySpeech;
  #generation: Completion | null = null;
  #lookUp: LookUp | null = null;
  #retryTimer: Timer | null = null;
  #fillerTimer: Timer | null = null;
  /** How many segments there were when the model was asked last, with a filler after that; and how many of all are fillers. */
  #earlier = 0;
  #fillerSegments = 0;
  /** How many segments there were after the last filler. */
  #lastFiller = 0;
  #over = false;
  #textComplete = false;
  #unconfirmed: Unconfirmed | null = null;

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

  /** The audio of all text so far exists. */
  get allSpoken(): boolean {
    return this.#speech.allSpoken;
  }

  get audioMs(): number {
    return this.#speech.audioMs;
  }

  /** Says this text and nothing else. */
  sayText(text: string): void {
    this.#addText(text);
    this.#endText();
  }

  /** Plays audio in the leg's format instead of speech. */
  playAudio(bytes: Uint8Array): void {
    this.#textComplete = true;
    this.#speech.playAudio(bytes);
  }

  /** Says this after what was said so far, and before the model continues; it is part of the reply. */
  sayAside(text: string): void {
    // The model may have learnt the words from the history.
    if (
      this.spokenText
        .fullText()
        .slice(this.rounds.at(-1)?.textEnd ?? 0)
        .includes(text)
    )
      return;
    this.#speech.separate();
    this.#addText(text);
  }

  /** From now on the caller waits for the model, or for tools: says a phrase when it takes long. */
  awaitAnswer(): void {
    const { fillerAfterMs, clock } = this.#dependencies;
    this.#fillerTimer?.cancel();
    if (fillerAfterMs === 0 || this.#over || this.#unconfirmed) return;
    this.#fillerTimer = clock.after(fillerAfterMs, () => this.#fill());
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
  generate(messages: ChatMessage[], tools: ToolDefinition[]): void {
    this.#ask({ messages, tools, retries: 0, sinceMs: this.#dependencies.clock.now() });
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
    this.awaitAnswer();
    if (unconfirmed.firstTokenAfterMs !== null) this.#listener.onFirstToken(this, unconfirmed.firstTokenAfterMs);
    for (const run of unconfirmed.results) if (!this.#over) run();
    this.#speech.release();
  }

  onSynthesizerEvent(event: SynthesizerEvent): void {
    this.#speech.onSynthesizerEvent(event);
  }

  /** So much of its audio was played out, and no more will be. */
  settle(playedOutMs: number): void {
    this.#speech.settle(playedOutMs);
  }

  /** Stops model and synthesizer. What playout already has is left to the owner. */
  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    this.#lookUp?.cancel();
    this.#fillerTimer?.cancel();
    this.#retryTimer?.cancel();
    this.#generation?.cancel();
    this.#speech.cancel();
  }

  #ask(request: ModelRequest): void {
    const { messages, tools, retries, sinceMs } = request;
    const state = { rounds: this.rounds.length, retries };
    const { clock, model, scope, usage, temperature, maxTokens, language, pronunciation } = this.#dependencies;
    const requestMs = clock.now();
    const last = mustAnswer(state);
    this.#speech.separate();
    // What was said while tools ran.
    this.#earlier = this.#speech.length;
    usage.llm_calls++;
    this.#generation = generate({
      ...{ model, messages, tools, mayCallTools: !last, temperature, maxTokens, language, pronunciation, clock },
      replyId: this.id,
      onFirstToken: () => this.#onFirstToken(requestMs),
      onSegment: (segment) => this.#speech.add(segment),
    });
    const finished = this.#generation.done.then(
      (generated) => {
        if (generated === null || this.#over) return;
        usage.llm_input_tokens += generated.input_tokens;
        usage.llm_output_tokens += generated.output_tokens;
        const isSpeakable = this.#speech.isSpeakable(this.#earlier);
        const next = afterAnswer(state, isSpeakable, generated.toolCalls);
        this.#whenConfirmed(() => {
          if (next.step === 'ask again') this.#askForWords(request);
          else if (next.step === 'unanswered') this.#endUnanswered(false);
          else this.#onGenerated(request, next.calls);
        });
      },
      (error: LanguageModelError) =>
        this.#whenConfirmed(() => {
          const words = {
            inReply: this.#speech.length > this.#fillerSegments,
            inAnswer: this.#speech.length > this.#earlier,
            isSpeakable: this.#speech.isSpeakable(this.#earlier),
          };
          const next = afterFailure(state, clock.now() - sinceMs, words, error.kind);
          if (retries === 0 || next.step !== 'ask again') this.#listener.onFailure(this, 'llm', error, next.fatal);
          if (this.#over) return;
          if (next.step === 'ask again') this.#askAgain(request, next.afterMs);
          else if (next.step === 'answered') this.#endText();
          else this.#endUnanswered(true);
        }),
    );
    scope.watch(finished);
  }

  #onFirstToken(requestMs: number): void {
    if (this.timings.firstTokenMs !== null) return;
    const nowMs = this.#dependencies.clock.now();
    this.timings.firstTokenMs = nowMs;
    if (this.#unconfirmed) this.#unconfirmed.firstTokenAfterMs = nowMs - requestMs;
    else this.#listener.onFirstToken(this, nowMs - requestMs);
  }

  /** Takes back the unspeakable segments and asks again, with what was not heard. */
  #askForWords(request: ModelRequest): void {
    const written = this.#speech.removeUnspeakable(this.#earlier);
    this.#ask({ ...request, messages: askForWords(request.messages, written), retries: request.retries + 1 });
  }

  #askAgain(request: ModelRequest, afterMs: number): void {
    const again = { ...request, retries: request.retries + 1 };
    if (afterMs === 0) this.#ask(again);
    else this.#retryTimer = this.#dependencies.clock.after(afterMs, () => this.#ask(again));
  }

  #whenConfirmed(run: () => void): void {
    if (this.#over) return;
    if (this.#unconfirmed) this.#unconfirmed.results.push(run);
    else run();
  }

  #onGenerated({ messages, tools }: ModelRequest, calls: ToolCall[]): void {
    const running = calls.length === 0 ? null : this.#listener.onToolCalls(this, calls);
    if (this.#over) return;
    if (!running) {
      this.#endText();
      return;
    }
    const { round, done } = running;
    const text = this.spokenText.fullText().trim();
    const content = withoutRanges(text, this.rounds.at(-1)?.textEnd ?? 0, text.length, this.fillers);
    round.textEnd = text.length;
    this.rounds.push(round);
    this.#earlier = this.#speech.length;
    this.awaitAnswer();
    const continued = done.then((goesOn) => {
      if (this.#over) return;
      if (!goesOn) {
        this.#endText();
        return;
      }
      if (mustAnswer({ rounds: this.rounds.length })) this.#listener.onToolLimit();
      const results = toolRoundMessages(content, round.line.tool_runs ?? []);
      this.generate([...messages, ...results], tools);
      this.awaitAnswer();
    });
    this.#dependencies.scope.watch(continued);
  }

  /** The caller is told that there is no answer, rather than left in silence. */
  #endUnanswered(failed: boolean): void {
    this.#speech.removeUnspeakable(this.#earlier);
    const text = this.#listener.onUnanswered(this, failed);
    if (text === null) return;
    this.sayAside(text);
    this.#endText();
  }

  /** As the reply is committed: without space before its first word. */
  #textLength(): number {
    return this.spokenText.fullText().trimStart().length;
  }

  #addText(text: string): void {
    const { language, pronunciation } = this.#dependencies;
    for (const segment of segmentText(text, language, pronunciation)) this.#speech.add(segment);
  }

  /** Says a phrase where nothing was said since the model was asked or tools began, and all before was played out. */
  #fill(): void {
    const hasAnswer = this.#speech.length > this.#earlier;
    const isLast = this.#lastFiller > 0 && this.#lastFiller === this.#speech.length;
    if (this.#over || this.#textComplete || hasAnswer || isLast) return;
    const cursors = this.#dependencies.playout.cursors(this.id);
    const isPlaying = this.#speech.length > 0 && (!cursors || cursors.playedOutMs < cursors.generatedMs);
    const text = isPlaying ? null : this.#listener.fillerFor(this);
    if (text === null) {
      this.awaitAnswer();
      return;
    }
    this.#speech.separate();
    const [from, segments] = [this.#textLength(), this.#speech.length];
    this.#addText(text);
    this.#speech.separate();
    this.#fillerSegments += this.#speech.length - segments;
    this.#earlier = this.#speech.length;
    this.#lastFiller = this.#speech.length;
    this.fillers.push({ from, to: this.#textLength() });
  }

  #endText(): void {
    if (this.#textComplete) return;
    this.#textComplete = true;
    this.#fillerTimer?.cancel();
    if (this.#speech.isSpeakable()) this.#speech.end();
    else this.#listener.onEmpty(this);
  }
}
