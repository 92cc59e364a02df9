import { beforeEach, describe, expect, test } from 'vitest';
import type { TranscriberEvent } from '../../../media/stt/transcriber.ts';
import { advanceTurn } from '../../../media/turn/end-of-turn.ts';
import {
  changeTranscriber,
  newTurn,
  type TurnEffect,
  type TurnInput,
  type TurnSettings,
  type TurnState,
  turnOpen,
  wordsSoFar,
} from '../../../media/turn/turn-state.ts';

const WRITES: TurnSettings = { decidesTurns: false, endpointingMs: 400, finalizationMs: 400 };
const DECIDES: TurnSettings = { decidesTurns: true, endpointingMs: 300, finalizationMs: 0 };

let state: TurnState;
let nowMs: number;
let effects: [number, TurnEffect][];

function open(settings: TurnSettings): void {
  state = newTurn(settings);
  nowMs = 0;
  effects = [];
}
beforeEach(() => open(WRITES));

/** Ticks every millisecond up to `atMs`, and then the input. */
function at(atMs: number, input: TurnInput = { type: 'tick' }): void {
  for (; nowMs < atMs; nowMs++) take({ type: 'tick' });
  take(input);
}

function take(input: TurnInput): void {
  for (const effect of advanceTurn(state, input, nowMs)) effects.push([nowMs, effect]);
}

type Event = Exclude<TranscriberEvent, { type: 'failed' }>;
const transcript = (type: Event['type'], text: string, turn = 0) =>
  ({ type: 'transcriber', event: { type, turn, text } }) as TurnInput;
const started = (atMs: number): TurnInput => ({ type: 'voice_started', atMs });
const ended = (atMs: number): TurnInput => ({ type: 'voice_ended', atMs });
const speak = (fromMs: number, toMs: number) => {
  at(fromMs, started(fromMs));
  at(toMs + 160, ended(toMs));
};

const kinds = () => effects.map(([atMs, { type }]) => `${atMs} ${type}`);
const ends = () => effects.flatMap(([atMs, effect]) => (effect.type === 'ended' ? [{ atMs, ...effect }] : []));

describe('the speech of a turn', () => {
  test('a new turn is not open, and one that ended without its finals is over', () => {
    expect(turnOpen(state)).toBe(false);
    at(0, started(0));
    at(900, transcript('partial', 'a table'));
    at(1_160, ended(1_000));
    at(1_800);
    expect(ends()).toMatchObject([{ atMs: 1_800, text: 'a table' }]);
    expect(turnOpen(state)).toBe(false);
  });

  test('begins with its first audio, never in the future', () => {
    at(100, started(99_999));
    expect(state.speechStartMs).toBe(100);
    at(760, ended(600));
    speak(800, 1_300);
    at(1_600, transcript('final', 'a table'));
    at(3_000);
    speak(4_000, 5_000);
    at(5_200, transcript('final', 'for two', 1));
    at(7_000);
    expect(ends()).toMatchObject([
      { speechStartMs: 100, speechEndMs: 1_300, late: false },
      { speechStartMs: 4_000, speechEndMs: 5_000, late: false },
    ]);
  });

  test('what follows noise is a turn again', () => {
    at(0, started(0));
    at(900, transcript('partial', 'a table'));
    at(4_900);
    expect([state.voice, turnOpen(state)]).toEqual([true, false]);
    at(5_000, ended(4_900));
    expect(kinds()).toContain('4300 noise');
    expect(turnOpen(state)).toBe(false);
    at(6_000, started(6_000));
    expect(turnOpen(state)).toBe(true);
  });
});

