import type { AgentConfig } from '../../shared/agent.ts';
import type { CallEnd } from '../../shared/call.ts';
import { withPassages } from '../../shared/llm/knowledge-prompt.ts';
import type { ChatMessage, LanguageModelError, ToolCall, ToolDefinition } from '../../shared/llm/language-model.ts';
import { endCallTool, type HistoryLine, turnMessages } from '../../shared/llm/prompt.ts';
import { TRANSFER_TOOL } from '../../shared/transfer.ts';
import { fillVariables } from '../../shared/variables.ts';
import type { ProviderError } from '../provider/provider-error.ts';
import type { Knowledge } from '../reply/knowledge.ts';
import { type ToolRunner, toolDefinitions } from '../reply/tools.ts';
import { startTimings, latencyParts as timingParts } from '../report/turn-timings.ts';
import type { SynthesizerEvent } from '../tts/synthesizer.ts';
import { sameWords } from '../turn/words.ts';
import { AgentReply, type ReplyDependencies, type ReplyKind } from './agent-reply.ts';
import type { ChatContext } from './chat-context.ts';
import { type TransferClient, TransferController } from './transfer.ts';

/**
 * The agent's side of the talk: it makes replies, one at a time, drafts them ahead, runs their tools, falls silent and goes
 * on when told, and keeps of each what was heard. Whose turn it is, the conversation decides.
 */

export interface SpeakerOptions extends ReplyDependencies {
  agent: AgentConfig;
  /** Values of the prompt's `{variables}`. */
  values: Record<string, string | number | boolean>;
  tools: ToolRunner;
  knowledge: Knowledge;
  /** Where callers can be handed over to a person. */
  transferClient?: TransferClient;
}

export interface SpeakerListener {
  /** The first sound of a reply is there: should it wait, because the caller is speaking? */
  shouldWaitForCaller(reply: AgentReply): boolean;
  /** A reply ended without a word. */
  onEmptyReply(reply: AgentReply): void;
  /** The tools of a reply have answered; true when it may go on with what they found. */
  onToolsDone(reply: AgentReply): boolean;
  /** A reply failed, and nothing of it will be heard. */
  onFailed(component: 'llm' | 'voice'): void;
  /** A transfer came to nothing: the caller is the agent's again, and the history says why. */
  onCallerReturned(): void;
  end(end: CallEnd): void;
}

export class Speaker {
  /** The reply that lives now; at most one does. */
  reply: AgentReply | null = null;
  /** A transfer counts until its outcome is known. */
  toolsRunning = 0;
  readonly transfers: TransferController;

  readonly #parts: SpeakerOptions;
  readonly #record: ChatContext;
  readonly #listener: SpeakerListener;
  readonly #tools: ToolDefinition[];
  /** Begun on an eager end of turn; becomes the reply when the turn ends with the same words. */
  #draft: { reply: AgentReply; text: string } | null = null;
  #replies = 0;
  #closed = false;
  #firstAudioSum = 0;
  #firstAudioCount = 0;

  constructor(parts: SpeakerOptions, record: ChatContext, listener: SpeakerListener) {
    this.#parts = parts;
    this.#record = record;
    this.#listener = listener;
    this.#tools = toolDefinitions(parts.agent);
    this.transfers = new TransferController(parts, record, {
      onHold: () => void this.toolsRunning++,
      onCallerReturned: () => {
        this.toolsRunning--;
        listener.onCallerReturned();
      },
      end: (end) => listener.end(end),
    });
  }

  /** Says a fixed text, and ends the call after it when `hangUpAfter` is given. */
  say(kind: Exclude<ReplyKind, 'answer'>, text: string, hangUpAfter: CallEnd | null = null): void {
    const nowMs = this.#parts.clock.now();
    const reply = this.#make(nowMs, nowMs, kind);
    reply.hangUpAfter = hangUpAfter;
    this.reply = reply;
    reply.sayText(text);
  }

