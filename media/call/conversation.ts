import type { CallEnd } from '../../shared/call.ts';
import type { TranscriptItem } from '../../shared/transcript.ts';
import type { Reporter } from '../report/reporter.ts';
import type { Transcriber, TranscriberEvent } from '../stt/transcriber.ts';
import type { VoiceEvent } from '../tts/voice.ts';
import { advanceTurn, FINALISATION_MS } from '../turn/end-of-turn.ts';
import { awaitWords, type IdleState, lookIdle, startIdle, stir } from '../turn/idle.ts';
import { mayDraft, type SpeculationState } from '../turn/speculation.ts';
import type { TurnEar } from '../turn/turn-model.ts';
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
import { type Answering, createAnswering } from './answering.ts';
import { type BargeIn, createBargeIn } from './barge-in.ts';
import { type CallerVoice, createCallerVoice } from './caller-voice.ts';
import { createFarewell, type Farewell } from './farewell.ts';
import { createSetPhrases, type SetPhrases } from './set-phrases.ts';
import { Speaker, type SpeakerParts } from './speaker.ts';
import { createTalkRecord, type TalkRecord } from './talk-record.ts';
import type { TransferDesk } from './transfer.ts';
import { type Answerer, createAnswerer } from './voicemail.ts';

/**
 * The talk itself: it is given events and moments, and decides whose turn it is. What the caller's voice does to a reply is
 * `barge-in.ts`, what becomes of their words `answering.ts`; the agent's side is the speaker's. It knows no sockets and no
 * carrier, and is tested on the virtual clock.
 */

export interface ConversationParts extends SpeakerParts {
  turns: TurnSettings;
  reporter: Reporter;
  transcriber: Transcriber;
  /** Hears in the voice whether the turn is over, where a model for it is configured. */
  turnEar?: TurnEar | null;
  /** We placed the call: a machine may have answered it. */
  outbound: boolean;
  /** The voice's connection is lost: put another in its place. */
  replaceVoice(): void;
  /** The conversation is over: end the call so. */
  end(end: CallEnd): void;
}

export class Conversation {
  /** Null where nobody asks who answered. */
  readonly answerer: Answerer | null;
  readonly transfers: TransferDesk;
  readonly #parts: ConversationParts;
  readonly #record: TalkRecord;
  readonly #idle: IdleState;
  readonly #voice: CallerVoice;
  readonly #turn;
  readonly #speaker: Speaker;
  readonly #phrases: SetPhrases;
  readonly #speculation: SpeculationState = { drafts: 0 };
  readonly #bargeIn: BargeIn;
  readonly #farewell: Farewell;
  readonly #answering: Answering;
  #closed = false;

