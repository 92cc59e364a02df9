import type { CallEnd } from '../../shared/call.ts';
import type { TranscriptItem } from '../../shared/transcript.ts';
import { fillVariables } from '../../shared/variables.ts';
import { createHangUpCheck, type HangUpCheck } from '../reply/hang-up-check.ts';
import type { Reporter } from '../report/reporter.ts';
import type { Transcriber, TranscriberEvent } from '../stt/transcriber.ts';
import type { VoiceEvent } from '../tts/voice.ts';
import { advanceTurn, newTurn, type TurnInput, type TurnSettings, turnOpen, wordsSoFar } from '../turn/end-of-turn.ts';
import { awaitWords, type IdleState, lookIdle, startIdle, stir } from '../turn/idle.ts';
import { NEARLY_OVER_MS, NO_WORDS_AFTER_MS, NOISE_AFTER_MS, shouldHush, verdict } from '../turn/interruption.ts';
import { mayDraft, type SpeculationState } from '../turn/speculation.ts';
import { hearWindow, quiet, unbrokenMs } from '../turn/speech.ts';
import { isBackchannel, plainWords } from '../turn/words.ts';
import type { AgentReply } from './agent-reply.ts';
import { Speaker, type SpeakerParts } from './speaker.ts';
import { createTalkRecord, type TalkRecord } from './talk-record.ts';

/**
 * The talk itself: whose turn it is, what is answered and what is cut. It knows no sockets and no carrier; it is given
 * events and moments, and is tested on the virtual clock. The agent's side of it is the speaker's.
 */

export interface ConversationParts extends SpeakerParts {
  turns: TurnSettings;
  reporter: Reporter;
  transcriber: Transcriber;
  /** The voice's connection is lost: put another in its place. */
  replaceVoice(): void;
  /** The conversation is over: end the call so. */
  end(end: CallEnd): void;
}

