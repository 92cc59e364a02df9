import { expect, test } from 'vitest';
import {
  type AnsweringMachineInput,
  advanceAnsweringMachine,
  MAX_GREETING_MS,
  startAnsweringMachineDetection,
} from '../../../media/turn/answering-machine-detection.ts';

type Timed = [atMs: number, input: AnsweringMachineInput];

const ANSWERED_MS = 100_000;

/** Ticks every 20 ms from the answer on, with these inputs; times count from the answer. Returns the effects. */
function play(inputs: Timed[], lastsMs = 12_000): string[] {
  const state = startAnsweringMachineDetection({ windowMs: 5_000 }, ANSWERED_MS);
  const followed: string[] = [];
  for (let passedMs = 0; passedMs <= lastsMs; passedMs += 20) {
    const due = inputs.filter(([atMs]) => atMs > passedMs - 20 && atMs <= passedMs).map(([, input]) => input);
    for (const input of [...due, { type: 'tick' } as const]) {
      const timed = 'atMs' in input ? { ...input, atMs: ANSWERED_MS + input.atMs } : input;
      for (const effect of advanceAnsweringMachine(state, timed, ANSWERED_MS + passedMs)) {
        const details = effect.type === 'machine' ? effect.by : effect.type === 'person' ? effect.held : '';
        followed.push(`${passedMs} ${effect.type} ${details}`.trim());
      }
    }
  }
  return followed;
}

const voice = (atMs: number): Timed => [atMs, { type: 'voice_started', atMs }];
const quiet = (atMs: number): Timed => [atMs + 160, { type: 'voice_ended', atMs }];
const words = (atMs: number, text: string): Timed => [atMs, { type: 'words', text }];
const turn = (atMs: number, text: string): Timed => [atMs, { type: 'turn_ended', text }];
const beep = (atMs: number, hz = 1_000): Timed => [atMs, { type: 'beep', hz }];
const says = (text: string, fromMs: number, toMs: number) => [voice(fromMs), quiet(toMs), turn(toMs + 200, text)];

const HINT = 'you have reached the Sharma clinic';
const FOURTEEN = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen';

test('a monologue has fourteen words', () => {
  const thirteen = FOURTEEN.split(' ').slice(0, 13).join(' ');
  expect(play([voice(300), words(4_000, thirteen)])).toEqual(['3800 suspected']);
  expect(play([voice(300), words(4_000, thirteen), words(9_000, FOURTEEN)])).toEqual([
    '3800 suspected',
    '9000 machine shape',
  ]);
});

test('speech that began within the window is judged after it', () => {
  expect(play([voice(4_980), words(6_000, HINT)])).toEqual(['6000 suspected']);
  expect(play([voice(5_000), words(6_000, HINT)])).toEqual([]);
});

test('who speaks for the first time after the window is a person', () => {
  expect(play(says('hello', 7_000, 7_400))).toEqual(['7600 person']);
  expect(play(says(HINT, 7_000, 7_400))).toEqual(['7600 person']);
});

test('a person may speak for long', () => {
  expect(play([...says('hello', 300, 700), voice(1_500), quiet(7_000)])).toEqual(['900 person']);
});

test('nothing is decided once detection is over', () => {
  const machine = 'leave a message after the tone';
  expect(play([...says('hello', 300, 700), ...says(machine, 7_000, 9_000)])).toEqual(['900 person']);
  expect(play([voice(300), turn(MAX_GREETING_MS + 1_000, machine)], MAX_GREETING_MS + 3_000)).toEqual([
    '3800 suspected',
    `${MAX_GREETING_MS} person`,
  ]);
});

test('who was a person only because of a silence is watched for eight seconds more', () => {
  const doubted = [...says(HINT, 300, 2_300), ...says('it is me', 4_500, 5_000)];
  const decided = ['2500 suspected', `3800 person ${HINT}`];
  expect(play([...doubted, beep(11_780)])).toEqual([...decided, '11780 machine beep', '11980 record']);
  expect(play([...doubted, beep(11_800)])).toEqual(decided);
});

