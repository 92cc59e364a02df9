import type { CallEnd } from '../../shared/call.ts';
import type { TranscriptItem } from '../../shared/transcript.ts';
import { createHangUpCheck, type HangUpCheck } from '../reply/hang-up-check.ts';
import type { Reporter } from '../report/reporter.ts';
import type { Transcriber, TranscriberEvent } from '../stt/transcriber.ts';
import type { VoiceEvent } from '../tts/voice.ts';
import { advanceTurn, FINALISATION_MS } from '../turn/end-of-turn.ts';
import { awaitWords, type IdleState, lookIdle, startIdle, stir } from '../turn/idle.ts';
import { NEARLY_OVER_MS, NO_WORDS_AFTER_MS, verdict } from '../turn/interruption.ts';
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
import { isBackchannel, plainWords } from '../turn/words.ts';
import type { AgentReply } from './agent-reply.ts';
import { type CallerVoice, createCallerVoice } from './caller-voice.ts';
import { createSetPhrases, type SetPhrases } from './set-phrases.ts';
import { Speaker, type SpeakerParts } from './speaker.ts';
import { createTalkRecord, type TalkRecord } from './talk-record.ts';
import type { TransferDesk } from './transfer.ts';
import { type Answerer, createAnswerer, type HeardTurn } from './voicemail.ts';