describe('finals', () => {
  test('are requested 250 ms after the end of speech, unless they are there', () => {
    speak(0, 1_000);
    at(1_300);
    expect(kinds()).toEqual(['1250 finalize']);
    open(WRITES);
    speak(0, 1_000);
    at(1_200, transcript('final', 'a table'));
    at(3_000);
    expect(kinds()).toEqual(['1200 words', '1700 ended']);
  });

  test('count from the moment of the end of speech on', () => {
    for (const [finalMs, requests] of [
      [999, 1],
      [1_000, 0],
    ] as const) {
      open(WRITES);
      at(0, started(0));
      at(finalMs, transcript('final', 'a table'));
      at(1_160, ended(1_000));
      at(1_500);
      expect(effects.filter(([, { type }]) => type === 'finalize')).toHaveLength(requests);
    }
  });

  test('are requested again for words that changed since, and for speech after a request', () => {
    speak(0, 1_000);
    at(1_200, transcript('final', 'a table'));
    at(1_240, transcript('partial', 'for two'));
    at(1_300);
    expect(kinds()).toContain('1250 finalize');
    open(WRITES);
    at(0, started(0));
    at(900, transcript('partial', 'a table'));
    at(4_100, transcript('final', 'a table for two'));
    at(6_160, ended(6_000));
    at(6_300);
    expect(kinds()).toEqual(['900 words', '3900 finalize', '4100 words', '6250 finalize']);
  });

  test('that come late end the turn at once, and are awaited for their whole time', () => {
    at(0, started(0));
    at(900, transcript('partial', 'a table'));
    at(1_700, ended(1_000));
    at(1_900);
    expect(advanceTurn(state, transcript('final', 'a table'), 1_900).map(({ type }) => type)).toEqual(['ended']);
    open(WRITES);
    at(0, started(0));
    at(900, transcript('partial', 'a table'));
    at(1_700, ended(1_000));
    at(3_000);
    expect(ends()[0]!.atMs).toBe(2_100);
  });

  test('with the same words are one within 400 ms', () => {
    at(0, started(0));
    at(500, transcript('final', 'no'));
    at(899, transcript('final', 'no'));
    expect(wordsSoFar(state)).toBe('no');
    at(900, transcript('final', 'no'));
    expect(wordsSoFar(state)).toBe('no no');
    at(950, transcript('final', 'thanks'));
    expect(wordsSoFar(state)).toBe('no no thanks');
  });

  test('that nobody requested show that words come by themselves', () => {
    at(0, started(0));
    at(500, transcript('final', 'a table'));
    at(3_800);
    expect(kinds()).toEqual(['500 words', '3500 finalize']);
  });

  test('that were requested do not, but the next one does', () => {
    speak(0, 1_000);
    at(1_300, transcript('final', 'a table'));
    at(2_500, started(2_500));
    at(3_000, transcript('final', 'for two', 1));
    at(6_300);
    expect(kinds().slice(-2)).toEqual(['3000 words', '6000 finalize']);
  });

  test('of an ended turn add nothing after those of the next', () => {
    at(0, started(0));
    at(900, transcript('partial', 'a table'));
    at(1_160, ended(1_000));
    at(2_900, started(2_900));
    at(3_000, transcript('final', 'at seven', 1));
    at(3_100, transcript('final', 'a table for two'));
    expect(wordsSoFar(state)).toBe('at seven');
  });

  test.each([
    [16_800, ['a table', 'for two']],
    [16_801, ['a table']],
  ])('that come after %i ms: %j', (finalMs, texts) => {
    at(0, started(0));
    at(900, transcript('partial', 'a table'));
    at(1_160, ended(1_000));
    at(finalMs, transcript('final', 'a table for two'));
    expect(ends().map(({ text }) => text)).toEqual(texts);
    expect(ends().at(-1)!.late).toBe(texts.length > 1);
  });

  test('of a turn that was answered with earlier finals only are late words, all of them', () => {
    at(0, started(0));
    at(900, transcript('final', 'a table for two'));
    at(1_160, ended(1_000));
    at(3_000, transcript('final', 'at seven'));
    at(3_500, transcript('final', 'at seven'));
    expect(ends().map(({ atMs, text, late }) => [atMs, text, late])).toEqual([
      [1_800, 'a table for two', false],
      [3_000, 'at seven', true],
    ]);
  });

  test('without voice after a turn that had its finals are words of their own', () => {
    speak(0, 1_000);
    at(1_300, transcript('final', 'a table'));
    at(3_000, transcript('final', 'for two', 1));
    expect(ends().map(({ text, late }) => [text, late])).toEqual([
      ['a table', false],
      ['for two', false],
    ]);
  });

  test('add to a turn that noise has ended', () => {
    at(0, started(0));
    at(900, transcript('partial', 'a table'));
    at(4_500, transcript('final', 'a table for two'));
    expect(ends()).toHaveLength(1);
    expect(wordsSoFar(state)).toBe('for two');
  });

  test('without voice after an answered turn are late, and the next turn is not', () => {
    at(0, started(0));
    at(900, transcript('partial', 'a table'));
    at(1_160, ended(1_000));
    at(3_000, transcript('final', 'for two', 1));
    at(3_500);
    const { shiftMs } = state.adaptation;
    speak(5_000, 6_000);
    at(6_200, transcript('final', 'at seven', 2));
    at(7_000);
    expect(ends().map(({ text, late }) => [text, late])).toEqual([
      ['a table', false],
      ['for two', true],
      ['at seven', false],
    ]);
    // A turn that was late says nothing of the caller's pauses.
    expect(shiftMs).toBeCloseTo(-6, 6);
  });
});

