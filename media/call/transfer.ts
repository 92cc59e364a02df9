import type { AgentConfig } from '../../shared/agent.ts';
import type { StartTransferReply, StartTransferRequest, TransferOutcome } from '../../shared/bus/messages.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { Clock, Timer } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import type { LanguageModel, ToolCall } from '../../shared/llm/language-model.ts';
import { parseTransferRequest, type TransferRequest } from '../../shared/reply/transfer-tool.ts';
import { MAX_TRANSFER_MS, TRANSFER_TOOL, type TransferStatus } from '../../shared/transfer.ts';
import type { Usage } from '../../shared/usage.ts';
import { summaryLanguage, writeTransferSummary } from '../reply/transfer-summary.ts';
import type { CallScope } from './call-scope.ts';
import type { ChatContext } from './chat-context.ts';

/** Transfers as requests to control. */
export interface TransferClient {
  /** Rejects when control does not reply in time. */
  start(request: Omit<StartTransferRequest, 'call_id'>): Promise<StartTransferReply>;
}

export interface TransferOptions {
  agent: AgentConfig;
  model: LanguageModel;
  usage: Usage;
  clock: Clock;
  scope: CallScope;
  /** Missing where callers cannot be transferred. */
  transferClient?: TransferClient | undefined;
}

export interface TransferListener {
  /** The caller is on hold from now on. */
  onHold(): void;
  /** The transfer failed and the caller is with the agent again; the history says why. */
  onCallerReturned(): void;
  end(end: CallEnd): void;
}

/** A transfer whose summary is being written while the agent says its last words. */
export interface PreparedTransfer extends TransferRequest {
  summary: Promise<string>;
}

interface ActiveTransfer {
  id: string;
  request: TransferRequest;
  requestedMs: number;
  /** `requesting` from control, `ringing` at the target, `connecting` at the carrier. */
  phase: 'requesting' | 'ringing' | 'connecting';
  /** `call.transferred` was reported. */
  reported: boolean;
  timer: Timer | null;
  /** Resolves when control has replied: whether the carrier now connects the caller. */
  accepted: Promise<boolean>;
}

const NO_TRANSFERS = 'Transfers are not possible on this line.';
const TRANSFERRED: CallEnd = { hangup_by: 'agent', hangup_reason: 'transferred' };
/** From the carrier's acceptance until it ends the stream. */
const COLD_TRANSFER_DEADLINE_MS = 5_000;
/** From the target's answer until the carrier ends the stream. */
const WARM_TRANSFER_DEADLINE_MS = 30_000;

/**
 * Transfers the caller to a human agent through control and the carrier, one transfer at a time. Meanwhile the caller is on
 * hold, and what they say waits for the outcome. A warm transfer returns the caller when nobody answers; a cold one ends the
 * agent's part of the call.
 */
export class TransferController {
  readonly #options: TransferOptions;
  readonly #context: ChatContext;
  readonly #listener: TransferListener;
  readonly #closing = new AbortController();
  #active: ActiveTransfer | null = null;

  constructor(options: TransferOptions, context: ChatContext, listener: TransferListener) {
    this.#options = options;
    this.#context = context;
    this.#listener = listener;
  }

  /** A transfer is under way. */
  get active(): boolean {
    return this.#active !== null;
  }

