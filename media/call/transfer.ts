import type { AgentConfig } from '../../shared/agent.ts';
import type { StartTransferReply, StartTransferRequest, TransferOutcome } from '../../shared/bus/messages.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { Clock, Timer } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import type { LanguageModel, ToolCall } from '../../shared/llm/language-model.ts';
import { MAX_TRANSFER_MS, TRANSFER_TOOL, type TransferStatus } from '../../shared/transfer.ts';
import type { Usage } from '../../shared/usage.ts';
import { summaryLanguage, writeTransferSummary } from '../reply/transfer-summary.ts';
import { parseTransferRequest, type TransferRequest } from '../reply/transfer-tool.ts';
import type { ChatContext } from './chat-context.ts';

/**
 * Handing the caller over to a person, as the call sees it: control and the carrier do it. While it goes on the caller is
 * on hold, and what they say waits for the outcome. A warm transfer comes back when nobody takes the call; a cold one is
 * the end of the agent's part. With the call, all of it ends.
 */

/** The way to control. */
export interface TransferClient {
  /** Rejects when control does not answer. */
  start(request: Omit<StartTransferRequest, 'call_id'>): Promise<StartTransferReply>;
}

export interface TransferOptions {
  agent: AgentConfig;
  model: LanguageModel;
  usage: Usage;
  clock: Clock;
  transferClient?: TransferClient | undefined;
}

export interface TransferListener {
  /** The caller is on hold from now. */
  onHold(): void;
  /** Nobody took the call, and the history says why: the caller is the agent's again. */
  onCallerReturned(): void;
  end(end: CallEnd): void;
}

/** A wish whose briefing is being written while the agent says what is to be said first. */
export interface PreparedTransfer extends TransferRequest {
  summary: Promise<string>;
}

interface ActiveTransfer {
  id: string;
  request: TransferRequest;
  requestedMs: number;
  /** `asking` control; `ringing` at the person; `leaving`: the carrier takes the caller now. */
  phase: 'asking' | 'ringing' | 'leaving';
  /** `call.transferred` was told. */
  reported: boolean;
  timer: Timer | null;
  /** Resolves when control has answered: the caller goes, or stays. */
  accepted: Promise<boolean>;
}

const NO_TRANSFERS = 'Transfers are not possible on this line.';
const TRANSFERRED: CallEnd = { hangup_by: 'agent', hangup_reason: 'transferred' };
/** From the carrier's yes until the stream ends by itself. */
const COLD_TRANSFER_DEADLINE_MS = 5_000;
/** Control asks the carrier first, which has ten seconds. */
const WARM_TRANSFER_DEADLINE_MS = 30_000;

export class TransferController {
  readonly #parts: TransferOptions;
  readonly #record: ChatContext;
  readonly #listener: TransferListener;
  readonly #closing = new AbortController();
  #underWay: ActiveTransfer | null = null;

  constructor(parts: TransferOptions, record: ChatContext, listener: TransferListener) {
    this.#parts = parts;
    this.#record = record;
    this.#listener = listener;
  }