  /** Answers what the caller said last; a draft made for the same words becomes the answer. */
  respond(text: string, speechEndMs: number, turnEndMs: number): void {
    const generatePreemptively = this.#draft;
    if (generatePreemptively && sameWords(generatePreemptively.text, text)) {
      this.#draft = null;
      this.reply = generatePreemptively.reply;
      Object.assign(generatePreemptively.reply.timings, { speechEndMs, turnEndMs });
      generatePreemptively.reply.confirm();
      return;
    }
    this.dropPreemptiveReply();
    this.reply = this.#make(speechEndMs, turnEndMs, 'answer');
    this.#think(this.reply, this.#record.history);
  }

  /** Drafts an answer to words that are not confirmed. */
  generatePreemptively(text: string): void {
    this.dropPreemptiveReply();
    const nowMs = this.#parts.clock.now();
    const reply = this.#make(nowMs, nowMs, 'answer');
    this.#draft = { reply, text };
    reply.startPreemptive();
    this.#think(reply, [...this.#record.history, { role: 'user', text, interrupted: false }]);
  }

  hasPreemptiveReply(text: string): boolean {
    return this.#draft !== null && sameWords(this.#draft.text, text);
  }

  dropPreemptiveReply(): void {
    this.#draft?.reply.cancel();
    this.#draft = null;
  }

  onSynthesizerEvent(event: SynthesizerEvent): void {
    this.reply?.onSynthesizerEvent(event);
    this.#draft?.reply.onSynthesizerEvent(event);
  }

  setDucked(softly: boolean): void {
    if (this.reply && !this.reply.paused) this.#parts.playout.setDucked(softly);
  }

  /** Falls silent at once; the unheard rest is kept. */
  pause(): void {
    if (!this.reply || this.reply.paused) return;
    this.reply.paused = true;
    this.#parts.playout.pause();
  }

  /** Goes on from the last word that was heard, aloud. */
  resume(): void {
    if (!this.reply?.paused) return;
    this.reply.paused = false;
    this.#parts.playout.setDucked(false);
    this.#parts.playout.resume();
  }

  /** How much of the reply's sound is still to be heard; null while there is none, or not all of it. */
  remainingMs(): number | null {
    const cursors = this.reply && this.#parts.playout.cursors(this.reply.id);
    return cursors?.complete ? cursors.generatedMs - cursors.playedOutMs : null;
  }

  /** What was heard of the present reply; empty when there is none. */
  playedOutText(): string {
    const cursors = this.reply?.audible ? this.#parts.playout.cursors(this.reply.id) : null;
    return cursors ? this.reply!.spokenText.playedOut(cursors.playedOutMs, cursors.generatedMs, cursors.complete) : '';
  }

