import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { type AudioHistory, createAudioHistory } from '../audio/audio-history.ts';
import { bytesPerSample } from '../audio/format.ts';
import type { Transcriber, TranscriberEvent, TranscriberListener } from './transcriber.ts';

/**
 * One transcriber over the sessions of a provider that ends each at some age. The next session is opened while the old one is
 * at work, and takes over in a pause: when no words and no request are open. It is given the audio since the last final words,
 * so nothing is lost; turns go on with their numbers. Where no session can be opened, or no pause comes, the old one ends by
 * its provider's hand, which is a failure like any other.
 */

/** A pause, or another try to open a session, is looked for this often. */
const LOOK_EVERY_MS = 1_000;
const OPEN_AGAIN_AFTER_MS = 60_000;
/** Audio that a new session is given from before it took over, at most. */
const OVERLAP_MS = 2_000;
/** Final words for which nobody asked are taken to cover the audio up to this long ago. */
const FINAL_COVERS_UNTIL_MS = 400;

export interface RenewedTranscriberOptions {
  clock: Clock;
  log: Logger;
  listener: TranscriberListener;
  renewAfterMs: number;
  create(listener: TranscriberListener): Transcriber;
}

export function createRenewedTranscriber(options: RenewedTranscriberOptions): Transcriber {
  const { clock, log, renewAfterMs } = options;
  let firstTurn = 0;
  let turns = 0;
  /** Words are known that are not final. */
  let inSpeech = false;
  /** Positions in `overlap` at which final words were requested, oldest first. */
  let requests: number[] = [];
  let closed = false;
  let timer: Timer | null = null;
  let next: Transcriber | null = null;
  let current = create();
  const { provider, model, input, decidesTurns } = current;
  const bytesPerMs = (input.sample_rate * bytesPerSample(input)) / 1000;
  /** The audio since the next session was opened; what lies before `coveredPosition` is final. */
  let overlap: AudioHistory | null = null;
  let coveredPosition = 0;

  function create(): Transcriber {
    const created = options.create((event) => {
      if (created === current) onEvent(event);
      else if (created === next && event.type === 'failed') next = null;
    });
    return created;
  }

  function onEvent(event: TranscriberEvent): void {
    if (event.type === 'failed') {
      timer?.cancel();
      options.listener(event);
      return;
    }
    const isFinal = event.type === 'final' || event.type === 'turn_ended';
    inSpeech = !isFinal;
    if (isFinal) {
      const now = overlap?.position ?? 0;
      coveredPosition = Math.max(coveredPosition, requests.shift() ?? now - FINAL_COVERS_UNTIL_MS * bytesPerMs);
    }
    const turn = firstTurn + event.turn;
    turns = turn + 1;
    options.listener({ ...event, turn });
  }

  function watch(afterMs: number): void {
    timer = clock.after(afterMs, () => void renew());
  }

  async function renew(): Promise<void> {
    if (!next) {
      const opened = create();
      next = opened;
      overlap = createAudioHistory(OVERLAP_MS * bytesPerMs);
      coveredPosition = 0;
      requests = requests.map(() => 0);
      try {
        await opened.open();
      } catch (error) {
        log.warn({ provider, error: errorText(error) }, 'transcriber session could not be renewed');
        if (next === opened) next = null;
        if (!closed) watch(OPEN_AGAIN_AFTER_MS);
        return;
      }
    }
    if (closed) return;
    if (!next || inSpeech || requests.length > 0) {
      watch(LOOK_EVERY_MS);
      return;
    }
    const old = current;
    current = next;
    next = null;
    firstTurn = turns;
    for (const part of overlap!.since(coveredPosition)) current.audio(part);
    overlap = null;
    void old.close();
    watch(renewAfterMs);
  }

  return {
    ...{ provider, model, input, decidesTurns },
    async open() {
      await current.open();
      if (!timer && !closed) watch(renewAfterMs);
    },
    audio(chunk) {
      if (closed) return;
      overlap?.write(chunk);
      current.audio(chunk);
    },
    finalize() {
      if (closed) return;
      requests.push(overlap?.position ?? 0);
      current.finalize();
    },
    async close() {
      closed = true;
      timer?.cancel();
      await Promise.all([current.close(), next?.close()]);
    },
  };
}