  /** What the model asked for, its briefing begun; or why not, in words for the model. */
  prepare(call: ToolCall): PreparedTransfer | string {
    const { agent, model, usage, clock, transferClient: transferLine } = this.#parts;
    const wish = parseTransferRequest(call, agent.call);
    if (typeof wish === 'string') return wish;
    if (!transferLine) return NO_TRANSFERS;
    const { signal } = this.#closing;
    const history = [...this.#record.history];
    const language = summaryLanguage(agent.voice.language);
    const { reason } = wish;
    const summary = agent.call.transfer_summary
      ? writeTransferSummary({ model, usage, clock, history, reason, language, signal })
      : Promise.resolve('');
    return { ...wish, summary };
  }

  /** Why this cannot even be tried, in words for the model. */
  refusalReason(call: ToolCall): string {
    const wish = parseTransferRequest(call, this.#parts.agent.call);
    if (typeof wish === 'string') return wish;
    return this.#parts.transferClient ? 'One transfer at a time.' : NO_TRANSFERS;
  }

  /** What was to be said first was heard. */
  begin({ summary, ...wish }: PreparedTransfer): void {
    const { clock } = this.#parts;
    if (this.#closing.signal.aborted || this.#underWay) return;
    const id = newId(clock.wall());
    const underWay: ActiveTransfer = {
      id,
      request: wish,
      requestedMs: clock.now(),
      phase: 'asking',
      reported: false,
      timer: null,
      accepted: Promise.resolve(false),
    };
    this.#underWay = underWay;
    this.#listener.onHold();
    underWay.accepted = summary.then((text) => this.#ask(underWay, text));
  }

  async #ask(underWay: ActiveTransfer, summary: string): Promise<boolean> {
    const { agent, transferClient: transferLine } = this.#parts;
    const { id, request: wish } = underWay;
    const warm = agent.call.transfer_summary;
    if (this.#underWay !== underWay || !transferLine) return false;
    const { name, number, reason } = wish;
    const language = summaryLanguage(agent.voice.language);
    const request = { transfer_id: id, name, number, reason, warm, summary, language };
    const reply = await transferLine.start(request).catch(() => ({ accepted: false, message: 'no answer' }));
    // Meanwhile the call may have ended.
    if (this.#underWay !== underWay) return false;
    if (!reply.accepted) {
      this.#giveBack(`The transfer to ${name} is not possible: ${reply.message}.`);
      return false;
    }
    this.#tellBegun(underWay);
    if (warm) {
      // The person may have been quicker than control's answer to us.
      if (underWay.phase === 'leaving') return false;
      underWay.phase = 'ringing';
      // Control tells the outcome in time; this guards against a control that never comes back.
      this.#guard(MAX_TRANSFER_MS, () => this.#failed('failed', ''));
    } else {
      underWay.phase = 'leaving';
      this.#guard(COLD_TRANSFER_DEADLINE_MS, () => this.#listener.end(TRANSFERRED));
    }
    return !warm;
  }

  /** Control tells how it went; false when it speaks of no transfer that is under way. */
  onOutcome({ transfer_id, status, dial_status }: TransferOutcome): boolean {
    const underWay = this.#underWay;
    // A cold transfer has no way back.
    if (underWay?.id !== transfer_id || !this.#parts.agent.call.transfer_summary) return false;
    if (status !== 'answered') {
      this.#failed(status, dial_status);
      return true;
    }
    this.#tellBegun(underWay);
    underWay.phase = 'leaving';
    this.#guard(WARM_TRANSFER_DEADLINE_MS, () => this.#failed('failed', ''));
    return true;
  }

  /**
   * The carrier ended the stream: is it because the caller was taken to the person? Null when no caller is being taken, so
   * that they have hung up; otherwise the answer, as soon as it is known.
   */
  onLegEnded(): Promise<boolean> | null {
    const underWay = this.#underWay;
    if (!underWay || underWay.phase === 'ringing') return null;
    if (underWay.phase === 'leaving') return Promise.resolve(true);
    return this.#parts.agent.call.transfer_summary ? null : underWay.accepted;
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

  #tellBegun(underWay: ActiveTransfer): void {
    if (underWay.reported) return;
    underWay.reported = true;
    const { name, number, reason } = underWay.request;
    this.#record.report('call.transferred', `handing the caller over to ${name}`, { data: { name, number, reason } });
  }

  #failed(status: TransferStatus, dial_status: string): void {
    if (!this.#underWay) return;
    this.#tellBegun(this.#underWay);
    const { name, number } = this.#underWay.request;
    this.#record.report('call.transfer_status', `transfer to ${name}: ${status}`, {
      level: 'warning',
      data: { status, name, number, dial_status },
    });
    this.#giveBack(OUTCOME_TEXTS[status](name));
  }

  #giveBack(why: string): void {
    const underWay = this.#underWay;
    if (!underWay) return;
    underWay.timer?.cancel();
    this.#underWay = null;
    const result = `${why} The caller is still on the line with you.`;
    this.#record.addToolRun(underWay.request.call, result);
    const latency_ms = this.#parts.clock.now() - underWay.requestedMs;
    const data = { name: TRANSFER_TOOL, status: 0, result };
    this.#record.report('tool.result', `${TRANSFER_TOOL} answered`, { level: 'warning', latency_ms, data });
    this.#listener.onCallerReturned();
  }
}

const OUTCOME_TEXTS: Record<TransferStatus, (name: string) => string> = {
  answered: (name) => `${name} took the call.`,
  'no-answer': (name) => `Nobody answered at ${name}.`,
  busy: (name) => `The line of ${name} is busy.`,
  failed: (name) => `${name} could not take the call.`,
  canceled: (name) => `The transfer to ${name} was called off.`,
};
