import { describe, expect, test } from 'vitest';
import { advanceTurn } from '../../../media/turn/end-of-turn.ts';
import { newTurn, type TurnInput, type TurnSettings } from '../../../media/turn/turn-state.ts';

/** Words that may go on are waited for 700 ms after. */
const WRITES: TurnSettings = { decidesTurns: false, endpointingMs: 400, finalizationMs: 400 };
const DECIDES: TurnSettings = { decidesTurns: true, endpointingMs: 300, finalizationMs: 0 };

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

describe('a transcriber that does not detect turns', () => {
  test('a turn ends with silence and final words', () => {
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
      [1260, 'finalize'],
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
    expect(effects.at(-1)).toEqual([1800, 'ended', 'hello']);
  });

  test('final words that were requested late, because the end of speech was known late, are waited for', () => {
    const effects = run(
      WRITES,
      [
        [0, started(0)],
        [900, partial('i would')],
        [1700, ended(1000)],
        [1900, final('i would like a table')],
      ],
      3000,
    );
    expect(effects.filter(([, type]) => type === 'ended')).toEqual([[1900, 'ended', 'i would like a table']]);
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

  test('words that come after the end of a turn are answered, once', () => {
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
      [1800, 'ended', ''],
      [2600, 'ended', 'a table'],
    ]);
  });

  test('an end of speech in the future is taken as now', () => {
    const state = newTurn(WRITES);
    advanceTurn(state, started(0), 0);
    advanceTurn(state, ended(99_999), 1000);
    expect(state.speechEndMs).toBe(1000);
  });
});

