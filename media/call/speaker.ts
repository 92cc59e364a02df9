import type { CallEnd } from '../../shared/call.ts';
import { historyStart, otherTokens } from '../../shared/llm/history-window.ts';
import { withPassages } from '../../shared/llm/knowledge-prompt.ts';
import type { ChatMessage, LanguageModelError, ToolDefinition } from '../../shared/llm/language-model.ts';
import { type HistoryLine, turnMessages } from '../../shared/llm/prompt.ts';
import type { Findings, Knowledge } from '../../shared/reply/knowledge.ts';
import { repromptText } from '../../shared/reply/reprompt-text.ts';
import { MAX_TOOL_ROUNDS, toolDefinitions } from '../../shared/reply/tools.ts';
import { sameWords } from '../../shared/words.ts';
import type { ProviderError } from '../provider/provider-error.ts';
import { latencyParts, startTimings } from '../report/turn-timings.ts';
import type { SynthesizerEvent } from '../tts/synthesizer.ts';
import { AgentReply, type ReplyDependencies, type ReplyKind } from './agent-reply.ts';
import type { ChatContext } from './chat-context.ts';
import { createReplyTools, type ReplyTools, type ReplyToolsListener, type ReplyToolsOptions } from './reply-tools.ts';
import type { TransferController } from './transfer.ts';

export interface SpeakerOptions extends ReplyDependencies, ReplyToolsOptions {
  knowledge: Knowledge;
  /** English name of the language that the caller has changed to; empty or left out where they have not. */
  readonly answerIn?: string;
  /** The next phrase that is said while model or tools take long, in this language. */
  nextFiller(language: string): string;
}

export interface SpeakerListener extends ReplyToolsListener {
  /** The first audio of a reply is there: should it wait because the caller is speaking? */
  shouldWaitForCaller(reply: AgentReply): boolean;
  /** A reply ended without anything to say. */
  onEmptyReply(reply: AgentReply): void;
  /** A reply failed, and nothing of it will be heard. */
  onFailed(component: 'llm' | 'voice'): void;
}

/**
 * The agent's side of the conversation: makes replies, one at a time, generates them preemptively, pauses and resumes them, and
 * commits of each what was played out. Whose turn it is is decided by the conversation.
 */
export class Speaker {
  /** The current reply; at most one is. */
  reply: AgentReply | null = null;
  /** Nothing is said, and no reply is made. */
  #muted = false;

  readonly #options: SpeakerOptions;
  readonly #context: ChatContext;
  readonly #listener: SpeakerListener;
  readonly #tools: ReplyTools;
  /** Without those that are known only once their server has listed them. */
  #ownTools: ToolDefinition[];
  /** Generated on an eager end of turn; becomes the reply when the turn ends with the same words. */
  #preemptive: { reply: AgentReply; text: string } | null = null;
  /** The first line of the history that the model gets. */
  #historyStart = 0;
  #replies = 0;
  #firstAudioSum = 0;
  #firstAudioCount = 0;

  constructor(options: SpeakerOptions, context: ChatContext, listener: SpeakerListener) {
    this.#options = options;
    this.#context = context;
    this.#listener = listener;
    this.#tools = createReplyTools(options, context, listener);
    this.#ownTools = toolDefinitions(options.agent);
  }

  get transfers(): TransferController {
    return this.#tools.transfers;
  }

  get muted(): boolean {
    return this.#muted;
  }

  /** Running tools; a transfer counts until its outcome is known. */
  get toolsRunning(): number {
    return this.#tools.running;
  }

  /** The call is being handed to another agent. */
  get handingOff(): boolean {
    return this.#tools.handoffs.active || this.reply?.handoffAfter != null;
  }

  /** The options are those of another agent now, whose model gets the last `historyTurns` turns of the caller, or null: all. */
  onAgentChanged(historyTurns: number | null): void {
    this.dropPreemptiveReply();
    this.#ownTools = toolDefinitions(this.#options.agent);
    if (historyTurns === null) return;
    const { history } = this.#context;
    // The last line says that this agent goes on.
    let start = history.length - 1;
    for (let turns = historyTurns; turns > 0 && start > this.#historyStart; ) {
      start--;
      if (history[start]!.role === 'user') turns--;
    }
    this.#historyStart = start;
  }

