import type { AgentConfig } from '../../shared/agent.ts';
import type { StartTransferReply, StartTransferRequest, TransferOutcome } from '../../shared/bus/messages.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { Clock, Timer } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import type { LanguageModel, ToolCall } from '../../shared/llm/language-model.ts';
import { TRANSFER_AT_MOST_MS, TRANSFER_TOOL, type TransferStatus } from '../../shared/transfer.ts';
import type { Usage } from '../../shared/usage.ts';
import { briefingLanguage, writeBriefing } from '../reply/briefing.ts';
import { readTransferWish, type TransferWish } from '../reply/transfer-tool.ts';
import type { TalkRecord } from './talk-record.ts';

/**
 * Handing the caller over to a person, as the call sees it: control and the carrier do it. While it goes on the caller is
 * on hold, and what they say waits for the outcome. A warm transfer comes back when nobody takes the call; a cold one is
 * the end of the agent's part. With the call, all of it ends.
 */

/** The way to control. */
export interface TransferLine {
  /** Rejects when control does not answer. */
  start(request: Omit<StartTransferRequest, 'call_id'>): Promise<StartTransferReply>;
}

export interface TransferParts {
  agent: AgentConfig;
  model: LanguageModel;
  usage: Usage;
  clock: Clock;
  transferLine?: TransferLine | undefined;
}

export interface TransferListener {
  /** The caller is on hold from now. */
  held(): void;
  /** Nobody took the call, and the history says why: the caller is the agent's again. */
  givenBack(): void;
  end(end: CallEnd): void;
}

/** A wish whose briefing is being written while the agent says what is to be said first. */
export interface PreparedTransfer extends TransferWish {
  summary: Promise<string>;
}

interface UnderWay {
  id: string;
  wish: TransferWish;
  askedMs: number;
  /** `asking` control; `ringing` at the person; `leaving`: the carrier takes the caller now. */
  phase: 'asking' | 'ringing' | 'leaving';
  /** `call.transferred` was told. */
  begun: boolean;
  timer: Timer | null;
  /** Resolves when control has answered: the caller goes, or stays. */
  answered: Promise<boolean>;
}

const NOT_HERE = 'Transfers are not possible on this line.';
const TRANSFERRED: CallEnd = { hangup_by: 'agent', hangup_reason: 'transferred' };
/** From the carrier's yes until the stream ends by itself. */
const COLD_LEAVES_WITHIN_MS = 5_000;
/** Control asks the carrier first, which has ten seconds. */
const WARM_LEAVES_WITHIN_MS = 30_000;

export class TransferDesk {
  readonly #parts: TransferParts;
  readonly #record: TalkRecord;
  readonly #listener: TransferListener;
  readonly #closing = new AbortController();
  #underWay: UnderWay | null = null;

  constructor(parts: TransferParts, record: TalkRecord, listener: TransferListener) {
    this.#parts = parts;
    this.#record = record;
    this.#listener = listener;
  }

