import type { AgentConfig } from '../../shared/agent.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { Clock } from '../../shared/clock.ts';
import { languageOf } from '../../shared/languages/registry.ts';
import { type TurnWords, turnWords } from '../../shared/languages/turn-words.ts';
import type { HandoffRequest } from '../../shared/reply/handoff-tool.ts';
import type { TranscriptItem } from '../../shared/transcript.ts';
import { fillVariables } from '../../shared/variables.ts';
import { plainWords } from '../../shared/words.ts';
import type { Reporter } from '../report/reporter.ts';
import type { FallbackTranscriber } from '../stt/fallback-transcriber.ts';
import type { Transcriber, TranscriberEvent } from '../stt/transcriber.ts';
import type { SynthesizerEvent } from '../tts/synthesizer.ts';
import { audioTimeMs, newAudioClock, onExamined } from '../turn/audio-clock.ts';
import { type CallerLanguageState, followCaller, startCallerLanguage } from '../turn/caller-language.ts';
import { advanceTurn, finalizationMs } from '../turn/end-of-turn.ts';
import {
  awaitTranscript,
  changeIdleSettings,
  checkIdle,
  type IdleSettings,
  type IdleState,
  resetIdle,
  startIdle,
} from '../turn/idle.ts';
import { mayGeneratePreemptively, type PreemptiveGenerationState } from '../turn/preemptive-generation.ts';
import type { TurnDetectorStream } from '../turn/turn-detector.ts';
import {
  changeLanguage,
  changeTranscriber,
  newTurn,
  type TurnEffect,
  type TurnInput,
  type TurnSettings,
  turnOpen,
  wordsSoFar,
} from '../turn/turn-state.ts';
import { observeVoices, skipVoices, startTurnTaking, type TurnTakingFigures } from '../turn/turn-taking.ts';
import { type AgentControl, createAgentControl } from './agent-control.ts';
import type { AgentParts } from './agent-parts.ts';
import type { AgentReply } from './agent-reply.ts';
import { type AnsweringMachineDetector, createAnsweringMachineDetector } from './answering-machine-handling.ts';
import { type BargeIn, createBargeIn } from './barge-in.ts';
import { type CallerSpeech, createCallerSpeech } from './caller-speech.ts';
import { type CannedPrompts, createCannedPrompts } from './canned-prompts.ts';
import { type ChatContext, createChatContext } from './chat-context.ts';
import { createEndOfCall, type EndOfCall } from './end-of-call.ts';
import { createRecordingNotice, type RecordingNotice } from './recording-notice.ts';
import { createReprompt, type Reprompt } from './reprompt.ts';
import { Speaker, type SpeakerOptions } from './speaker.ts';
import type { TransferController } from './transfer.ts';
import { createTurnResponder, type TurnResponder } from './turn-response.ts';

export interface ConversationOptions extends SpeakerOptions {
  turns: TurnSettings;
  reporter: Reporter;
  transcriber: Pick<FallbackTranscriber, 'finalize' | 'speech' | 'speechEnded'>;
  /** Predicts from the audio whether a turn is over, where a model for it is configured. */
  turnDetector?: TurnDetectorStream | null;
  /** An answering machine may have answered. */
  outbound: boolean;
  /** Gets each line of the transcript as soon as it is final. */
  onTranscriptLine?: ((line: TranscriptItem) => void) | undefined;
  /** The notice of the recording was played out to its end. */
  onRecordingNoticePlayed?(): void;
  /** The agent goes on in this language, a tag. */
  onLanguage?(tag: string): void;
  end(end: CallEnd): void;
}

/**
 * Turn-taking between caller and agent: takes events and ticks, and decides whose turn it is. The caller's speech during a reply
 * is handled in `barge-in.ts`, their words in `turn-response.ts`, the agent's side in `speaker.ts`. Knows no sockets and no
 * carrier, and is tested on the virtual clock.
 */