/**
 * The talk itself: whose turn it is, what is answered and what is cut. It knows no sockets and no carrier; it is given
 * events and moments, and is tested on the virtual clock. The agent's side of it is the speaker's.
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
  /** What the caller said while the agent could not be interrupted. */
  #pending = '';
  readonly #hangUpCheck: HangUpCheck;
  #closed = false;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    this.#voice = createCallerVoice(parts.clock, parts.playout);
    this.#turn = newTurn(parts.turns);
    this.#record = createTalkRecord(parts);
    this.#speaker = new Speaker(parts, this.#record, {
      waitForCaller: (reply) => this.#waitsForCaller(reply),
      saidNothing: (reply) => this.#saidNothing(reply),
      toolsDone: (reply) => this.#toolsDone(reply),
      failed: (component) => parts.end({ hangup_by: 'service', hangup_reason: `error: ${component}` }),
      givenBack: () => this.#takeBack(),
      end: (end) => parts.end(end),
    });
    this.#phrases = createSetPhrases(parts, this.#record, this.#speaker);
    this.transfers = this.#speaker.transfers;
    const { call } = parts.agent;
    const settings = {
      hangUpAfterMs: call.hangup_after_silence_seconds * 1_000,
      askAfterMs: call.check_user_online ? call.user_online_after_seconds * 1_000 : null,
    };
    this.#idle = startIdle(settings, parts.clock.now());
    const { model, usage, clock } = parts;
    this.#hangUpCheck = createHangUpCheck({ model, usage, clock, prompt: call.hangup_prompt });
    this.answerer = createAnswerer(parts, this.#record, this.#speaker, {
      answer: (turn) => this.#react(turn),
      goOn: () => {
        if (!this.#reply && this.#pending !== '') this.#answerPending();
      },
      forget: () => {
        this.#hangUpCheck.callOff();
        const pending = this.#pending;
        this.#pending = '';
        return pending;
      },
    });
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
    if (stirring !== null) this.#yield(stirring);
    if (change === 'ended') awaitWords(this.#idle);
    if (change !== null) {
      const { startedMs, lastVoiceMs } = this.#voice;
      const input: TurnInput =
        change === 'started' ? { type: 'voice_started', atMs: startedMs } : { type: 'voice_ended', atMs: lastVoiceMs };
      this.#advance(input);
      this.answerer?.hear(input);
    }
    this.#considerHush();
  }

  /** Another transcriber hears from now on. */
  transcriberChanged({ decidesTurns, provider }: Pick<Transcriber, 'decidesTurns' | 'provider'>): void {
    if (this.#closed) return;
    changeTranscriber(this.#turn, { decidesTurns, finalisationMs: FINALISATION_MS[provider] ?? 1_000 });
  }

  transcriberEvent(event: Exclude<TranscriberEvent, { type: 'failed' }>): void {
    if (this.#closed) return;
    const heard = this.#voice.withoutEcho(event, this.#reply);
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
    this.#considerHush();
    const nowMs = this.#parts.clock.now();
    this.answerer?.hear({ type: 'tick' });
    if (this.answerer?.keepsSilent) lookIdle(this.#idle, true, nowMs);
    if (this.#closed || this.answerer?.keepsSilent) return;
    const wordless = !turnOpen(this.#turn) && nowMs - this.#voice.lastVoiceMs >= NO_WORDS_AFTER_MS;
    if (wordless) this.#speaker.goOn();
    this.#considerNoise(nowMs);
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
    const nowMs = this.#parts.clock.now();
    this.#record.tell('call.dtmf', `pressed ${digits}`, { data: { digits } });
    this.answerer?.hear({ type: 'keys' });
    const reply = this.#reply;
    if (reply && !this.#mayInterrupt(reply)) {
      this.#pending = `${this.#pending} [pressed ${digits}]`.trim();
      return;
    }
    this.#speaker.interrupt();
    this.#answer(`[pressed ${digits}]`, nowMs, nowMs);
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
    } else if (this.#pending !== '') {
      this.#answerPending();
    } else if (reply.kind === 'answer' && this.#parts.agent.call.hangup_on_prompt) {
      this.#hangUpCheck.ask(this.#record.history, () => this.#over());
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
    this.#hangUpCheck.callOff();
    this.#speaker.close();
    const unanswered = [this.#pending, this.answerer?.close() ?? '', wordsSoFar(this.#turn)].filter(Boolean);
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
          this.#hearWords(effect.text);
          break;
        case 'eager_end':
          this.#thinkAhead(effect.text);
          break;
        case 'resumed':
          this.#speaker.dropDraft();
          break;
        case 'ended':
          if (effect.late && this.#reply?.audible) {
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

  /** The caller's words so far, while the turn goes on. */
  #hearWords(text: string): void {
    this.#hangUpCheck.callOff();
    this.answerer?.hear({ type: 'words', text });
    const reply = this.#reply;
    if (!reply || !this.#mayInterrupt(reply) || this.answerer?.keepsSilent) return;
    const meant = verdict(text, this.#wordsNeeded(reply), false) === 'cut';
    if (!reply.audible) {
      // Still thinking: the caller goes on with the same turn, and is answered once, for all of it. A tool is waited for.
      if (meant && this.#speaker.toolsRunning === 0) this.#speaker.drop();
      return;
    }
    this.#considerHush();
    if (reply.held && meant) this.#speaker.interrupt();
  }

  /** The caller finished; '' when the speech held no words. */
  #endTurn(text: string, speechStartMs: number | null, speechEndMs: number | null): void {
    const nowMs = this.#parts.clock.now();
    const { lastVoiceMs } = this.#voice;
    const endMs = speechEndMs ?? (lastVoiceMs >= (speechStartMs ?? nowMs) ? lastVoiceMs : nowMs);
    const turn = { text, endMs };
    const heard = this.answerer ? this.answerer.hearTurn(turn) : turn;
    if (heard) this.#react(heard);
  }

  /** A turn is over: it is answered, kept or noted. */
  #react({ text, endMs }: HeardTurn): void {
    const nowMs = this.#parts.clock.now();
    const reply = this.#reply;
    if (text === '') {
      this.#speaker.goOn();
      return;
    }
    if (!reply) {
      this.#answer(text, endMs, nowMs);
      return;
    }
    if (reply.hangUpAfter) {
      // The goodbye is heard in full; what is said over it is kept, not answered.
      this.#record.callerSaid(text, endMs, { after_goodbye: true });
      this.#speaker.goOn();
      return;
    }
    if (!this.#mayInterrupt(reply)) {
      this.#pending = `${this.#pending} ${text}`.trim();
      this.#speaker.goOn();
      return;
    }
    if (verdict(text, this.#wordsNeeded(reply), true) === 'resume') {
      const leftMs = this.#speaker.leftMs();
      // A short word at the end of a question answers it; elsewhere it is noted, and the agent goes on.
      if (leftMs !== null && leftMs < NEARLY_OVER_MS) this.#pending = `${this.#pending} ${text}`.trim();
      else if (!isBackchannel(plainWords(text))) this.#record.callerSaid(text, endMs, {});
      this.#speaker.goOn();
      return;
    }
    if (reply.audible || this.#speaker.toolsRunning === 0) this.#speaker.interrupt();
    this.#answer(text, endMs, nowMs);
  }

  /** One word more, said while the agent still thinks, belongs to what is answered. */
  #wordsNeeded(reply: AgentReply): number {
    return reply.audible ? this.#parts.agent.call.interruption_min_words : 1;
  }

  #mayInterrupt(reply: AgentReply): boolean {
    const { call } = this.#parts.agent;
    if (this.answerer?.isMachine || reply.transferAfter) return false;
    return reply.hangUpAfter ? call.hangup_interruptible : call.allow_interruptions;
  }

  /** At the caller's voice the agent at once speaks more softly, and aloud again when it was nothing. */
  #yield(softly: boolean): void {
    const reply = this.#reply;
    if (reply && this.#mayInterrupt(reply)) this.#speaker.soften(softly);
  }

  /** Falls silent at once when the caller's voice or words ask for it. */
  #considerHush(): void {
    const reply = this.#reply;
    if (reply?.audible && this.#mayInterrupt(reply) && this.#callerMeansBusiness()) this.#speaker.hush();
  }

  #callerMeansBusiness(): boolean {
    return this.#voice.meansBusiness(wordsSoFar(this.#turn));
  }

  /**
   * A voice without end and without words is the room: the agent goes on, and only words stop it now. Only a transcriber
   * that tells words as they come can say that there are none.
   */
  #considerNoise(nowMs: number): void {
    const noise = this.#voice.soundsLikeNoise(nowMs);
    const { settings, tellsUnasked, open } = this.#turn;
    if (!noise || !this.#reply?.held || open || wordsSoFar(this.#turn) !== '') return;
    if (!settings.decidesTurns && !tellsUnasked) return;
    this.#voice.isNoise();
    this.#speaker.goOn();
  }

  #waitsForCaller(reply: AgentReply): boolean {
    if (this.answerer?.keepsSilent && !this.answerer.isMachine) return true;
    return this.#mayInterrupt(reply) && (this.#turn.open || this.#callerMeansBusiness());
  }

  get #reply(): AgentReply | null {
    return this.#speaker.reply;
  }

  /** The tools of a reply have answered; true when the reply may go on with what they found. */
  #toolsDone(reply: AgentReply): boolean {
    if (this.#closed) return false;
    const current = this.#reply;
    if (this.#pending === '' || (current !== null && (current !== reply || reply.audible))) return true;
    // The caller said more meanwhile: they are answered for all of it, knowing what the tool found.
    this.#speaker.drop();
    this.#answerPending();
    return false;
  }

  /** Nobody took the call: the agent says so, and answers what the caller said meanwhile. */
  #takeBack(): void {
    const nowMs = this.#parts.clock.now();
    stir(this.#idle, nowMs);
    if (this.#pending !== '') this.#answerPending();
    else this.#speaker.answer('', nowMs, nowMs);
  }

  #answerPending(): void {
    const text = this.#pending;
    this.#pending = '';
    const nowMs = this.#parts.clock.now();
    this.#answer(text, nowMs, nowMs);
  }

  #answer(text: string, speechEndMs: number, turnEndMs: number): void {
    if (this.#speaker.toolsRunning > 0 || this.answerer?.keepsSilent) {
      // Without its result the model would ask for the same again.
      this.#pending = `${this.#pending} ${text}`.trim();
      return;
    }
    this.#hangUpCheck.callOff();
    stir(this.#idle, this.#parts.clock.now());
    this.#record.callerSaid(text, speechEndMs, {});
    this.#speaker.answer(text, speechEndMs, turnEndMs);
  }

  /** The model gave no words. */
  #saidNothing(reply: AgentReply): void {
    if (!reply.hangUpAfter) {
      this.#record.tell('error', 'the language model answered nothing', {
        level: 'warning',
        data: { component: 'llm' },
      });
      if (this.#pending !== '') this.#answerPending();
      return;
    }
    this.#sayGoodbye(reply.hangUpAfter);
  }

  /** The hang-up message, if there is one, and then the end. */
  #sayGoodbye(end: CallEnd): void {
    if (this.answerer?.isMachine || !this.#phrases.goodbye(end)) this.#parts.end(end);
  }

  /** The model, asked with the agent's own question, thinks that nothing is left to say. */
  #over(): void {
    if (this.#closed || this.#reply || this.#speaker.toolsRunning > 0 || turnOpen(this.#turn)) return;
    this.#record.tell('hangup.prompt', 'the conversation is over');
    this.#sayGoodbye({ hangup_by: 'agent', hangup_reason: 'hang-up prompt' });
  }
}