  /** What the model asked for, its briefing begun; or why not, in words for the model. */
  prepare(call: ToolCall): PreparedTransfer | string {
    const { agent, model, usage, clock, transferLine } = this.#parts;
    const wish = readTransferWish(call, agent.call);
    if (typeof wish === 'string') return wish;
    if (!transferLine) return NOT_HERE;
    const { signal } = this.#closing;
    const history = [...this.#record.history];
    const language = briefingLanguage(agent.voice.language);
    const { reason } = wish;
    const summary = agent.call.transfer_summary
      ? writeBriefing({ model, usage, clock, history, reason, language, signal })
      : Promise.resolve('');
    return { ...wish, summary };
  }

  /** Why this cannot even be tried, in words for the model. */
  refusal(call: ToolCall): string {
    const wish = readTransferWish(call, this.#parts.agent.call);
    if (typeof wish === 'string') return wish;
    return this.#parts.transferLine ? 'One transfer at a time.' : NOT_HERE;
  }

  /** What was to be said first was heard. */
  begin({ summary, ...wish }: PreparedTransfer): void {
    const { clock } = this.#parts;
    if (this.#closing.signal.aborted || this.#underWay) return;
    const id = newId(clock.wall());
    const underWay: UnderWay = {
      id,
      wish,
      askedMs: clock.now(),
      phase: 'asking',
      begun: false,
      timer: null,
      answered: Promise.resolve(false),
    };
    this.#underWay = underWay;
    this.#listener.held();
    underWay.answered = summary.then((text) => this.#ask(underWay, text));
  }

  async #ask(underWay: UnderWay, summary: string): Promise<boolean> {
    const { agent, transferLine } = this.#parts;
    const { id, wish } = underWay;
    const warm = agent.call.transfer_summary;
    if (this.#underWay !== underWay || !transferLine) return false;
    const { name, number, reason } = wish;
    const language = briefingLanguage(agent.voice.language);
    const request = { transfer_id: id, name, number, reason, warm, summary, language };
    const reply = await transferLine.start(request).catch(() => ({ accepted: false, words: 'no answer' }));
    // Meanwhile the call may have ended.
    if (this.#underWay !== underWay) return false;
    if (!reply.accepted) {
      this.#giveBack(`The transfer to ${name} is not possible: ${reply.words}.`);
      return false;
    }
    this.#tellBegun(underWay);
    if (warm) {
      // The person may have been quicker than control's answer to us.
      if (underWay.phase === 'leaving') return false;
      underWay.phase = 'ringing';
      // Control tells the outcome in time; this guards against a control that never comes back.
      this.#guard(TRANSFER_AT_MOST_MS, () => this.#failed('failed', ''));
    } else {
      underWay.phase = 'leaving';
      this.#guard(COLD_LEAVES_WITHIN_MS, () => this.#listener.end(TRANSFERRED));
    }
    return !warm;
  }

  /** Control tells how it went; false when it speaks of no transfer that is under way. */
  outcome({ transfer_id, status, dial_status }: TransferOutcome): boolean {
    const underWay = this.#underWay;
    // A cold transfer has no way back.
    if (underWay?.id !== transfer_id || !this.#parts.agent.call.transfer_summary) return false;
    if (status !== 'answered') {
      this.#failed(status, dial_status);
      return true;
    }
    this.#tellBegun(underWay);
    underWay.phase = 'leaving';
    this.#guard(WARM_LEAVES_WITHIN_MS, () => this.#failed('failed', ''));
    return true;
  }

  /**
   * The carrier ended the stream: is it because the caller was taken to the person? Null when no caller is being taken, so
   * that they have hung up; otherwise the answer, as soon as it is known.
   */
  lineEnded(): Promise<boolean> | null {
    const underWay = this.#underWay;
    if (!underWay || underWay.phase === 'ringing') return null;
    if (underWay.phase === 'leaving') return Promise.resolve(true);
    return this.#parts.agent.call.transfer_summary ? null : underWay.answered;
  }

  close(): void {
    this.#closing.abort();
    this.#underWay?.timer?.cancel();
    this.#underWay = null;
  }

  #guard(withinMs: number, late: () => void): void {
    const underWay = this.#underWay;
    if (!underWay) return;
    underWay.timer?.cancel();
    underWay.timer = this.#parts.clock.after(withinMs, late);
  }

  #tellBegun(underWay: UnderWay): void {
    if (underWay.begun) return;
    underWay.begun = true;
    const { name, number, reason } = underWay.wish;
    this.#record.tell('call.transferred', `handing the caller over to ${name}`, { data: { name, number, reason } });
  }

  #failed(status: TransferStatus, dial_status: string): void {
    if (!this.#underWay) return;
    this.#tellBegun(this.#underWay);
    const { name, number } = this.#underWay.wish;
    this.#record.tell('call.transfer_status', `transfer to ${name}: ${status}`, {
      level: 'warning',
      data: { status, name, number, dial_status },
    });
    this.#giveBack(WORDS[status](name));
  }

  #giveBack(why: string): void {
    const underWay = this.#underWay;
    if (!underWay) return;
    underWay.timer?.cancel();
    this.#underWay = null;
    const result = `${why} The caller is still on the line with you.`;
    this.#record.toolRan(underWay.wish.call, result);
    const latency_ms = this.#parts.clock.now() - underWay.askedMs;
    const data = { name: TRANSFER_TOOL, status: 0, result };
    this.#record.tell('tool.result', `${TRANSFER_TOOL} answered`, { level: 'warning', latency_ms, data });
    this.#listener.givenBack();
  }
}

const WORDS: Record<TransferStatus, (name: string) => string> = {
  answered: (name) => `${name} took the call.`,
  'no-answer': (name) => `Nobody answered at ${name}.`,
  busy: (name) => `The line of ${name} is busy.`,
  failed: (name) => `${name} could not take the call.`,
  canceled: (name) => `The transfer to ${name} was called off.`,
};
