import type { CallEnd } from '../../shared/call.ts';
import type { TranscriptItem } from '../../shared/transcript.ts';
import type { Reporter } from '../report/reporter.ts';
import type { Transcriber, TranscriberEvent } from '../stt/transcriber.ts';
import type { SynthesizerEvent } from '../tts/synthesizer.ts';
import { advanceTurn, FINALIZATION_MS } from '../turn/end-of-turn.ts';
import { awaitTranscript, checkIdle, type IdleState, resetIdle, startIdle } from '../turn/idle.ts';
import { mayGeneratePreemptively, type PreemptiveGenerationState } from '../turn/preemptive-generation.ts';
import type { TurnDetectorStream } from '../turn/turn-detector.ts';
import {
  changeTranscriber,
  newTurn,
  type TurnInput,
  type TurnSettings,
  turnOpen,
  wordsSoFar,
} from '../turn/turn-state.ts';
import { plainWords } from '../turn/words.ts';
import type { AgentReply } from './agent-reply.ts';
import { type AnsweringMachineDetector, createAnsweringMachineDetector } from './answering-machine-detection.ts';
import { type BargeIn, createBargeIn } from './barge-in.ts';
import { type CallerSpeech, createCallerSpeech } from './caller-speech.ts';
import { type CannedPrompts, createCannedPrompts } from './canned-prompts.ts';
import { type ChatContext, createChatContext } from './chat-context.ts';
import { createEndOfCall, type EndOfCall } from './end-of-call.ts';
import { Speaker, type SpeakerOptions } from './speaker.ts';
import type { TransferController } from './transfer.ts';
import { createTurnResponder, type TurnResponder } from './turn-response.ts';

/**
 * The talk itself: it is given events and moments, and decides whose turn it is. What the caller's voice does to a reply is
 * `barge-in.ts`, what becomes of their words `answering.ts`; the agent's side is the speaker's. It knows no sockets and no
 * carrier, and is tested on the virtual clock.
 */

export interface ConversationOptions extends SpeakerOptions {
  turns: TurnSettings;
  reporter: Reporter;
  transcriber: Transcriber;
  /** Hears in the voice whether the turn is over, where a model for it is configured. */
  turnDetector?: TurnDetectorStream | null;
  /** We placed the call: a machine may have answered it. */
  outbound: boolean;
  /** The voice's connection is lost: put another in its place. */
  replaceSynthesizer(): void;
  /** The conversation is over: end the call so. */
  end(end: CallEnd): void;
}

export class Conversation {
  /** Null where nobody asks who answered. */
  readonly machineDetector: AnsweringMachineDetector | null;
  readonly transfers: TransferController;
  readonly #parts: ConversationOptions;
  readonly #record: ChatContext;
  readonly #idle: IdleState;
  readonly #voice: CallerSpeech;
  readonly #turn;
  readonly #speaker: Speaker;
  readonly #phrases: CannedPrompts;
  readonly #speculation: PreemptiveGenerationState = { attempts: 0 };
  readonly #bargeIn: BargeIn;
  readonly #farewell: EndOfCall;
  readonly #answering: TurnResponder;
  #closed = false;