test('what was held is answered once', () => {
  const again = [voice(5_000), words(5_500, 'after the tone'), quiet(6_000), turn(6_200, 'after the town hall')];
  expect(play([...says(HINT, 300, 2_300), ...again])).toEqual([
    '2500 suspected',
    `3800 person ${HINT}`,
    '5500 suspected',
    '6200 person',
  ]);
});

test('keys decide, whatever words came before them', () => {
  expect(play([voice(300), words(1_000, 'after the tone'), [1_500, { type: 'keys' }]])).toEqual([
    '1000 suspected',
    '1500 person',
  ]);
});

test('a beep on a silent line is a machine that records', () => {
  expect(play([words(500, ''), beep(2_000)])).toEqual(['2000 machine beep', '2200 record']);
});

test('a low tone counts up to 1.2 seconds after other audio, as part of a greeting', () => {
  const cough = [voice(300), quiet(700)];
  expect(play([...cough, beep(1_900, 440)])[0]).toBe('1900 machine beep');
  expect(play([...cough, beep(1_920, 440)])).toEqual([]);
  expect(play([...cough, beep(1_920, 500)])[0]).toBe('1920 machine beep');
});

test('a pause of 1.2 seconds ends a stretch of speech', () => {
  const twice = (fromMs: number) => play([voice(300), quiet(2_300), voice(fromMs)]);
  expect(twice(3_480)).toEqual(['3800 suspected']);
  expect(twice(3_500)).toEqual(['7000 suspected']);
});

test('words that come late are activity, the same words again are none', () => {
  expect(play([voice(300), quiet(1_000), words(2_000, HINT), words(3_000, HINT)])).toEqual([
    '2000 suspected',
    '5000 person',
  ]);
});

test('a turn whose words began within the window is judged after it, a cough is not part of it', () => {
  expect(play([words(4_900, 'you have'), turn(6_500, HINT)])[0]).toBe('6500 suspected');
  expect(play([voice(4_000), quiet(4_500), turn(7_000, HINT)])).toEqual(['7000 person']);
});

test('words that were taken back decide nothing later', () => {
  const changed = [voice(300), words(1_000, 'after the tone'), words(1_200, 'after the town')];
  expect(play([...changed, turn(3_000, 'after the town hall')])).toEqual(['1000 suspected', '3000 person']);
});

test('a question makes a person of a long greeting, when the turn ends', () => {
  const question = 'you have reached the Sharma clinic how can i help you';
  expect(play([voice(300), words(1_000, question), quiet(5_000), turn(5_200, question)])).toEqual(['5200 person']);
});

test('hints of several turns add up', () => {
  expect(play([...says(HINT, 300, 2_300), ...says('no one is available', 2_900, 3_600)])).toEqual([
    '2500 suspected',
    '3800 machine words',
    '6600 record',
  ]);
});

test('a low tone counts after words without voice', () => {
  expect(play([words(1_000, 'hello my friend'), beep(1_500, 440)])[0]).toBe('1500 machine beep');
});

test('a "hello?" revises a verdict by shape, not one by words', () => {
  const hello = says('hello', 9_800, 10_200);
  const monologue = [voice(300), words(4_000, FOURTEEN), quiet(9_000), turn(9_200, FOURTEEN)];
  expect(play([...monologue, ...hello])).toEqual(['3800 suspected', '8300 machine shape', '10400 person']);
  expect(play([...says('leave a message after the tone', 300, 9_000), ...hello])).not.toContain('10400 person');
});

test('a machine that talks on is given up at the end of detection, whatever beeps then', () => {
  const talking = [...says('leave a message after the tone', 300, 2_300), voice(2_600), beep(MAX_GREETING_MS)];
  expect(play(talking, MAX_GREETING_MS + 3_000)).toEqual(['2500 machine words', `${MAX_GREETING_MS} give_up`]);
});