export class Conversation {
  /** Null where no answering machine is expected. */
  readonly machineDetector: AnsweringMachineDetector | null;
  readonly transfers: TransferController;
  /** What a person or program orders. */
  readonly control: AgentControl;
  /** Those of the agent that speaks now. */
  readonly #options: ConversationOptions;
  readonly #context: ChatContext;
  readonly #idle: IdleState;
  readonly #audioClock = newAudioClock();
  /** By this the caller's silence and speech are judged: it waits for audio that a stalled network holds back. */
  readonly #callerClock: Pick<Clock, 'now'>;
  readonly #callerSpeech: CallerSpeech;
  readonly #turn;
  readonly #speaker: Speaker;
  readonly #prompts: CannedPrompts;
  readonly #recordingNotice: RecordingNotice;
  readonly #preemptive: PreemptiveGenerationState = { attempts: 0 };
  readonly #bargeIn: BargeIn;
  readonly #endOfCall: EndOfCall;
  readonly #reprompt: Reprompt;
  readonly #turnResponder: TurnResponder;
  readonly #language: CallerLanguageState;
  /** What the transcriber says the caller's language is in this turn; '' where it says nothing. */
  #transcribedLanguage = '';
  /** Those of the caller's language. */
  #words: TurnWords;
  readonly #turnTaking = startTurnTaking();
  #keysUnfinished = false;
  #closed = false;

