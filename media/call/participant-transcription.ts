import type { AgentConfig } from '../../shared/agent.ts';
import type { Clock } from '../../shared/clock.ts';
import { turnWords } from '../../shared/languages/turn-words.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { FRAME_MS, PCM_16K } from '../audio/format.ts';
import { readSamples } from '../audio/samples.ts';
import type { Reporter } from '../report/reporter.ts';
import type { FallbackTranscriber } from '../stt/fallback-transcriber.ts';
import { advanceTurn, finalizationMs } from '../turn/end-of-turn.ts';
import { noSpeech, updateSpeech } from '../turn/speech-state.ts';
import { changeTranscriber, newTurn, type TurnInput, wordsSoFar } from '../turn/turn-state.ts';
import type { Vad } from '../turn/vad.ts';
import type { CallProviders, OtherVoice } from './call-providers.ts';
import { createCallScope } from './call-scope.ts';

/**
 * Transcribes a person who speaks to the caller, as the agent's settings transcribe the caller. What fails in it costs the words that
 * follow, and is on the timeline once.
 */
export interface ParticipantTranscription {
  /** Takes 20 ms of the person, PCM at 16 kHz. */
  push(frame: Uint8Array): void;
  /** Every 20 ms. */
  tick(): void;
  /** The person does not speak to the caller any more; words that are not final are taken as they are. */
  close(): void;
}

export interface ParticipantTranscriptionOptions {
  callId: string;
  agent: Pick<AgentConfig, 'transcriber' | 'voice'>;
  providers: Pick<CallProviders, 'transcriberOf' | 'usageMeter'>;
  from: OtherVoice['from'] & { vad: Pick<Vad, 'open'> };
  clock: Clock;
  log: Logger;
  reporter: Pick<Reporter, 'report'>;
  /** The person has said this, until `speechEndMs` (monotonic). */
  onTurn(text: string, speechEndMs: number): void;
}

export function createParticipantTranscription(options: ParticipantTranscriptionOptions): ParticipantTranscription {
  const { callId, agent, providers, from, log, reporter, onTurn } = options;
  const { endpointing_ms: endpointingMs, turn_detection: turnDetection } = agent.transcriber;
  const samples = new Int16Array((PCM_16K.sample_rate * FRAME_MS) / 1_000);
  const speech = noSpeech();
  let open = true;
  const scope = createCallScope({
    ...{ callId, log, clock: options.clock, onFailed: () => fail('it cannot be used') },
    message: 'unexpected error in the transcription of a person, which ends',
  });
  const { attempt, clock, guard } = scope;
  const transcriber = providers.transcriberOf({
    format: PCM_16K,
    from,
    scope,
    listener: guard((event) => {
      if (event.type === 'failed') fail(errorText(event.error));
      else advance({ type: 'transcriber', event });
    }),
    onActive: (active) =>
      changeTranscriber(turn, { decidesTurns: active.decidesTurns, finalizationMs: finalizationMs(active) }),
  });
  const turn = newTurn({
    ...{ endpointingMs, turnDetection, usesTurnDetector: false, words: turnWords(agent.voice.language) },
    ...{ decidesTurns: transcriber.decidesTurns, finalizationMs: finalizationMs(transcriber) },
  });
  const voice = from.vad.open(
    guard((probability, endMs, periodicity) => onWindow(transcriber, probability, endMs, periodicity)),
    PCM_16K.sample_rate,
  );
  void transcriber.open().catch((error) => fail(errorText(error)));

  function onWindow(to: FallbackTranscriber, probability: number, endMs: number, periodicity?: number): void {
    if (!open) return;
    const change = updateSpeech(speech, probability, endMs, periodicity);
    if (change === null) return;
    const started = change === 'started';
    if (!started) to.speechEnded(speech.lastSpeechMs - speech.startedMs);
    to.speech(started);
    advance(
      started ? { type: 'voice_started', atMs: speech.startedMs } : { type: 'voice_ended', atMs: speech.lastSpeechMs },
    );
  }

  function advance(input: TurnInput): void {
    if (!open) return;
    for (const effect of advanceTurn(turn, input, clock.now())) {
      if (effect.type === 'finalize') transcriber.finalize();
      if (effect.type === 'ended' && effect.text !== '') onTurn(effect.text, effect.speechEndMs ?? clock.now());
    }
  }

  function fail(reason: string): void {
    if (!open) return;
    const data = { component: 'transcriber', provider: transcriber.provider };
    const message = `the person who speaks to the caller is not transcribed any more: ${reason}`;
    reporter.report('error', message, { level: 'warning', data });
    close();
  }

  function close(): void {
    if (!open) return;
    open = false;
    const words = wordsSoFar(turn);
    if (words !== '') onTurn(words, clock.now());
    attempt(() => voice.close());
    void attempt(() => transcriber.close())?.catch(() => {});
    scope.close();
  }

  return {
    push(frame) {
      if (!open) return;
      attempt(() => {
        readSamples(frame, 'pcm16', samples);
        voice.push(samples, clock.now());
        transcriber.audio(frame);
        providers.usageMeter.addTranscribed(transcriber.active, FRAME_MS / 1_000);
      });
    },
    tick: () => attempt(() => advance({ type: 'tick' })),
    close,
  };
}