describe('the pauses of the caller', () => {
  const answered = () => {
    speak(0, 1_000);
    at(1_300, transcript('final', 'a table'));
    at(1_700);
    expect(ends()).toHaveLength(1);
  };

  test('a turn without one shortens the delay', () => {
    answered();
    expect(state.adaptation.shiftMs).toBeCloseTo(-6, 6);
  });

  test('who goes on within 600 ms of the end had paused, without what the words had added', () => {
    answered();
    at(1_900, started(1_900));
    at(2_000, transcript('partial', 'for two', 1));
    // 900 ms of silence, 300 of them for the words: the goal is 750, half-way from 394.
    expect(state.adaptation.shiftMs).toBeCloseTo(172, 6);
    open(WRITES);
    answered();
    at(2_300, started(2_300));
    at(2_400, transcript('partial', 'for two', 1));
    expect(state.adaptation.shiftMs).toBeGreaterThan(0);
  });

  test('who goes on later answers', () => {
    answered();
    at(2_301, started(2_301));
    at(2_400, transcript('partial', 'for two', 1));
    expect(state.adaptation.shiftMs).toBeCloseTo(-6, 6);
  });

  test('only those of the turn itself count for it, and only with words', () => {
    speak(0, 300);
    speak(900, 1_200);
    at(3_000);
    expect(ends()).toMatchObject([{ text: '' }]);
    speak(5_000, 6_000);
    at(6_200, transcript('final', 'a table'));
    at(7_000);
    expect(state.adaptation.shiftMs).toBeCloseTo(-6, 6);
  });

  const paused = (text: string) => {
    at(0, started(0));
    at(200, transcript('partial', text));
    at(460, ended(300));
    speak(950, 1_500);
    at(1_700, transcript('final', `${text} please`));
    at(4_000);
    expect(ends()).toHaveLength(1);
    return state.adaptation.shiftMs;
  };

  test('a turn without a pause moves the delay back after one with a pause', () => {
    // 650 ms of silence, 300 of them for the words: the goal is 500, half-way from 400.
    expect(paused('a table')).toBeCloseTo(50, 6);
    speak(6_000, 7_000);
    at(7_200, transcript('final', 'a table', 1));
    at(9_000);
    expect(state.adaptation.shiftMs).toBeCloseTo(39, 6);
  });

  test.each(['i would like', 'my number is nine eight'])('a pause after "%s" says nothing of the others', (text) => {
    expect(paused(text)).toBeCloseTo(-6, 6);
  });

  test('a prediction is of its own pause', () => {
    open({ ...WRITES, usesTurnDetector: true });
    speak(0, 1_000);
    at(1_170, { type: 'turn_prediction', probability: 0.9, speechEndMs: 1_000 });
    speak(1_200, 2_000);
    at(2_200, transcript('final', 'the table'));
    at(4_000);
    // 400 and 300 after 2000, and more because of the pause: 0.9 would have made it 150 less.
    expect(state.probability).toBeNull();
    expect(ends()[0]!.atMs).toBeGreaterThanOrEqual(2_700);
  });
});

describe('a transcriber that detects turns', () => {
  beforeEach(() => open(DECIDES));

  test('its eager end and its withdrawal are passed on with the words', () => {
    at(0, started(0));
    at(300, transcript('turn_eager_end', 'a table'));
    at(500, transcript('turn_resumed', 'a table for'));
    at(700, transcript('turn_ended', 'a table for two'));
    expect(effects.map(([atMs, effect]) => [atMs, effect.type, 'text' in effect ? effect.text : ''])).toEqual([
      [300, 'eager_end', 'a table'],
      [300, 'words', 'a table'],
      [500, 'resumed', ''],
      [500, 'words', 'a table for'],
      [700, 'ended', 'a table for two'],
    ]);
  });

  test.each(['turn_eager_end', 'turn_resumed', 'partial'] as const)('a turn left open after %s is ended', (type) => {
    at(100, transcript(type, 'a table'));
    expect(turnOpen(state)).toBe(true);
    at(6_200);
    expect(ends()).toMatchObject([{ atMs: 6_101, text: 'a table' }]);
  });

  test('a number that is not complete is waited for, for a second of silence, and ends once', () => {
    at(0, started(0));
    at(900, ended(800));
    at(1_000, transcript('turn_ended', 'my number is nine eight seven'));
    at(4_000);
    expect(ends()).toMatchObject([{ atMs: 2_000, text: 'my number is nine eight seven' }]);
  });

  test('its rest joins it, and speech extends the wait to three seconds', () => {
    at(1_000, transcript('turn_ended', 'my number is nine eight seven'));
    at(1_500, transcript('turn_started', 'six', 1));
    at(2_600, transcript('turn_ended', 'six five four three two one zero', 1));
    expect(ends()).toMatchObject([{ text: 'my number is nine eight seven six five four three two one zero' }]);
    open(DECIDES);
    at(900, started(900));
    at(1_000, transcript('turn_ended', 'my number is nine eight seven'));
    at(6_000);
    expect(ends()).toMatchObject([{ atMs: 4_000 }]);
  });
});

test('another transcriber takes over the words, and awaits nothing of the one before', () => {
  open(DECIDES);
  at(100, transcript('turn_started', 'a table'));
  changeTranscriber(state, { decidesTurns: false, finalizationMs: 600 });
  expect(state).toMatchObject({
    settings: { decidesTurns: false, endpointingMs: 300, finalizationMs: 600 },
    open: false,
  });
  expect(wordsSoFar(state)).toBe('a table');
  open(WRITES);
  at(0, started(0));
  at(900, transcript('partial', 'a table'));
  at(3_950);
  expect(kinds()).toEqual(['900 words', '3900 finalize']);
  changeTranscriber(state, { decidesTurns: false, finalizationMs: 400 });
  expect(state).toMatchObject({
    awaitingFinal: false,
    finalRequestedMs: null,
    probedMs: null,
    finalsRequested: 0,
    lateFinalExpected: false,
    emitsPartials: false,
    heldMs: null,
  });
});
