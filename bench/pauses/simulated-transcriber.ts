import type { TranscriberEvent } from '../../media/stt/transcriber.ts';
import { completeness } from '../../media/turn/completeness.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Recording } from './recordings.ts';

/**
 * Transcribers that know a recording's words and emit them as the vendors' do, by the audio they have received:
 *
 * - `general`: interim words every 250 ms, final ones at a pause of `endpointing_ms` and when they are asked for, with the
 *   punctuation of the text.
 * - `stops`: the same, with a full stop at the end of everything final, as such transcribers write where a pause cuts a sentence.
 * - `plain`: final words when they are asked for, without punctuation, and nothing before.
 * - `turns`: decides when a turn is over, by the silence in its audio and by the words.
 */
export type TranscriberKind = 'general' | 'stops' | 'plain' | 'turns';

export interface SimulatedTranscriberOptions {
  kind: TranscriberKind;
  recording: Pick<Recording, 'words' | 'speech'>;
  endpointingMs: number;
  clock: Clock;
  emit(event: Exclude<TranscriberEvent, { type: 'failed' }>): void;
}

export interface SimulatedTranscriber {
  /** It has received the recording up to this sample. */
  audio(endSample: number): void;
  finalize(): void;
}

const SAMPLES_PER_MS = 8;
/** A word is known this long after its end; a message is under way so long. */
const KNOWN_AFTER_MS = 100;
const INTERIM_EVERY_MS = 250;
const SENT_AFTER_MS = { general: 120, stops: 120, plain: 300, turns: 120 };
/** Silence with which `turns` ends a turn, by its words. */
const TURN_END_MS = { complete: 400, unsure: 800, incomplete: 2_000, dictating: 2_000 };

export function createSimulatedTranscriber(options: SimulatedTranscriberOptions): SimulatedTranscriber {
  const { kind, recording, endpointingMs, clock, emit } = options;
  const { words, speech } = recording;
  let position = Number.NEGATIVE_INFINITY;
  let finished = 0;
  let interimAt = 0;
  let sentWords = 0;
  let turn = 0;
  let started = false;
  let paused = true;

  const known = (sample: number) => words.filter(({ end }) => end <= sample).length;
  const send = (event: Exclude<TranscriberEvent, { type: 'failed' }>) =>
    void clock.after(SENT_AFTER_MS[kind], () => emit(event));

  function textOf(to: number, final: boolean): string {
    const text = words
      .slice(finished, to)
      .map(({ word }) => word)
      .join(' ');
    if (kind === 'plain') return text.toLowerCase().replace(/[^\p{L}\p{N}\s']/gu, '');
    // What follows the last word is not known yet.
    if (!final) return text.replace(/[.,;:!?]+$/, '');
    return kind === 'stops' && text !== '' ? text.replace(/[.,;:!?]*$/, '.') : text;
  }

  function finish(): void {
    const to = known(position);
    send({ type: 'final', turn: turn++, text: textOf(to, true) });
    finished = to;
    sentWords = to;
  }

  function silentMs(): number {
    const last = speech.findLast(({ start }) => start < position);
    return last ? Math.max(0, position - last.end) / SAMPLES_PER_MS : 0;
  }

  function sendInterim(): void {
    const to = known(position - KNOWN_AFTER_MS * SAMPLES_PER_MS);
    if (to <= sentWords || position - interimAt < INTERIM_EVERY_MS * SAMPLES_PER_MS) return;
    interimAt = position;
    sentWords = to;
    const first = kind === 'turns' && !started;
    started = true;
    send({ type: first ? 'turn_started' : 'partial', turn, text: textOf(to, false) });
  }

  function endTurn(): void {
    const text = textOf(known(position), true);
    if (text === '' || silentMs() < TURN_END_MS[completeness(text)]) return;
    send({ type: 'turn_ended', turn: turn++, text });
    finished = known(position);
    sentWords = finished;
    started = false;
  }

  return {
    audio(endSample) {
      position = endSample;
      if (kind === 'plain') return;
      if (silentMs() === 0) paused = false;
      sendInterim();
      if (kind === 'turns') endTurn();
      else if (!paused && silentMs() >= endpointingMs) {
        paused = true;
        finish();
      }
    },
    finalize() {
      if (kind === 'turns') return;
      paused = silentMs() > 0;
      finish();
    },
  };
}