  /** Says a fixed text, and ends the call after it when `hangUpAfter` is given. */
  say(kind: Exclude<ReplyKind, 'answer'>, text: string, hangUpAfter: CallEnd | null = null): void {
    if (this.#muted) return;
    const nowMs = this.#options.clock.now();
    const reply = this.#createReply(nowMs, nowMs, kind);
    reply.hangUpAfter = hangUpAfter;
    this.reply = reply;
    reply.sayText(text);
  }

  /** Plays the tones of keys, in the leg's format; also while muted. */
  playTones(bytes: Uint8Array): void {
    const nowMs = this.#options.clock.now();
    this.reply = this.#createReply(nowMs, nowMs, 'tones');
    this.reply.playAudio(bytes);
  }

  /** Replies to the caller's last turn; a preemptive reply to the same words becomes the reply. */
  respond(text: string, speechEndMs: number, turnEndMs: number): void {
    if (this.#muted) return;
    const preemptive = this.#preemptive;
    if (preemptive && sameWords(preemptive.text, text)) {
      this.#preemptive = null;
      this.reply = preemptive.reply;
      Object.assign(preemptive.reply.timings, { speechEndMs, turnEndMs });
      preemptive.reply.confirm();
      return;
    }
    this.dropPreemptiveReply();
    this.reply = this.#createReply(speechEndMs, turnEndMs, 'answer');
    this.#generate(this.reply, this.#context.history);
    this.reply?.awaitAnswer();
  }

  /** Generates a reply to words that are not confirmed. */
  generatePreemptively(text: string): void {
    this.dropPreemptiveReply();
    if (this.#muted) return;
    const nowMs = this.#options.clock.now();
    const reply = this.#createReply(nowMs, nowMs, 'answer');
    this.#preemptive = { reply, text };
    reply.startPreemptive();
    this.#generate(reply, [...this.#context.history, { role: 'user', text, interrupted: false }]);
  }

  hasPreemptiveReply(text: string): boolean {
    return this.#preemptive !== null && sameWords(this.#preemptive.text, text);
  }

  dropPreemptiveReply(): void {
    this.#preemptive?.reply.cancel();
    this.#preemptive = null;
  }

  onSynthesizerEvent(event: SynthesizerEvent): void {
    this.reply?.onSynthesizerEvent(event);
    this.#preemptive?.reply.onSynthesizerEvent(event);
  }

  setDucked(ducked: boolean): void {
    if (this.reply && !this.reply.paused) this.#options.playout.setDucked(ducked);
  }

  /** Falls silent at once and keeps what was not played out. */
  pause(): void {
    if (!this.reply || this.reply.paused) return;
    this.reply.paused = true;
    this.#options.playout.pause();
  }

  /** Continues at full volume from the last word that was played out. */
  resume(): void {
    if (!this.reply?.paused) return;
    this.reply.paused = false;
    this.#options.playout.setDucked(false);
    this.#options.playout.resume();
  }

  /** Returns how much of the reply is still to be played out; null until all of its audio exists. */
  remainingMs(): number | null {
    const cursors = this.reply && this.#options.playout.cursors(this.reply.id);
    return cursors?.complete ? cursors.generatedMs - cursors.playedOutMs : null;
  }

  /** Returns what was played out of the current reply; '' when there is none. */
  playedOutText(): string {
    return this.reply?.audible ? this.#playedOut(this.reply) : '';
  }

  /** Playout sent the first frame. */
  onPlayoutStarted(replyId: string, atMs: number): void {
    const reply = this.reply;
    if (reply?.id !== replyId) return;
    reply.audible = true;
    reply.startedAtMs = this.#options.clock.wall();
    reply.timings.firstSentMs = atMs;
    const latency = atMs - reply.timings.speechEndMs;
    if (reply.kind === 'answer' && !reply.beginsWithFiller) {
      this.#firstAudioSum += latency;
      this.#firstAudioCount++;
    }
    // Its latency is neither the welcome's nor a reply's.
    if (reply.kind === 'notice' || reply.kind === 'tones') return;
    this.#context.report('tts.first_audio', 'first audio', {
      reply_id: reply.id,
      latency_ms: latency,
      data: {
        ...(reply.kind === 'welcome' && { welcome: true }),
        ...(reply.beginsWithFiller && { filler: true }),
        parts: latencyParts(reply.timings),
      },
    });
  }

  /** The reply was played out in full. Returns it, or null when it is not the current one. */
  onPlayoutFinished(replyId: string): AgentReply | null {
    const reply = this.reply;
    if (reply?.id !== replyId) return null;
    this.reply = null;
    reply.cancel();
    this.#commit(reply, false);
    this.#tools.after(reply);
    return reply;
  }

  /** The caller interrupts: the reply ends at the last word played out. One that was not audible leaves no trace. */
  interrupt(): void {
    const reply = this.reply;
    if (!reply) return;
    const heard = this.cut();
    if (reply.audible) this.#context.report('interrupted', 'caller talked over the agent', { data: { heard } });
  }

  /** Ends the reply at the last word played out, and returns what was heard of it. */
  cut(): string {
    const reply = this.reply;
    if (!reply) return '';
    reply.cancel();
    const heard = this.#commit(reply, true);
    this.drop();
    return heard;
  }

  /** Falls silent at the last word played out, until `unmute`. */
  mute(): void {
    this.dropPreemptiveReply();
    this.cut();
    this.#muted = true;
  }

  unmute(): void {
    this.#muted = false;
  }

  /** Ends the reply and discards what was not played out. */
  drop(): void {
    if (!this.reply) return;
    this.reply.cancel();
    this.reply = null;
    this.#options.playout.drop();
  }

  /** The call ends: commits what was played out. */
  close(): void {
    this.#tools.close();
    this.dropPreemptiveReply();
    if (this.reply) this.#commit(this.reply, true);
    this.drop();
  }

  /** Mean latency of the replies' first audio, or null when there was none. */
  averageFirstAudioMs(): number | null {
    return this.#firstAudioCount === 0 ? null : Math.round(this.#firstAudioSum / this.#firstAudioCount);
  }

  /** Reports the knowledge that is part of every prompt of the call. */
  reportInlineKnowledge(): void {
    const characters = this.#options.knowledge.inline.length;
    if (characters > 0) this.#context.report('kb.inline', 'knowledge put into the prompt', { data: { characters } });
  }

  /** Looks up the caller's question in the knowledge bases, where there are any, and asks the model. */
  #generate(reply: AgentReply, history: readonly HistoryLine[]): void {
    const { knowledge, clock, scope } = this.#options;
    const tools = this.#toolDefinitions();
    const messages = this.#messages(reply, history, tools);
    const onFindings = scope.guard(({ passages, event }: Findings) => {
      reply.timings.knowledgeMs = clock.now();
      const { message, ...details } = event;
      reply.reportWhenConfirmed(() => this.#context.report('kb.search', message, details));
      reply.generate(withPassages(messages, passages), tools);
    });
    const lookUp = knowledge.lookUp(history, onFindings);
    if (lookUp) reply.attachLookUp(lookUp);
    else reply.generate(messages, tools);
  }

  #toolDefinitions(): ToolDefinition[] {
    const remote = this.#options.tools.remoteDefinitions();
    return remote.length === 0 ? this.#ownTools : [...this.#ownTools, ...remote];
  }

