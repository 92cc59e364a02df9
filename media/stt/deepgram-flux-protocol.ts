import { deepgramFailure } from './deepgram-api.ts';
import type { TranscriberConnection, TranscriberProtocol } from './streaming-transcriber.ts';

/** The messages of Deepgram Flux. Late, repeated and lost messages never give a turn twice, nor lose its words. */
export function createFluxProtocol(connection: TranscriberConnection): TranscriberProtocol {
  const { emit, ignore } = connection;
  let nextSequence = 0;
  let openTurn: number | null = null;
  let lastEndedTurn = -1;
  let eager = false;
  let text = '';
  /** The main language of the open turn, which the model for several languages names. */
  let language: string | undefined;

  /** A gap means a lost message; turn numbers keep the turns right in any case. */
  function checkSequence(sequence: unknown): void {
    if (typeof sequence !== 'number') return;
    if (sequence !== nextSequence) ignore('sequence_id out of order');
    nextSequence = sequence + 1;
  }

  function onTurnInfo(message: Record<string, unknown>): void {
    const turn = message.turn_index;
    if (typeof turn !== 'number' || !Number.isSafeInteger(turn) || turn < 0) {
      ignore('invalid turn_index');
      return;
    }
    if (turn <= lastEndedTurn || (openTurn !== null && turn < openTurn)) {
      ignore('message of an earlier turn');
      return;
    }
    const [spoken] = Array.isArray(message.languages) ? (message.languages as unknown[]) : [];
    if (typeof spoken === 'string' && /^[a-z]{2,3}(-\w{2,8})?$/i.test(spoken)) language = spoken;
    const transcript = typeof message.transcript === 'string' ? message.transcript.trim() : '';

    if (openTurn !== null && turn > openTurn) {
      ignore('turn without an end');
      endTurn(text);
    }
    switch (message.event) {
      case 'StartOfTurn':
        startOrUpdate(turn, transcript);
        return;
      case 'Update':
        if (openTurn !== null || transcript !== '') startOrUpdate(turn, transcript);
        return;
      case 'EagerEndOfTurn':
        if (transcript === '') return;
        if (openTurn === null) startTurn(turn, transcript);
        text = transcript;
        if (eager) return;
        eager = true;
        emit({ type: 'turn_eager_end', turn, text });
        return;
      case 'TurnResumed':
        if (!eager) {
          if (openTurn !== null) update(transcript);
          return;
        }
        eager = false;
        text = transcript || text;
        emit({ type: 'turn_resumed', turn, text });
        return;
      case 'EndOfTurn':
        if (openTurn === null && transcript === '') {
          lastEndedTurn = turn;
          return;
        }
        if (openTurn === null) startTurn(turn, transcript);
        endTurn(transcript || text);
        return;
    }
  }

  function startOrUpdate(turn: number, transcript: string): void {
    if (openTurn === null) startTurn(turn, transcript);
    else update(transcript);
  }

  function startTurn(turn: number, transcript: string): void {
    openTurn = turn;
    eager = false;
    text = transcript;
    emit({ type: 'turn_started', turn, text });
  }

  function update(transcript: string): void {
    if (transcript === '' || transcript === text) return;
    text = transcript;
    emit({ type: 'partial', turn: openTurn!, text });
  }

  function endTurn(finalText: string): void {
    const turn = openTurn!;
    lastEndedTurn = turn;
    openTurn = null;
    eager = false;
    text = '';
    emit({ type: 'turn_ended', turn, text: finalText, ...(language === undefined ? {} : { language }) });
    language = undefined;
  }

  return {
    inSpeech: () => openTurn !== null,
    onMessage(message) {
      checkSequence(message.sequence_id);
      switch (message.type) {
        case 'Connected':
          connection.completeHandshake();
          return;
        case 'TurnInfo':
          connection.completeHandshake();
          onTurnInfo(message);
          return;
        case 'Error': {
          const code = typeof message.code === 'string' ? message.code.slice(0, 80) : 'no code';
          connection.fail(deepgramFailure(code) ?? 'unavailable', `the transcriber reported ${code}`);
          return;
        }
      }
    },
  };
}