export class Conversation {
  readonly #parts: ConversationParts;
  readonly #record: TalkRecord;
  readonly #idle: IdleState;
  readonly #speech = quiet();
  readonly #turn;
  readonly #speaker: Speaker;
  readonly #speculation: SpeculationState = { drafts: 0 };
  /** What the caller said while the agent could not be interrupted. */
  #pending = '';
  readonly #hangUpCheck: HangUpCheck;
  /** The voice that is heard has turned out to be noise. */
  #noisy = false;
  #closed = false;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    this.#turn = newTurn(parts.turns);
    this.#record = createTalkRecord(parts);
    this.#speaker = new Speaker(parts, this.#record, {
      waitForCaller: (reply) => this.#mayInterrupt(reply) && (this.#turn.open || this.#callerMeansBusiness()),
      saidNothing: (reply) => this.#saidNothing(reply),
      toolsDone: (reply) => this.#toolsDone(reply),
      failed: (component) => parts.end({ hangup_by: 'service', hangup_reason: `error: ${component}` }),
    });
    const { call } = parts.agent;
    const settings = {
      hangUpAfterMs: call.hangup_after_silence_seconds * 1_000,
      askAfterMs: call.check_user_online ? call.user_online_after_seconds * 1_000 : null,
    };
    this.#idle = startIdle(settings, parts.clock.now());
    const { model, usage, clock } = parts;
    this.#hangUpCheck = createHangUpCheck({ model, usage, clock, prompt: call.hangup_prompt });
  }

  /** Says the welcome message; without one the caller speaks first. */
  start(): void {
    const { agent, values } = this.#parts;
    const text = fillVariables(agent.welcome_message, values).trim();
    if (text === '') return;
    this.#record.tell('welcome', text);
    this.#speaker.say('welcome', text);
  }

  /** A window of the voice-activity model. */
  heardWindow(probability: number, endMs: number): void {
    if (this.#closed) return;
    const change = hearWindow(this.#speech, probability, endMs);
    if (change === 'started') this.#yield(true);
    if (change === 'ended') {
      this.#yield(false);
      awaitWords(this.#idle);
    }
    if (change === 'started') this.#advance({ type: 'voice_started', atMs: this.#speech.startedMs });
    if (change === 'ended') this.#advance({ type: 'voice_ended', atMs: this.#speech.lastVoiceMs });
    this.#considerHush();
  }

  transcriberEvent(event: Exclude<TranscriberEvent, { type: 'failed' }>): void {
    if (!this.#closed) this.#advance({ type: 'transcriber', event });
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
    const wordless = !turnOpen(this.#turn) && nowMs - this.#speech.lastVoiceMs >= NO_WORDS_AFTER_MS;
    if (wordless) this.#speaker.goOn();
    this.#considerNoise(nowMs);
    const idle = lookIdle(this.#idle, this.#busy(), nowMs);
    if (idle === 'hang_up') this.#parts.end({ hangup_by: 'agent', hangup_reason: 'caller silent' });
    if (idle === 'ask') this.#askWhetherThere();
  }

  #busy(): boolean {
    return this.#speaker.reply !== null || this.#speaker.toolsRunning > 0 || turnOpen(this.#turn);
  }

  /** The caller pressed keys; they are answered like words. */
  pressed(digits: string): void {
    if (this.#closed) return;
    const nowMs = this.#parts.clock.now();
    this.#record.tell('call.dtmf', `pressed ${digits}`, { data: { digits } });
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
    // Asking a quiet caller is no answer: the count of their silence goes on.
    if (reply.kind !== 'online_check') stir(this.#idle, this.#parts.clock.now());
    if (reply.hangUpAfter) {
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
    const unanswered = `${this.#pending} ${wordsSoFar(this.#turn)}`.trim();
    if (unanswered !== '') this.#record.callerBrokeOff(unanswered);
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
          this.#endTurn(effect.text, effect.speechStartMs, effect.speechEndMs);
          this.#speaker.dropDraft();
          this.#speculation.drafts = 0;
          break;
      }
    }
  }

  /** The caller has probably finished: a reply is drafted, silently. */
  #thinkAhead(text: string): void {
    if (this.#speaker.reply || this.#speaker.hasDraft(text)) return;
    if (!mayDraft(this.#speculation, text, this.#turn.speechStartMs, this.#parts.clock.now())) return;
    this.#speculation.drafts++;
    this.#speaker.draft(text);
  }

  /** The caller's words so far, while the turn goes on. */
  #hearWords(text: string): void {
    this.#hangUpCheck.callOff();
    const reply = this.#reply;
    if (!reply || !this.#mayInterrupt(reply)) return;
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
    const lastVoiceMs = this.#speech.lastVoiceMs;
    const endMs = speechEndMs ?? (lastVoiceMs >= (speechStartMs ?? nowMs) ? lastVoiceMs : nowMs);
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
    const voiceMs = this.#noisy ? 0 : unbrokenMs(this.#speech, this.#parts.clock.now());
    return shouldHush(voiceMs, wordsSoFar(this.#turn));
  }

  /**
   * A voice without end and without words is the room: the agent goes on, and only words stop it now. Only a transcriber
   * that tells words as they come can say that there are none.
   */
  #considerNoise(nowMs: number): void {
    if (!this.#speech.speaking) this.#noisy = false;
    if (!this.#parts.turns.decidesTurns) return;
    if (!this.#reply?.held || !this.#speech.speaking || this.#turn.open || wordsSoFar(this.#turn) !== '') return;
    if (nowMs - this.#speech.startedMs < NOISE_AFTER_MS) return;
    this.#noisy = true;
    this.#speaker.goOn();
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

  #answerPending(): void {
    const text = this.#pending;
    this.#pending = '';
    const nowMs = this.#parts.clock.now();
    this.#answer(text, nowMs, nowMs);
  }

  #answer(text: string, speechEndMs: number, turnEndMs: number): void {
    if (this.#speaker.toolsRunning > 0) {
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
    const { agent, values } = this.#parts;
    const goodbye = fillVariables(agent.call.hangup_message, values).trim();
    if (goodbye === '') {
      this.#parts.end(end);
      return;
    }
    this.#speaker.say('goodbye', goodbye, end);
  }

  #askWhetherThere(): void {
    const { agent, values } = this.#parts;
    const text = fillVariables(agent.call.user_online_message, values).trim();
    if (text === '') return;
    this.#record.tell('user.online_check', text);
    this.#speaker.say('online_check', text);
  }

  /** The model, asked with the agent's own question, thinks that nothing is left to say. */
  #over(): void {
    if (this.#closed || this.#reply || turnOpen(this.#turn)) return;
    this.#record.tell('hangup.prompt', 'the conversation is over');
    this.#sayGoodbye({ hangup_by: 'agent', hangup_reason: 'hang-up prompt' });
  }
}