  constructor(parts: ConversationParts) {
    const { agent, model, usage, clock } = parts;
    this.#parts = parts;
    this.#voice = createCallerVoice(clock, parts.playout);
    this.#turn = newTurn(parts.turns);
    const record = createTalkRecord(parts);
    this.#record = record;
    const speaker = new Speaker(parts, record, {
      waitForCaller: (reply) => this.#bargeIn.waits(reply),
      saidNothing: (reply) => this.#saidNothing(reply),
      toolsDone: (reply) => !this.#closed && this.#answering.toolsDone(reply),
      failed: (component) => parts.end({ hangup_by: 'service', hangup_reason: `error: ${component}` }),
      givenBack: () => this.#answering.givenBack(),
      end: (end) => parts.end(end),
    });
    this.#speaker = speaker;
    this.#phrases = createSetPhrases(parts, record, speaker);
    this.transfers = speaker.transfers;
    const idle = startIdle(
      {
        hangUpAfterMs: agent.call.hangup_after_silence_seconds * 1_000,
        askAfterMs: agent.call.check_user_online ? agent.call.user_online_after_seconds * 1_000 : null,
      },
      clock.now(),
    );
    this.#idle = idle;
    const answerer = createAnswerer(parts, record, speaker, {
      answer: (turn) => this.#answering.hear(turn),
      goOn: () => {
        if (!speaker.reply) this.#answering.answerKept();
      },
      forget: () => {
        this.#farewell.callOff();
        return this.#answering.takeKept();
      },
    });
    this.answerer = answerer;
    const bargeIn = createBargeIn({ agent, turn: this.#turn, voice: this.#voice, speaker, answerer });
    this.#bargeIn = bargeIn;
    const farewell = createFarewell({
      ...{ agent, model, usage, clock, record, answerer, phrases: this.#phrases },
      busy: () => this.#busy(),
      end: (end) => parts.end(end),
    });
    this.#farewell = farewell;
    this.#answering = createAnswering({ clock, record, speaker, bargeIn, farewell, answerer, idle });
  }

  /** What the caller has heard so far of the reply that lives. */
  get heardOfAgent(): string {
    return this.#speaker.heardSoFar();
  }

  /** Says the welcome message; without one the caller speaks first. */
  start(): void {
    this.#speaker.tellKnowledge();
    this.#phrases.welcome();
  }

  /** A window of the voice-activity model. */
  heardWindow(probability: number, endMs: number, periodicity?: number): void {
    if (this.#closed) return;
    const { change, stirring } = this.#voice.hear(probability, endMs, periodicity);
    if (stirring !== null) this.#bargeIn.yield(stirring);
    if (change === 'ended') awaitWords(this.#idle);
    if (change !== null) {
      const { startedMs, lastVoiceMs } = this.#voice;
      const input: TurnInput =
        change === 'started' ? { type: 'voice_started', atMs: startedMs } : { type: 'voice_ended', atMs: lastVoiceMs };
      this.#advance(input);
      this.answerer?.hear(input);
    }
    this.#bargeIn.consider();
  }

  /** Another transcriber hears from now on. */
  transcriberChanged({ decidesTurns, provider }: Pick<Transcriber, 'decidesTurns' | 'provider'>): void {
    if (this.#closed) return;
    changeTranscriber(this.#turn, { decidesTurns, finalisationMs: FINALISATION_MS[provider] ?? 1_000 });
  }

  transcriberEvent(event: Exclude<TranscriberEvent, { type: 'failed' }>): void {
    if (this.#closed) return;
    const heard = this.#voice.withoutEcho(event, this.#speaker.reply);
    if (heard !== event && plainWords(event.text).length > 1) this.#speaker.goOn();
    this.#advance({ type: 'transcriber', event: heard });
  }

  voiceEvent(event: VoiceEvent): void {
    if (this.#closed) return;
    if (event.type === 'failed' && event.contextId === null) this.#parts.replaceVoice();
    this.#speaker.voiceEvent(event);
  }

  /** Every 20 ms. */
  tick(): void {
    if (this.#closed) return;
    this.#advance({ type: 'tick' });
    this.#bargeIn.consider();
    const nowMs = this.#parts.clock.now();
    this.answerer?.hear({ type: 'tick' });
    if (this.answerer?.keepsSilent) lookIdle(this.#idle, true, nowMs);
    if (this.#closed || this.answerer?.keepsSilent) return;
    this.#bargeIn.resumeAfterNothing(nowMs);
    const idle = lookIdle(this.#idle, this.#busy(), nowMs);
    if (idle === 'hang_up') this.#parts.end({ hangup_by: 'agent', hangup_reason: 'caller silent' });
    if (idle === 'ask') this.#phrases.askWhetherThere();
  }

  #busy(): boolean {
    return this.#speaker.reply !== null || this.#speaker.toolsRunning > 0 || turnOpen(this.#turn);
  }

  /** The caller pressed keys; they are answered like words. */
  pressed(digits: string): void {
    if (this.#closed) return;
    this.#record.tell('call.dtmf', `pressed ${digits}`, { data: { digits } });
    this.answerer?.hear({ type: 'keys' });
    this.#answering.hearKeys(`[pressed ${digits}]`);
  }

  playoutStarted(replyId: string, atMs: number): void {
    this.#speaker.started(replyId, atMs);
  }

  playoutFinished(replyId: string): void {
    const reply = this.#speaker.finished(replyId);
    if (!reply) return;
    this.#voice.replyFinished(reply);
    // Asking a quiet caller is no answer: the count of their silence goes on.
    if (reply.kind !== 'online_check') stir(this.#idle, this.#parts.clock.now());
    if (reply.hangUpAfter) {
      if (this.answerer?.isMachine) this.answerer.messageHeard();
      this.#parts.end(reply.hangUpAfter);
    } else if (!this.#answering.answerKept() && reply.kind === 'answer') {
      this.#farewell.consider();
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
    this.#farewell.callOff();
    this.#speaker.close();
    const unanswered = [this.#answering.takeKept(), this.answerer?.close() ?? '', wordsSoFar(this.#turn)].filter(
      Boolean,
    );
    if (unanswered.length > 0) this.#record.callerBrokeOff(unanswered.join(' '));
    this.#closed = true;
    return this.#record.takeLines();
  }

  #advance(input: TurnInput): void {
    const { clock, transcriber } = this.#parts;
    for (const effect of advanceTurn(this.#turn, input, clock.now())) {
      if (this.#closed) return;
      switch (effect.type) {
        case 'ask_final':
          transcriber.finalize();
          break;
        case 'ask_model':
          this.#askEar(effect.speechStartMs, effect.speechEndMs);
          break;
        case 'noise':
          this.#voice.isNoise();
          this.#speaker.goOn();
          break;
        case 'words':
          this.#farewell.callOff();
          this.answerer?.hear({ type: 'words', text: effect.text });
          this.#bargeIn.hearWords(effect.text);
          break;
        case 'eager_end':
          this.#thinkAhead(effect.text);
          break;
        case 'resumed':
          this.#speaker.dropDraft();
          break;
        case 'ended':
          if (effect.late && this.#speaker.reply?.audible) {
            // Its turn is being answered already: it is known to the next answer.
            this.#record.callerSaid(effect.text, effect.speechEndMs ?? clock.now(), {});
          } else this.#endTurn(effect.text, effect.speechStartMs, effect.speechEndMs);
          this.#speaker.dropDraft();
          this.#speculation.drafts = 0;
          break;
      }
    }
  }

  #askEar(speechStartMs: number, speechEndMs: number): void {
    this.#parts.turnEar?.ask(speechStartMs, (probability) => {
      if (!this.#closed) this.#advance({ type: 'model', probability, speechEndMs });
    });
  }

  /** The caller has probably finished: a reply is drafted, silently. */
  #thinkAhead(text: string): void {
    if (this.#speaker.reply || this.#speaker.toolsRunning > 0) return;
    if (this.#speaker.hasDraft(text) || this.answerer?.keepsSilent) return;
    if (!mayDraft(this.#speculation, text, this.#turn.speechStartMs, this.#parts.clock.now())) return;
    this.#speculation.drafts++;
    this.#speaker.draft(text);
  }

  /** The caller finished; '' when the speech held no words. */
  #endTurn(text: string, speechStartMs: number | null, speechEndMs: number | null): void {
    const nowMs = this.#parts.clock.now();
    const { lastVoiceMs } = this.#voice;
    const endMs = speechEndMs ?? (lastVoiceMs >= (speechStartMs ?? nowMs) ? lastVoiceMs : nowMs);
    const turn = { text, endMs };
    const heard = this.answerer ? this.answerer.hearTurn(turn) : turn;
    if (heard) this.#answering.hear(heard);
  }

  /** The model gave no words, or there was nothing in a text that can be spoken. */
  #saidNothing(reply: AgentReply): void {
    if (reply.hangUpAfter) {
      if (reply.kind === 'goodbye') this.#parts.end(reply.hangUpAfter);
      else this.#farewell.say(reply.hangUpAfter);
      return;
    }
    const data = { component: 'llm' };
    this.#record.tell('error', 'the language model answered nothing', { level: 'warning', data });
    this.#answering.answerKept();
  }
}