  constructor(options: ConversationOptions) {
    const { usage, clock, turns, playout } = options;
    const callerClock = { now: () => audioTimeMs(this.#audioClock, clock.now()) };
    this.#callerClock = callerClock;
    const words = () => this.#words;
    const callerSpeech = createCallerSpeech({ clock, callerClock, playout, words });
    this.#callerSpeech = callerSpeech;
    this.#words = turnWords(options.language);
    this.#turn = newTurn({ ...turns, words: this.#words });
    const context = createChatContext(options);
    this.#context = context;
    const language = startCallerLanguage(options.language);
    this.#language = language;
    // One object for all parts, so that `#goOn` replaces the agent for each of them.
    const current: SpeakerOptions & ConversationOptions = {
      ...options,
      get language() {
        return language.current;
      },
      get answerIn() {
        return language.changed ? (languageOf(language.current)?.name ?? language.current) : '';
      },
    };
    this.#options = current;
    const speaker = new Speaker(current, context, {
      shouldWaitForCaller: (reply) => this.#bargeIn.shouldWait(reply),
      onEmptyReply: (reply) => this.#onEmptyReply(reply),
      mayContinue: (reply) => !this.#closed && this.#turnResponder.mayContinue(reply),
      onFailed: (component) => options.end({ hangup_by: 'service', hangup_reason: `error: ${component}` }),
      onCallerReturned: () => this.#turnResponder.onCallerReturned(),
      onAgent: (parts, request) => this.#goOn(parts, request),
      end: (end) => options.end(end),
    });
    this.#speaker = speaker;
    this.#prompts = createCannedPrompts(current, context, speaker);
    this.#recordingNotice = createRecordingNotice(options, context, speaker);
    this.transfers = speaker.transfers;
    const idle = startIdle(idleSettings(options.agent), clock.now());
    this.#idle = idle;
    const machineDetector = createAnsweringMachineDetector({ ...options, callerClock }, context, speaker, {
      onPerson: (turn) => this.#turnResponder.onTurn(turn),
      onReplyResumed: () => {
        if (!speaker.reply) this.#turnResponder.respondToPending();
      },
      takePending: () => {
        this.#endOfCall.cancelCheck();
        return this.#turnResponder.takePending();
      },
    });
    this.machineDetector = machineDetector;
    const prompts = this.#prompts;
    this.#reprompt = createReprompt({ callerClock, context, speaker, callerSpeech, prompts, machineDetector });
    const bargeIn = createBargeIn({
      ...{ turn: this.#turn, callerSpeech, speaker, machineDetector, words },
      settings: () => current.agent.call,
    });
    this.#bargeIn = bargeIn;
    const endOfCall = createEndOfCall({
      ...{ usage, clock, context, machineDetector, prompts: this.#prompts, scope: options.scope },
      get agent() {
        return current.agent;
      },
      get model() {
        return current.model;
      },
      busy: () => this.#busy(),
      end: (end) => options.end(end),
    });
    this.#endOfCall = endOfCall;
    this.#turnResponder = createTurnResponder({
      ...{ clock, context, speaker, bargeIn, endOfCall, machineDetector, idle, words },
      reprompt: this.#reprompt,
    });
    this.control = createAgentControl({
      ...{ values: options.values, clock, context, speaker, endOfCall, idle },
      get agent() {
        return current.agent;
      },
      turnResponder: this.#turnResponder,
      busy: () => this.#busy(),
    });
  }

  /** What was played out of the current reply. */
  get playedOutText(): string {
    return this.#speaker.playedOutText();
  }

  /** Says the notice of the recording where there is one, and the welcome message; without one the caller speaks first. */
  start(): void {
    this.#speaker.reportInlineKnowledge();
    if (!this.#recordingNotice.say()) this.#prompts.welcome();
  }

  /** Takes a window of the VAD. */
  onVadWindow(probability: number, endMs: number, periodicity?: number): void {
    if (this.#closed) return;
    onExamined(this.#audioClock, endMs);
    const { change, possibleSpeech } = this.#callerSpeech.onWindow(probability, endMs, periodicity);
    if (possibleSpeech !== null) this.#bargeIn.duck(possibleSpeech);
    if (change === 'ended') awaitTranscript(this.#idle);
    if (change !== null) {
      const { startedMs, lastSpeechMs } = this.#callerSpeech;
      // While the agent speaks it may be the agent's own voice.
      if (change === 'ended' && !this.#speaker.reply?.audible) {
        this.#options.transcriber.speechEnded(lastSpeechMs - startedMs);
      }
      const input: TurnInput =
        change === 'started' ? { type: 'voice_started', atMs: startedMs } : { type: 'voice_ended', atMs: lastSpeechMs };
      this.#options.transcriber.speech(change === 'started');
      if (change === 'started') this.#reprompt.onSpeechStarted();
      else this.#reprompt.onSpeechEnded();
      this.#advance(input);
      this.machineDetector?.onInput(input);
    }
    this.#bargeIn.check();
  }

  /** Another transcriber is in use from now on. */
  onTranscriberChanged(transcriber: Pick<Transcriber, 'decidesTurns' | 'provider' | 'finalizationMs'>): void {
    if (this.#closed) return;
    const { decidesTurns } = transcriber;
    changeTranscriber(this.#turn, { decidesTurns, finalizationMs: finalizationMs(transcriber) });
  }

  onTranscriberEvent(event: Exclude<TranscriberEvent, { type: 'failed' }>): void {
    if (this.#closed) return;
    if ('language' in event && event.language) this.#transcribedLanguage = event.language;
    const withoutEcho = this.#callerSpeech.withoutEcho(event, this.#speaker.reply);
    if (withoutEcho !== event && plainWords(event.text).length > 1) this.#speaker.resume();
    this.#advance({ type: 'transcriber', event: withoutEcho });
  }

  onSynthesizerEvent(event: SynthesizerEvent): void {
    if (this.#closed) return;
    this.#speaker.onSynthesizerEvent(event);
  }

  /** Every 20 ms. */
  tick(): void {
    if (this.#closed) return;
    this.#advance({ type: 'tick' });
    this.#bargeIn.check();
    this.#recordingNotice.tick();
    const nowMs = this.#callerClock.now();
    this.machineDetector?.onInput({ type: 'tick' });
    const silent = this.machineDetector?.suppressesReplies || this.#speaker.muted;
    this.#observeVoices(nowMs, Boolean(silent));
    if (silent) checkIdle(this.#idle, true, nowMs);
    if (!this.#closed && this.#speaker.muted) this.control.tick();
    if (this.#closed || silent) return;
    this.#bargeIn.resumeAfterFalseInterruption(nowMs);
    this.#reprompt.tick(this.#keysUnfinished || turnOpen(this.#turn));
    if (!this.#busy()) this.#turnResponder.onQuiet();
    this.control.tick();
    const idle = checkIdle(this.#idle, this.#busy() || this.control.callerMuted, nowMs);
    if (idle === 'hang_up') this.#options.end({ hangup_by: 'agent', hangup_reason: 'caller silent' });
    if (idle === 'ask') this.#prompts.onlineCheck();
  }

  #observeVoices(nowMs: number, silent: boolean): void {
    const reply = this.#speaker.reply;
    if (silent || this.control.callerMuted) {
      skipVoices(this.#turnTaking, nowMs);
      return;
    }
    const played = reply?.audible ? reply : null;
    observeVoices(this.#turnTaking, nowMs, this.#callerSpeech.speaking, played, this.#bargeIn.allowed);
  }

  #busy(): boolean {
    const callerActive = turnOpen(this.#turn) || this.#keysUnfinished || this.#reprompt.awaitsWords;
    return callerActive || this.#speaker.reply !== null || this.#speaker.toolsRunning > 0;
  }

  /** The caller pressed a key, and may press more. */
  onKey(): void {
    this.#keysUnfinished = true;
    this.#endOfCall.cancelCheck();
  }

  /** The caller pressed keys, which are replied to like words. */
  onKeys(digits: string): void {
    if (this.#closed) return;
    this.#keysUnfinished = false;
    this.#reprompt.onUnderstood();
    this.#context.report('call.dtmf', `pressed ${digits}`, { data: { digits } });
    this.machineDetector?.onInput({ type: 'keys' });
    this.#turnResponder.onKeys(`[pressed ${digits}]`);
  }

  onPlayoutStarted(replyId: string, atMs: number): void {
    this.#speaker.onPlayoutStarted(replyId, atMs);
  }

  onPlayoutFinished(replyId: string): void {
    const reply = this.#speaker.onPlayoutFinished(replyId);
    if (!reply) return;
    this.#callerSpeech.onReplyFinished(reply);
    // The online check is no reply: the caller's silence continues.
    if (reply.kind !== 'online_check') resetIdle(this.#idle, this.#options.clock.now());
    if (reply.kind === 'notice') {
      this.#recordingNotice.onPlayed(reply);
      this.#greet();
    } else if (reply.hangUpAfter) {
      if (this.machineDetector?.isMachine) this.machineDetector.onMessagePlayed();
      this.#options.end(reply.hangUpAfter);
    } else if (!this.#turnResponder.respondToPending() && reply.kind === 'answer') {
      this.#endOfCall.check();
    }
  }

  /** Of the call so far. */
  get turnTaking(): TurnTakingFigures {
    return this.#turnTaking.figures;
  }

  /** Mean latency of the replies' first audio, or null when there was none. */
  averageFirstAudioMs(): number | null {
    return this.#speaker.averageFirstAudioMs();
  }

  /**
   * Stops everything, keeps the words of an unfinished reply and turn, and returns the lines that no event has carried yet.
   * `unfinishedDigits`: keys that were pressed and not handed over.
   */
  close(unfinishedDigits = ''): TranscriptItem[] {
    if (this.#closed) return [];
    this.#endOfCall.cancelCheck();
    this.#speaker.close();
    this.#recordingNotice.close();
    const digits = unfinishedDigits;
    if (digits !== '') this.#context.report('call.dtmf', `pressed ${digits}`, { data: { digits } });
    const unanswered = [
      this.#turnResponder.takePending(),
      this.machineDetector?.close() ?? '',
      wordsSoFar(this.#turn),
      digits === '' ? '' : `[pressed ${digits}]`,
    ].filter(Boolean);
    this.#context.giveUpTranscripts();
    if (unanswered.length > 0) this.#context.addUnfinishedCallerTurn(unanswered.join(' '));
    this.#closed = true;
    return this.#context.takeTranscript();
  }

  /** A person has said this to the caller, in the agent's place or beside it; `speechEndMs` is monotonic. */
  addHumanAgentTurn(text: string, speechEndMs: number): void {
    if (this.#closed) return;
    this.#context.addHumanAgentTurn(text, speechEndMs);
    resetIdle(this.#idle, this.#options.clock.now());
  }

  /** The lines that no event has carried yet, where `close` failed. */
  takeTranscript(): TranscriptItem[] {
    return this.#context.takeTranscript();
  }

  #advance(input: TurnInput): void {
    const { clock, transcriber } = this.#options;
    for (const effect of advanceTurn(this.#turn, input, this.#callerClock.now())) {
      if (this.#closed) return;
      switch (effect.type) {
        case 'finalize':
          transcriber.finalize();
          break;
        case 'predict_end_of_turn':
          this.#predictEndOfTurn(effect.speechStartMs, effect.speechEndMs);
          break;
        case 'noise':
          this.#callerSpeech.markAsNoise();
          this.#reprompt.onNoise();
          this.#speaker.resume();
          break;
        case 'words':
          this.#endOfCall.cancelCheck();
          this.machineDetector?.onInput({ type: 'words', text: effect.text });
          this.#bargeIn.onWords(effect.text);
          break;
        case 'eager_end':
          this.#generatePreemptively(effect.text);
          break;
        case 'resumed':
          this.#speaker.dropPreemptiveReply();
          break;
        case 'ended':
          if (effect.text !== '') this.#reprompt.onUnderstood();
          if (effect.late && this.#speaker.reply?.audible) {
            // The reply to its turn is being played: the next one will know these words.
            this.#context.addCallerTurn(effect.text, effect.speechEndMs ?? clock.now(), {});
          } else this.#endTurn(effect);
          this.#speaker.dropPreemptiveReply();
          this.#preemptive.attempts = 0;
          break;
        case 'transcribed':
          this.#context.transcribe(effect.part, effect.text);
          break;
      }
    }
  }

  #predictEndOfTurn(speechStartMs: number, speechEndMs: number): void {
    const onResult = this.#options.scope.guard((probability: number) => {
      if (!this.#closed) this.#advance({ type: 'turn_prediction', probability, speechEndMs });
    });
    this.#options.turnDetector?.predict(speechStartMs, onResult);
  }

  /** The caller has probably finished: generates a reply without playing it. */
  #generatePreemptively(text: string): void {
    if (this.#speaker.reply || this.#speaker.toolsRunning > 0) return;
    if (this.#speaker.hasPreemptiveReply(text) || this.machineDetector?.suppressesReplies) return;
    if (!mayGeneratePreemptively(this.#preemptive, text, this.#turn.speechStartMs, this.#callerClock.now())) return;
    this.#preemptive.attempts++;
    this.#speaker.generatePreemptively(text);
  }

  /** The caller's turn ended; '' when the speech held no words. */
  #endTurn({ text, speechStartMs, speechEndMs, untranscribed }: Extract<TurnEffect, { type: 'ended' }>): void {
    const nowMs = this.#options.clock.now();
    const { lastSpeechMs } = this.#callerSpeech;
    const endMs = speechEndMs ?? (lastSpeechMs >= (speechStartMs ?? nowMs) ? lastSpeechMs : nowMs);
    const turn = { text, endMs, ...(untranscribed.length > 0 && { untranscribed }) };
    const toRespond = this.machineDetector ? this.machineDetector.onTurn(turn) : turn;
    if (!toRespond) return;
    this.#followCaller(toRespond.text);
    this.#turnResponder.onTurn(toRespond);
  }

  /** Another agent goes on: with its first message, or with an answer to what the caller has said. */
  #goOn(parts: AgentParts, { handoff }: HandoffRequest): void {
    const { values, clock } = this.#options;
    if (this.#closed) return;
    this.#endOfCall.cancelCheck();
    Object.assign(this.#options, parts);
    changeIdleSettings(this.#idle, idleSettings(parts.agent), clock.now());
    const { changed, current } = this.#language;
    Object.assign(this.#language, startCallerLanguage(parts.agent.voice.language));
    if (changed && parts.agent.call.follow_language) this.#goOnIn(current);
    else this.#changeWords();
    this.#speaker.onAgentChanged(handoff.history_turns);
    const message = fillVariables(handoff.first_message, values).trim();
    if (message !== '' && !this.#speaker.muted) this.#speaker.say('said', message);
    else this.#turnResponder.onCallerReturned();
  }

  /** The caller's language is another one than the agent's. */
  #goOnIn(language: string): void {
    Object.assign(this.#language, { current: language, changed: true });
    this.#changeWords();
    this.#options.onLanguage?.(language);
  }

  /** The words of the language are those of another one from now on. */
  #changeWords(): void {
    this.#words = turnWords(this.#language.current);
    changeLanguage(this.#turn, this.#words);
  }

  /** Goes on in the caller's language where they have changed it. */
  #followCaller(text: string): void {
    const named = this.#transcribedLanguage;
    this.#transcribedLanguage = '';
    if (!this.#options.agent.call.follow_language || this.machineDetector?.isMachine) return;
    const from = this.#language.current;
    const to = followCaller(this.#language, text, named);
    if (to === null) return;
    this.#changeWords();
    this.#speaker.dropPreemptiveReply();
    this.#options.onLanguage?.(to);
    const name = languageOf(to)?.name ?? to;
    this.#context.report('language.changed', `the call goes on in ${name}`, { data: { from, to } });
  }

  /** Says the welcome message after the notice, or replies to what the caller said meanwhile. */
  #greet(): void {
    this.#prompts.welcome();
    if (!this.#speaker.reply) this.#turnResponder.respondToPending();
  }

  /** A reply had nothing speakable. */
  #onEmptyReply(reply: AgentReply): void {
    if (reply.kind === 'notice') {
      this.#recordingNotice.tick();
      this.#greet();
      return;
    }
    if (reply.hangUpAfter) {
      if (reply.kind === 'goodbye') this.#options.end(reply.hangUpAfter);
      else this.#endOfCall.sayGoodbye(reply.hangUpAfter);
      return;
    }
    const data = { component: 'llm' };
    this.#context.report('error', 'the language model answered nothing', { level: 'warning', data });
    this.#turnResponder.respondToPending();
  }
}

const idleSettings = ({ call }: AgentConfig): IdleSettings => ({
  hangUpAfterMs: call.hangup_after_silence_seconds * 1_000,
  askAfterMs: call.check_user_online ? call.user_online_after_seconds * 1_000 : null,
});