  /** The messages of a turn, without the oldest lines where they would fill the model's context. */
  #messages(reply: AgentReply, history: readonly HistoryLine[], tools: readonly ToolDefinition[]): ChatMessage[] {
    const { agent, values, clock, knowledge, model, maxTokens, answerIn = '' } = this.#options;
    const from = (start: number) =>
      turnMessages({
        ...{ agent, values, wallMs: clock.wall(), knowledge: knowledge.inline, answerIn },
        instructions: this.#context.instructions,
        history: start === 0 ? history : history.slice(start),
        isCut: start > 0,
      });
    const messages = from(this.#historyStart);
    const { contextTokens } = model;
    if (contextTokens === undefined) return messages;
    const other = otherTokens(messages[0]!.content, tools, maxTokens);
    const start = historyStart(history, this.#historyStart, { contextTokens, otherTokens: other });
    if (start === this.#historyStart) return messages;
    reply.reportWhenConfirmed(() => {
      this.#historyStart = start;
      this.#context.report('llm.context', "the oldest turns are left out before the model's context is full", {
        level: 'warning',
        data: { left_out_lines: start, kept_lines: history.length - start, context_tokens: contextTokens },
      });
    });
    return from(start);
  }

  #createReply(speechEndMs: number, turnEndMs: number, kind: ReplyKind): AgentReply {
    return new AgentReply(`r${++this.#replies}`, startTimings(speechEndMs, turnEndMs), kind, this.#options, {
      onFirstToken: (reply, modelMs) =>
        this.#context.report('llm.first_token', 'first token', {
          latency_ms: reply.timings.firstTokenMs! - reply.timings.speechEndMs,
          data: { model_ms: Math.round(modelMs), provider: this.#options.model.provider },
        }),
      shouldWaitForCaller: (reply) => this.#listener.shouldWaitForCaller(reply),
      onToolCalls: (reply, calls) => this.#tools.run(reply, calls),
      onToolLimit: () =>
        this.#context.report(
          'tool.limit',
          `${MAX_TOOL_ROUNDS} rounds of tools: the model has to answer without another`,
          {
            level: 'warning',
            data: { rounds: MAX_TOOL_ROUNDS },
          },
        ),
      fillerFor: (reply) => this.#fillerFor(reply),
      onUnanswered: (reply, failed) => this.#onUnanswered(reply, failed),
      onEmpty: (reply) => this.#onEmpty(reply),
      onFailure: (reply, component, error, fatal) => this.#onFailure(reply, component, error, fatal),
    });
  }

  #fillerFor(reply: AgentReply): string | null {
    const isOver = reply !== this.reply || reply.hangUpAfter !== null || reply.givesCallAway;
    return isOver || this.#listener.shouldWaitForCaller(reply)
      ? null
      : this.#options.nextFiller(this.#options.language);
  }

  #onUnanswered(reply: AgentReply, failed: boolean): string | null {
    const data = { component: 'llm' };
    if (!failed) this.#context.report('error', 'the language model answered nothing', { level: 'warning', data });
    if (!this.#listener.mayContinue(reply)) return null;
    const lastSaid = this.#context.history.findLast(({ role, text }) => role === 'agent' && text !== '')?.text;
    return repromptText(this.#options.language, reply.spokenText.fullText() || (lastSaid ?? ''));
  }

  #onEmpty(reply: AgentReply): void {
    if (this.reply === reply) this.drop();
    if (!this.#tools.after(reply)) this.#listener.onEmptyReply(reply);
  }

  #onFailure(
    reply: AgentReply,
    component: 'llm' | 'voice',
    error: LanguageModelError | ProviderError,
    fatal: boolean,
  ): void {
    const provider = component === 'llm' ? this.#options.model.provider : this.#options.synthesizer().provider;
    this.#context.report('error', `${component} failed: ${error.message}`, {
      level: fatal ? 'error' : 'warning',
      data: { component, provider, kind: error.kind },
    });
    if (!fatal) return;
    if (this.reply === reply) this.drop();
    this.#listener.onFailed(component);
  }

  /**
   * Turns the agent's words into history, transcript and usage: what was played out, whether the reply was finished,
   * interrupted or cut off by the end of the call. Nothing else does that.
   */
  #commit(reply: AgentReply, interrupted: boolean): string {
    const text = this.#committedText(reply, interrupted);
    const playedOutMs = reply.audible ? (this.#options.playout.cursors(reply.id)?.playedOutMs ?? 0) : 0;
    reply.settle(interrupted ? playedOutMs : reply.audioMs);
    if (text === '') return '';
    this.#context.addAgentTurn(text, reply.startedAtMs, interrupted, reply.rounds, reply.fillers);
    const hasOwnEvent = reply.kind === 'welcome' || reply.kind === 'notice';
    if (!interrupted && !hasOwnEvent) this.#context.report('agent.reply', text);
    return text;
  }

  #committedText(reply: AgentReply, interrupted: boolean): string {
    if (interrupted) return reply.audible ? this.#playedOut(reply) : '';
    if (reply.truncated) return reply.spokenText.playedOut(reply.audioMs, reply.audioMs, false);
    return reply.spokenText.fullText().trim();
  }

  #playedOut(reply: AgentReply): string {
    const cursors = this.#options.playout.cursors(reply.id);
    if (!cursors) return '';
    const { playedOutMs, generatedMs, complete } = cursors;
    return reply.spokenText.playedOut(playedOutMs, generatedMs, complete || reply.allSpoken);
  }
}