  /** Returns the requested transfer with its summary started, or the reason for the model why it is not possible. */
  prepare(call: ToolCall): PreparedTransfer | string {
    const request = parseTransferRequest(call, this.#options.agent.call);
    return typeof request === 'string' ? request : this.#prepared(request);
  }

  /** The same for a transfer that was ordered: the model finds it in its history as if it had asked for it. */
  prepareOrdered(request: Omit<TransferRequest, 'call'>): PreparedTransfer | string {
    const { name: target, reason } = request;
    const id = newId(this.#options.clock.wall());
    const call = { id, name: TRANSFER_TOOL, arguments: JSON.stringify({ target, reason }) };
    return this.#prepared({ ...request, call });
  }

  #prepared(request: TransferRequest): PreparedTransfer | string {
    const { agent, model, usage, clock, transferClient } = this.#options;
    if (!transferClient) return NO_TRANSFERS;
    const { signal } = this.#closing;
    const history = [...this.#context.history];
    const language = summaryLanguage(agent.voice.language);
    const { reason } = request;
    const summary = agent.call.transfer_summary
      ? writeTransferSummary({ model, usage, clock, history, reason, language, signal })
      : Promise.resolve('');
    return { ...request, summary };
  }

  /** Returns the reason for the model why this call was not prepared. */
  refusalReason(call: ToolCall): string {
    const request = parseTransferRequest(call, this.#options.agent.call);
    if (typeof request === 'string') return request;
    return this.#options.transferClient ? 'One transfer at a time.' : NO_TRANSFERS;
  }

  /** Starts the transfer, once the agent's last words were played out. */
  begin({ summary, ...request }: PreparedTransfer): void {
    const { clock, scope } = this.#options;
    if (this.#closing.signal.aborted || this.#active) return;
    const transfer: ActiveTransfer = {
      id: newId(clock.wall()),
      request,
      requestedMs: clock.now(),
      phase: 'requesting',
      reported: false,
      timer: null,
      accepted: Promise.resolve(false),
    };
    this.#active = transfer;
    this.#listener.onHold();
    transfer.accepted = summary.then((text) => this.#request(transfer, text));
    scope.watch(transfer.accepted);
  }

  async #request(transfer: ActiveTransfer, summary: string): Promise<boolean> {
    const { agent, transferClient } = this.#options;
    const warm = agent.call.transfer_summary;
    if (this.#active !== transfer || !transferClient) return false;
    const { name, number, reason } = transfer.request;
    const language = summaryLanguage(agent.voice.language);
    const reply = await transferClient
      .start({ transfer_id: transfer.id, name, number, reason, warm, summary, language })
      .catch(() => ({ accepted: false, message: 'no answer' }));
    // The call may have ended meanwhile, and the outcome may arrive before the reply.
    if (this.#active !== transfer || transfer.phase === 'connecting') return false;
    if (!reply.accepted) {
      this.#returnCaller(`The transfer to ${name} is not possible: ${reply.message}.`);
      return false;
    }
    this.#reportStart(transfer);
    if (warm) {
      transfer.phase = 'ringing';
      // Control reports the outcome in time, unless it died.
      this.#setDeadline(MAX_TRANSFER_MS, () => this.#onFailed('failed', ''));
    } else {
      transfer.phase = 'connecting';
      this.#setDeadline(COLD_TRANSFER_DEADLINE_MS, () => this.#listener.end(TRANSFERRED));
    }
    return !warm;
  }

  /** Takes the outcome from control; returns false when that transfer is not active. */
  onOutcome({ transfer_id, status, dial_status }: TransferOutcome): boolean {
    const transfer = this.#active;
    // A cold transfer cannot return the caller.
    if (transfer?.id !== transfer_id || !this.#options.agent.call.transfer_summary) return false;
    if (status !== 'answered') {
      this.#onFailed(status, dial_status);
      return true;
    }
    this.#reportStart(transfer);
    transfer.phase = 'connecting';
    this.#setDeadline(WARM_TRANSFER_DEADLINE_MS, () => this.#onFailed('failed', ''));
    return true;
  }

  /**
   * The carrier ended the stream. Returns null when no caller is being connected, so that they have hung up; otherwise whether
   * the caller was connected to the target, as soon as that is known.
   */
  onLegEnded(): Promise<boolean> | null {
    const transfer = this.#active;
    if (!transfer || transfer.phase === 'ringing') return null;
    if (transfer.phase === 'connecting') return Promise.resolve(true);
    return this.#options.agent.call.transfer_summary ? null : transfer.accepted;
  }

  close(): void {
    this.#closing.abort();
    this.#active?.timer?.cancel();
    this.#active = null;
  }

  #setDeadline(withinMs: number, onLate: () => void): void {
    const transfer = this.#active;
    if (!transfer) return;
    transfer.timer?.cancel();
    transfer.timer = this.#options.clock.after(withinMs, onLate);
  }

  #reportStart(transfer: ActiveTransfer): void {
    if (transfer.reported) return;
    transfer.reported = true;
    const { name, number, reason } = transfer.request;
    this.#context.report('call.transferred', `handing the caller over to ${name}`, { data: { name, number, reason } });
  }

  #onFailed(status: TransferStatus, dial_status: string): void {
    if (!this.#active) return;
    this.#reportStart(this.#active);
    const { name, number } = this.#active.request;
    this.#context.report('call.transfer_status', `transfer to ${name}: ${status}`, {
      level: 'warning',
      data: { status, name, number, dial_status },
    });
    this.#returnCaller(OUTCOME_TEXTS[status](name));
  }

  #returnCaller(why: string): void {
    const transfer = this.#active;
    if (!transfer) return;
    transfer.timer?.cancel();
    this.#active = null;
    const result = `${why} The caller is still on the line with you.`;
    this.#context.addToolRound([transfer.request.call]).addResult(transfer.request.call, result);
    const latency_ms = this.#options.clock.now() - transfer.requestedMs;
    const data = { name: TRANSFER_TOOL, status: 0, result };
    this.#context.report('tool.result', `${TRANSFER_TOOL} answered`, { level: 'warning', latency_ms, data });
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