describe('words, turn detector and adaptation', () => {
  const endOf = (settings: TurnSettings, steps: Step[], untilMs = 6000) =>
    run(settings, steps, untilMs).filter(([, type]) => type === 'ended');
  /** Voice from 0 to 1000, then these final words at 1300. */
  const said = (text: string): Step[] => [
    [0, started(0)],
    [1160, ended(1000)],
    [1300, final(text)],
  ];

  test.each([
    ['book a table', 1700],
    // 400 and 150.
    ['yes please', 1560],
    ['where are you from?', 1560],
    // 400 and a second.
    ['book a table and', 2400],
    ['aur mujhe', 1700],
    ['मुझे टेबल चाहिए लेकिन', 2400],
    // 400 and a second and a half.
    ['my number is nine eight', 2900],
    ['a r u', 2900],
  ])('%s: ends at %d', (text, atMs) => {
    expect(endOf(WRITES, said(text))).toEqual([[atMs, 'ended', text]]);
  });

  test('an incomplete sentence without finals ends at the longer of the two waits', () => {
    const steps: Step[] = [
      [0, started(0)],
      [900, partial('book a table and')],
      [1160, ended(1000)],
    ];
    expect(endOf(WRITES, steps)).toEqual([[2400, 'ended', 'book a table and']]);
  });

  test('a prediction is requested when speech pauses, and only with a turn detector', () => {
    const asks = (settings: TurnSettings) =>
      run(settings, said('a table'), 3000).filter(([, type]) => type === 'predict_end_of_turn');
    expect(asks(WRITES)).toEqual([]);
    expect(asks({ ...DECIDES, usesTurnDetector: true })).toEqual([]);
    expect(asks({ ...WRITES, usesTurnDetector: true })).toEqual([[1160, 'predict_end_of_turn']]);
  });

  test.each<[string, number, TurnInput, number]>([
    ['sure of the end', 1240, { type: 'turn_prediction', probability: 0.9, speechEndMs: 1000 }, 1560],
    ['sure of more', 1240, { type: 'turn_prediction', probability: 0.1, speechEndMs: 1000 }, 2200],
    ['not sure', 1240, { type: 'turn_prediction', probability: 0.5, speechEndMs: 1000 }, 1700],
    ['late', 1600, { type: 'turn_prediction', probability: 0.9, speechEndMs: 1000 }, 1600],
    ['of another pause', 1240, { type: 'turn_prediction', probability: 0.1, speechEndMs: 400 }, 1700],
    ['after the end', 1900, { type: 'turn_prediction', probability: 0.1, speechEndMs: 1000 }, 1700],
  ])('a model that is %s', (_, atMs, answer, endsMs) => {
    const ends = endOf({ ...WRITES, usesTurnDetector: true }, [...said('the table'), [atMs, answer]]);
    expect(ends).toEqual([[endsMs, 'ended', 'the table']]);
  });

  test('ongoing voice activity without words is probed, and then noise', () => {
    const effects = run(
      WRITES,
      [
        [0, started(0)],
        [900, partial('a table')],
      ],
      6000,
    );
    expect(effects).toEqual([
      [900, 'words', 'a table'],
      [3900, 'finalize'],
      [4300, 'noise'],
      [4300, 'ended', 'a table'],
    ]);
  });

  test('finals that a probe gives end the turn after its silence', () => {
    const effects = run(
      WRITES,
      [
        [0, started(0)],
        [900, partial('a table')],
        [4100, final('a table for two')],
      ],
      9000,
    );
    expect(effects.filter(([, type]) => type === 'ended')).toEqual([[7500, 'ended', 'a table for two']]);
  });

  test('voice activity with new words is no noise', () => {
    const steps: Step[] = [[0, started(0)]];
    for (let at = 0; at < 20; at++) steps.push([500 + at * 1000, partial(`word${at}`)]);
    expect(endOf(WRITES, steps, 20_000)).toEqual([]);
    const state = newTurn(WRITES);
    advanceTurn(state, started(0), 0);
    state.noiseOnly = true;
    advanceTurn(state, partial('a table'), 1000);
    advanceTurn(state, { type: 'tick' }, 1260);
    expect(advanceTurn(state, { type: 'tick' }, 2100).map((effect) => effect.type)).toEqual(['ended']);
  });

  test('without partials, ongoing voice activity is probed now and then', () => {
    const effects = run(
      WRITES,
      [
        [0, started(0)],
        [8300, final('a table')],
      ],
      20_000,
    );
    expect(effects).toEqual([
      [8000, 'finalize'],
      [8300, 'words', 'a table'],
      [16_300, 'finalize'],
      [16_700, 'noise'],
      [16_700, 'ended', 'a table'],
    ]);
  });

  test('a late final adds its words to the turn, once', () => {
    const effects = run(
      WRITES,
      [
        [0, started(0)],
        [900, partial('a table')],
        [1160, ended(1000)],
        [3000, final('A table, for two')],
        [3100, final('A table, for two')],
        [3200, final('a table for three')],
      ],
      5000,
    );
    expect(effects.filter(([, type]) => type === 'ended')).toEqual([
      [1800, 'ended', 'a table'],
      [3000, 'ended', 'for two'],
    ]);
  });

  test('a late final joins the turn that the caller has started meanwhile', () => {
    const ends = endOf(WRITES, [
      [0, started(0)],
      [900, partial('a table')],
      [1160, ended(1000)],
      [2900, started(2900)],
      [3000, final('a table for two')],
      [3960, ended(3800)],
      [4200, { type: 'transcriber', event: { type: 'final', turn: 1, text: 'at seven' } }],
    ]);
    expect(ends.at(-1)?.[2]).toBe('for two at seven');
    expect(ends).toHaveLength(2);
  });
});

describe('a transcriber that detects turns', () => {
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

  test('a turn without voice activity is ended too', () => {
    const effects = run(DECIDES, [[100, event('turn_started', 0, 'hello')]], 9000);
    expect(effects.at(-1)).toEqual([6120, 'ended', 'hello']);
  });

  test('the late end of such a turn makes no second one', () => {
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

  test('a turn that the transcriber leaves open is ended', () => {
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
