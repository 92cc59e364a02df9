import { describe, expect, test } from 'vitest';
import { advanceTurn, newTurn, type TurnInput, type TurnSettings } from '../../../media/turn/end-of-turn.ts';

const WRITES: TurnSettings = { decidesTurns: false, endpointingMs: 700, finalisationMs: 400 };
const DECIDES: TurnSettings = { decidesTurns: true, endpointingMs: 300, finalisationMs: 0 };

type Step = [number, TurnInput];
const final = (text: string): TurnInput => ({ type: 'transcriber', event: { type: 'final', turn: 0, text } });
const partial = (text: string): TurnInput => ({ type: 'transcriber', event: { type: 'partial', turn: 0, text } });
const started = (atMs: number): TurnInput => ({ type: 'voice_started', atMs });
const ended = (atMs: number): TurnInput => ({ type: 'voice_ended', atMs });

/** Runs the steps with a tick every 20 ms and lists the effects with their moments. */
function run(settings: TurnSettings, steps: Step[], untilMs: number) {
  const state = newTurn(settings);
  const effects: [number, string, string?][] = [];
  const note = (nowMs: number, input: TurnInput) => {
    for (const effect of advanceTurn(state, input, nowMs)) {
      effects.push('text' in effect ? [nowMs, effect.type, effect.text] : [nowMs, effect.type]);
    }
  };
  for (let nowMs = 0; nowMs <= untilMs; nowMs += 20) {
    for (const [, input] of steps.filter(([at]) => at > nowMs - 20 && at <= nowMs)) note(nowMs, input);
    note(nowMs, { type: 'tick' });
  }
  return effects;
}

describe('a transcriber that only writes', () => {
  test('the turn ends when silence and final words are both there', () => {
    const effects = run(
      WRITES,
      [
        [0, started(0)],
        [1160, ended(1000)],
        [1600, final('a table for two')],
      ],
      3000,
    );
    expect(effects).toEqual([
      [1260, 'ask_final'],
      [1600, 'words', 'a table for two'],
      [1700, 'ended', 'a table for two'],
    ]);
  });

  test('a pause shorter than the endpointing keeps one turn', () => {
    const effects = run(
      WRITES,
      [
        [0, started(0)],
        [1160, ended(1000)],
        [1400, final('i would like')],
        [1600, started(1600)],
        [2760, ended(2600)],
        [3000, final('a table')],
      ],
      4000,
    );
    expect(effects.filter(([, type]) => type === 'ended')).toEqual([[3300, 'ended', 'i would like a table']]);
  });

  test('a turn that only ever had interim words is answered at the deadline', () => {
    const effects = run(
      WRITES,
      [
        [0, started(0)],
        [500, partial('hello')],
        [1160, ended(1000)],
      ],
      3000,
    );
    expect(effects.at(-1)).toEqual([2100, 'ended', 'hello']);
  });

  test('noise without words ends empty', () => {
    expect(
      run(
        WRITES,
        [
          [0, started(0)],
          [360, ended(200)],
          [700, final('')],
        ],
        3000,
      ).at(-1),
    ).toEqual([900, 'ended', '']);
  });

  test('words that come after the turn was given up are still answered, once', () => {
    const effects = run(
      WRITES,
      [
        [0, started(0)],
        [1160, ended(1000)],
        [2600, final('a table')],
      ],
      5000,
    );
    expect(effects.filter(([, type]) => type === 'ended')).toEqual([
      [2100, 'ended', ''],
      [2600, 'ended', 'a table'],
    ]);
  });

  test('the end of speech told from the future is taken as now', () => {
    const state = newTurn(WRITES);
    advanceTurn(state, started(0), 0);
    advanceTurn(state, ended(99_999), 1000);
    expect(state.speechEndMs).toBe(1000);
  });
});

describe('a transcriber that decides turns', () => {
  test('its end ends the turn at once, with its words', () => {
    const effects = run(
      DECIDES,
      [
        [0, started(0)],
        [120, { type: 'transcriber', event: { type: 'turn_started', turn: 0, text: 'hello' } }],
        [1160, ended(1000)],
        [1200, { type: 'transcriber', event: { type: 'turn_ended', turn: 0, text: 'hello there' } }],
      ],
      2000,
    );
    expect(effects).toEqual([
      [120, 'words', 'hello'],
      [1200, 'ended', 'hello there'],
    ]);
  });

  const event = (type: 'turn_started' | 'turn_ended', turn: number, text: string): TurnInput => ({
    type: 'transcriber',
    event: { type, turn, text },
  });

  test('a turn whose voice we never heard is freed too', () => {
    const effects = run(DECIDES, [[100, event('turn_started', 0, 'hello')]], 9000);
    expect(effects.at(-1)).toEqual([6120, 'ended', 'hello']);
  });

  test('the late end of a freed turn does not make a second one', () => {
    const effects = run(
      DECIDES,
      [
        [100, event('turn_started', 0, 'hello')],
        [7000, event('turn_ended', 0, 'hello there')],
        [8000, event('turn_started', 1, 'yes')],
      ],
      8100,
    );
    expect(effects.slice(1)).toEqual([
      [6120, 'ended', 'hello'],
      [8000, 'words', 'yes'],
    ]);
  });

  test('a turn it forgot to end is freed', () => {
    const effects = run(
      DECIDES,
      [
        [0, started(0)],
        [120, { type: 'transcriber', event: { type: 'turn_started', turn: 0, text: 'hello' } }],
        [1160, ended(1000)],
      ],
      9000,
    );
    expect(effects.at(-1)).toEqual([7020, 'ended', 'hello']);
  });
});