  constructor(parts: ConversationOptions) {
    const { agent, model, usage, clock } = parts;
    this.#parts = parts;
    this.#voice = createCallerSpeech(clock, parts.playout);
    this.#turn = newTurn(parts.turns);
    const record = createChatContext(parts);
    this.#record = record;
    const speaker = new Speaker(parts, record, {
      shouldWaitForCaller: (reply) => this.#bargeIn.shouldWait(reply),
      onEmptyReply: (reply) => this.#saidNothing(reply),
      onToolsDone: (reply) => !this.#closed && this.#answering.onToolsDone(reply),
      onFailed: (component) => parts.end({ hangup_by: 'service', hangup_reason: `error: ${component}` }),
      onCallerReturned: () => this.#answering.onCallerReturned(),
      end: (end) => parts.end(end),
    });
    this.#speaker = speaker;
    this.#phrases = createCannedPrompts(parts, record, speaker);
    this.transfers = speaker.transfers;
    const idle = startIdle(
      {
        hangUpAfterMs: agent.call.hangup_after_silence_seconds * 1_000,
        askAfterMs: agent.call.check_user_online ? agent.call.user_online_after_seconds * 1_000 : null,
      },
      clock.now(),
    );
    this.#idle = idle;
    const machineDetector = createAnsweringMachineDetector(parts, record, speaker, {
      onPerson: (turn) => this.#answering.onTurn(turn),
      onReplyResumed: () => {
        if (!speaker.reply) this.#answering.respondToPending();
      },
      takePending: () => {
        this.#farewell.cancelCheck();
        return this.#answering.takePending();
      },
    });
    this.machineDetector = machineDetector;
    const bargeIn = createBargeIn({ agent, turn: this.#turn, callerSpeech: this.#voice, speaker, machineDetector });
    this.#bargeIn = bargeIn;
    const farewell = createEndOfCall({
      ...{ agent, model, usage, clock, context: record, machineDetector, prompts: this.#phrases },
      busy: () => this.#busy(),
      end: (end) => parts.end(end),
    });
    this.#farewell = farewell;
    this.#answering = createTurnResponder({
      clock,
      context: record,
      speaker,
      bargeIn,
      endOfCall: farewell,
      machineDetector,
      idle,
    });
  }

  /** What the caller has heard so far of the reply that lives. */
  get playedOutText(): string {
    return this.#speaker.playedOutText();
  }

  /** Says the welcome message; without one the caller speaks first. */
  start(): void {
    this.#speaker.reportInlineKnowledge();
    this.#phrases.welcome();
  }

  /** A window of the voice-activity model. */
  onVadWindow(probability: number, endMs: number, periodicity?: number): void {
    if (this.#closed) return;
    const { change, stirring } = this.#voice.onWindow(probability, endMs, periodicity);
    if (stirring !== null) this.#bargeIn.duck(stirring);
    if (change === 'ended') awaitTranscript(this.#idle);
    if (change !== null) {
      const { startedMs, lastSpeechMs: lastVoiceMs } = this.#voice;
      const input: TurnInput =
        change === 'started' ? { type: 'voice_started', atMs: startedMs } : { type: 'voice_ended', atMs: lastVoiceMs };
      this.#advance(input);
      this.machineDetector?.onInput(input);
    }
    this.#bargeIn.check();
  }

  /** Another transcriber hears from now on. */
  onTranscriberChanged({ decidesTurns, provider }: Pick<Transcriber, 'decidesTurns' | 'provider'>): void {
    if (this.#closed) return;
    changeTranscriber(this.#turn, { decidesTurns, finalizationMs: FINALIZATION_MS[provider] ?? 1_000 });
  }

  onTranscriberEvent(event: Exclude<TranscriberEvent, { type: 'failed' }>): void {
    if (this.#closed) return;
    const heard = this.#voice.withoutEcho(event, this.#speaker.reply);
    if (heard !== event && plainWords(event.text).length > 1) this.#speaker.resume();
    this.#advance({ type: 'transcriber', event: heard });
  }

  onSynthesizerEvent(event: SynthesizerEvent): void {
    if (this.#closed) return;
    if (event.type === 'failed' && event.contextId === null) this.#parts.replaceSynthesizer();
    this.#speaker.onSynthesizerEvent(event);
  }

  /** Every 20 ms. */
  tick(): void {
    if (this.#closed) return;
    this.#advance({ type: 'tick' });
    this.#bargeIn.check();
    const nowMs = this.#parts.clock.now();
    this.machineDetector?.onInput({ type: 'tick' });
    if (this.machineDetector?.suppressesReplies) checkIdle(this.#idle, true, nowMs);
    if (this.#closed || this.machineDetector?.suppressesReplies) return;
    this.#bargeIn.resumeAfterFalseInterruption(nowMs);
    const idle = checkIdle(this.#idle, this.#busy(), nowMs);
    if (idle === 'hang_up') this.#parts.end({ hangup_by: 'agent', hangup_reason: 'caller silent' });
    if (idle === 'ask') this.#phrases.onlineCheck();
  }

  #busy(): boolean {
    return this.#speaker.reply !== null || this.#speaker.toolsRunning > 0 || turnOpen(this.#turn);
  }

  /** The caller pressed keys; they are answered like words. */
  onKeys(digits: string): void {
    if (this.#closed) return;
    this.#record.report('call.dtmf', `pressed ${digits}`, { data: { digits } });
    this.machineDetector?.onInput({ type: 'keys' });
    this.#answering.onKeys(`[pressed ${digits}]`);
  }

  onPlayoutStarted(replyId: string, atMs: number): void {
    this.#speaker.onPlayoutStarted(replyId, atMs);
  }

  onPlayoutFinished(replyId: string): void {
    const reply = this.#speaker.onPlayoutFinished(replyId);
    if (!reply) return;
    this.#voice.onReplyFinished(reply);
    // Asking a quiet caller is no answer: the count of their silence goes on.
    if (reply.kind !== 'online_check') resetIdle(this.#idle, this.#parts.clock.now());
    if (reply.hangUpAfter) {
      if (this.machineDetector?.isMachine) this.machineDetector.onMessagePlayed();
      this.#parts.end(reply.hangUpAfter);
    } else if (!this.#answering.respondToPending() && reply.kind === 'answer') {
      this.#farewell.check();
    }
  }

  /** Mean of the replies' first audio, or null when there was none. */
  averageFirstAudioMs(): number | null {
    return this.#speaker.averageFirstAudioMs();
  }

  /**
   * Stops everything; what was heard of a reply, and said of a turn, under way is kept. The lines that no event carried yet
   * are returned.
   */
  close(): TranscriptItem[] {
    if (this.#closed) return [];
    this.#farewell.cancelCheck();
    this.#speaker.close();
    const unanswered = [
      this.#answering.takePending(),
      this.machineDetector?.close() ?? '',
      wordsSoFar(this.#turn),
    ].filter(Boolean);
    if (unanswered.length > 0) this.#record.addUnfinishedCallerTurn(unanswered.join(' '));
    this.#closed = true;
    return this.#record.takeTranscript();
  }

  #advance(input: TurnInput): void {
    const { clock, transcriber } = this.#parts;
    for (const effect of advanceTurn(this.#turn, input, clock.now())) {
      if (this.#closed) return;
      switch (effect.type) {
        case 'finalize':
          transcriber.finalize();
          break;
        case 'predict_end_of_turn':
          this.#askEar(effect.speechStartMs, effect.speechEndMs);
          break;
        case 'noise':
          this.#voice.markAsNoise();
          this.#speaker.resume();
          break;
        case 'words':
          this.#farewell.cancelCheck();
          this.machineDetector?.onInput({ type: 'words', text: effect.text });
          this.#bargeIn.onWords(effect.text);
          break;
        case 'eager_end':
          this.#thinkAhead(effect.text);
          break;
        case 'resumed':
          this.#speaker.dropPreemptiveReply();
          break;
        case 'ended':
          if (effect.late && this.#speaker.reply?.audible) {
            // Its turn is being answered already: it is known to the next answer.
            this.#record.addCallerTurn(effect.text, effect.speechEndMs ?? clock.now(), {});
          } else this.#endTurn(effect.text, effect.speechStartMs, effect.speechEndMs);
          this.#speaker.dropPreemptiveReply();
          this.#speculation.attempts = 0;
          break;
      }
    }
  }

  #askEar(speechStartMs: number, speechEndMs: number): void {
    this.#parts.turnDetector?.predict(speechStartMs, (probability) => {
      if (!this.#closed) this.#advance({ type: 'turn_prediction', probability, speechEndMs });
    });
  }

  /** The caller has probably finished: a reply is drafted, silently. */
  #thinkAhead(text: string): void {
    if (this.#speaker.reply || this.#speaker.toolsRunning > 0) return;
    if (this.#speaker.hasPreemptiveReply(text) || this.machineDetector?.suppressesReplies) return;
    if (!mayGeneratePreemptively(this.#speculation, text, this.#turn.speechStartMs, this.#parts.clock.now())) return;
    this.#speculation.attempts++;
    this.#speaker.generatePreemptively(text);
  }

  /** The caller finished; '' when the speech held no words. */
  #endTurn(text: string, speechStartMs: number | null, speechEndMs: number | null): void {
    const nowMs = this.#parts.clock.now();
    const { lastSpeechMs: lastVoiceMs } = this.#voice;
    const endMs = speechEndMs ?? (lastVoiceMs >= (speechStartMs ?? nowMs) ? lastVoiceMs : nowMs);
    const turn = { text, endMs };
    const heard = this.machineDetector ? this.machineDetector.onTurn(turn) : turn;
    if (heard) this.#answering.onTurn(heard);
  }

  /** The model gave no words, or there was nothing in a text that can be spoken. */
  #saidNothing(reply: AgentReply): void {
    if (reply.hangUpAfter) {
      if (reply.kind === 'goodbye') this.#parts.end(reply.hangUpAfter);
      else this.#farewell.sayGoodbye(reply.hangUpAfter);
      return;
    }
    const data = { component: 'llm' };
    this.#record.report('error', 'the language model answered nothing', { level: 'warning', data });
    this.#answering.respondToPending();
  }
}