  /** Playout sent the first frame. */
  onPlayoutStarted(replyId: string, atMs: number): void {
    const reply = this.reply;
    if (reply?.id !== replyId) return;
    reply.audible = true;
    reply.startedAtMs = this.#parts.clock.wall();
    reply.timings.firstSentMs = atMs;
    const latency = atMs - reply.timings.speechEndMs;
    if (reply.kind === 'answer') {
      this.#firstAudioSum += latency;
      this.#firstAudioCount++;
    }
    this.#record.report('tts.first_audio', 'first audio', {
      latency_ms: latency,
      data: { ...(reply.kind === 'welcome' ? { welcome: true } : {}), parts: timingParts(reply.timings) },
    });
  }

  /** Playout has nothing left: the reply was heard in full. Null when it is not the one that lives. */
  onPlayoutFinished(replyId: string): AgentReply | null {
    const reply = this.reply;
    if (reply?.id !== replyId) return null;
    this.reply = null;
    reply.cancel();
    this.#commit(reply, false);
    if (reply.transferAfter) this.transfers.begin(reply.transferAfter);
    return reply;
  }

  /** The caller talks over the agent: the reply ends at the word that was heard last; one never heard leaves no trace. */
  interrupt(): void {
    const reply = this.reply;
    if (!reply) return;
    const audible = reply.audible;
    reply.cancel();
    const heard = this.#commit(reply, true);
    this.drop();
    if (audible) this.#record.report('interrupted', 'caller talked over the agent', { data: { heard } });
  }

  /** Ends the reply, and whatever of it was not heard. */
  drop(): void {
    if (!this.reply) return;
    this.reply.cancel();
    this.reply = null;
    this.#parts.playout.drop();
  }

  /** The call ends: what was heard of the reply is kept. */
  close(): void {
    this.#closed = true;
    this.transfers.close();
    this.dropPreemptiveReply();
    if (this.reply) this.#commit(this.reply, true);
    this.drop();
  }

  /** Mean of the replies' first audio, or null when there was none. */
  averageFirstAudioMs(): number | null {
    return this.#firstAudioCount === 0 ? null : Math.round(this.#firstAudioSum / this.#firstAudioCount);
  }

  /** Tells what stands in every prompt of the call. */
  reportInlineKnowledge(): void {
    const characters = this.#parts.knowledge.inline.length;
    if (characters > 0) this.#record.report('kb.inline', 'knowledge put into the prompt', { data: { characters } });
  }

  /** Looks up what the caller spoke of, where the agent has what to look in, and lets the model answer. */
  #think(reply: AgentReply, history: readonly HistoryLine[]): void {
    const { agent, values, clock, knowledge } = this.#parts;
    const messages = turnMessages({ agent, values, history, wallMs: clock.wall(), knowledge: knowledge.inline });
    const lookUp = knowledge.lookUp(history, ({ passages, event }) => {
      reply.timings.knowledgeMs = clock.now();
      const { message, ...details } = event;
      reply.reportWhenConfirmed(() => this.#record.report('kb.search', message, details));
      reply.generate(withPassages(messages, passages), this.#tools);
    });
    if (lookUp) reply.attachLookUp(lookUp);
    else reply.generate(messages, this.#tools);
  }

  #make(speechEndMs: number, turnEndMs: number, kind: ReplyKind): AgentReply {
    return new AgentReply(`r${++this.#replies}`, startTimings(speechEndMs, turnEndMs), kind, this.#parts, {
      onFirstToken: (of, modelMs) =>
        this.#record.report('llm.first_token', 'first token', {
          latency_ms: of.timings.firstTokenMs! - of.timings.speechEndMs,
          data: { model_ms: Math.round(modelMs) },
        }),
      shouldWaitForCaller: (of) => this.#listener.shouldWaitForCaller(of),
      onToolCalls: (of, calls) => this.#callTools(of, calls),
      onEmpty: (of) => this.#nothingSaid(of),
      onFailure: (of, component, error, fatal) => this.#trouble(of, component, error, fatal),
    });
  }

  /** Runs what the model asked for. What ran stays in the history, also when the caller talks over it meanwhile. */
  #callTools(reply: AgentReply, calls: ToolCall[]): Promise<ChatMessage[] | null> | null {
    const ending = calls.find((call) => call.name === endCallTool.name);
    if (ending) {
      this.#record.report('tool.call', 'end_call', { data: { name: 'end_call' } });
      reply.hangUpAfter = { hangup_by: 'agent', hangup_reason: 'agent ended the call' };
    }
    const transfer = this.#transferOf(reply, calls);
    const others = calls.filter((call) => call.name !== endCallTool.name && call !== transfer);
    if (others.length === 0) return null;
    this.toolsRunning += others.length;
    return Promise.all(others.map((call) => this.#runTool(reply, call))).then((results) => {
      this.toolsRunning -= others.length;
      return this.#listener.onToolsDone(reply) && !reply.hangUpAfter && !reply.transferAfter ? results : null;
    });
  }

  /** The call that hands the caller over, after what is said first; a wish that cannot be read is answered like any tool. */
  #transferOf(reply: AgentReply, calls: ToolCall[]): ToolCall | undefined {
    const { agent, values } = this.#parts;
    const call = agent.call.transfer_enabled ? calls.find(({ name }) => name === TRANSFER_TOOL) : undefined;
    const prepared = call && this.transfers.prepare(call);
    if (!call || prepared === undefined || typeof prepared === 'string') return undefined;
    const { name: target, reason } = prepared;
    this.#record.report('tool.call', TRANSFER_TOOL, { data: { name: TRANSFER_TOOL, args: { target, reason } } });
    reply.transferAfter = prepared;
    reply.hangUpAfter = null;
    const message = fillVariables(agent.call.transfer_message, values).trim();
    if (message !== '') reply.sayAside(message);
    return call;
  }

  async #runTool(reply: AgentReply, call: ToolCall): Promise<ChatMessage> {
    const refused = call.name === TRANSFER_TOOL ? this.#refusedTransfer(call) : null;
    if (refused) return refused;
    const { tools } = this.#parts;
    const { name, args, url, pre_call_message } = tools.announce(call);
    this.#record.report('tool.call', name, { data: { name, args, ...(url === null ? {} : { url }) } });
    if (pre_call_message !== '') reply.sayAside(pre_call_message);
    // Some servers number their calls anew in every answer.
    const run = await tools.run({ ...call, id: `${reply.id} ${call.id}` });
    this.#record.addToolRun(call, run.result);
    const { level, latency_ms, status, result } = run;
    if (!this.#closed)
      this.#record.report('tool.result', `${name} answered`, { level, latency_ms, data: { name, status, result } });
    return { role: 'tool', tool_call_id: call.id, name: call.name, content: run.result };
  }

  /** Words for the model where a transfer cannot even be tried; null when the agent has none. */
  #refusedTransfer(call: ToolCall): ChatMessage | null {
    if (!this.#parts.agent.call.transfer_enabled) return null;
    const result = this.transfers.refusalReason(call);
    this.#record.report('tool.call', TRANSFER_TOOL, { data: { name: TRANSFER_TOOL, args: {} } });
    this.#record.addToolRun(call, result);
    const data = { name: TRANSFER_TOOL, status: 0, result };
    this.#record.report('tool.result', `${TRANSFER_TOOL} answered`, { level: 'warning', latency_ms: 0, data });
    return { role: 'tool', tool_call_id: call.id, name: call.name, content: result };
  }

  #nothingSaid(reply: AgentReply): void {
    if (this.reply === reply) this.drop();
    if (reply.transferAfter) this.transfers.begin(reply.transferAfter);
    else this.#listener.onEmptyReply(reply);
  }

  #trouble(
    reply: AgentReply,
    component: 'llm' | 'voice',
    error: LanguageModelError | ProviderError,
    fatal: boolean,
  ): void {
    const provider = component === 'llm' ? this.#parts.model.provider : this.#parts.synthesizer().provider;
    const level = fatal ? 'error' : 'warning';
    this.#record.report('error', `${component} failed: ${error.message}`, {
      level,
      data: { component, provider, kind: error.kind },
    });
    if (!fatal) return;
    if (this.reply === reply) this.drop();
    this.#listener.onFailed(component);
  }

  /**
   * The one place where an agent's words become history, transcript and usage: what was heard, whether the reply was
   * finished, interrupted or cut by the end of the call.
   */
  #commit(reply: AgentReply, interrupted: boolean): string {
    const cursors = this.#parts.playout.cursors(reply.id);
    const heard = interrupted
      ? reply.audible && cursors
        ? reply.spokenText.playedOut(cursors.playedOutMs, cursors.generatedMs, cursors.complete)
        : ''
      : reply.truncated
        ? reply.spokenText.playedOut(reply.audioMs, reply.audioMs, false)
        : reply.spokenText.fullText().trim();
    if (heard === '') return '';
    this.#record.addAgentTurn(heard, reply.startedAtMs, interrupted);
    if (!interrupted && reply.kind !== 'welcome') this.#record.report('agent.reply', heard);
    return heard;
  }
}
