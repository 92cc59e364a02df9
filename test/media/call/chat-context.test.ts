import { beforeEach, expect, test } from 'vitest';
import { type ChatContext, createChatContext } from '../../../media/call/chat-context.ts';
import type { EventDetails } from '../../../media/report/reporter.ts';
import { emptyUsage, type Usage } from '../../../shared/usage.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

let clock: VirtualClock;
let usage: Usage;
let reported: [type: string, message: string, details: EventDetails][];
let context: ChatContext;

beforeEach(() => {
  clock = createVirtualClock();
  usage = emptyUsage();
  reported = [];
  const report = (type: string, message: string, details: EventDetails = {}) => {
    reported.push([type, message, details]);
  };
  context = createChatContext({ clock, usage, reporter: { report, flushed: async () => {} } });
});

test('turns of the caller without a reply between them are one message to the model, and two lines of the transcript', async () => {
  await clock.advance(5_000);
  context.addCallerTurn('a table', 4_000.4, { words: 2 });
  context.addCallerTurn('for two', 4_900, {});
  expect(context.history).toEqual([{ role: 'user', text: 'a table for two', interrupted: false }]);
  expect(reported).toEqual([
    [
      'user.turn',
      'a table',
      {
        data: { words: 2 },
        transcript: [{ role: 'user', text: 'a table', at_ms: Math.round(clock.wall() - 999.6), interrupted: false }],
      },
    ],
    [
      'user.turn',
      'for two',
      { data: {}, transcript: [{ role: 'user', text: 'for two', at_ms: clock.wall() - 100, interrupted: false }] },
    ],
  ]);
});

test('a turn after a reply is a message of its own', () => {
  context.addCallerTurn('a table', 0, {});
  context.addAgentTurn('For how many?', 7, true);
  context.addCallerTurn('two', 0, {});
  expect(context.history.map(({ role, text, interrupted }) => [role, text, interrupted])).toEqual([
    ['user', 'a table', false],
    ['agent', 'For how many?', true],
    ['user', 'two', false],
  ]);
  expect(usage.tts_characters).toBe(13);
});

test('lines travel with the next event, once', () => {
  context.addAgentTurn('Hello.', 7, false);
  context.addUnfinishedCallerTurn('well');
  const lines = [
    { role: 'agent', text: 'Hello.', at_ms: 7, interrupted: false },
    { role: 'user', text: 'well', at_ms: clock.wall(), interrupted: false },
  ];
  context.report('agent.reply', 'Hello.');
  expect(reported[0]![2].transcript).toEqual(lines);
  expect(context.takeTranscript()).toEqual([]);
  expect(context.history).toHaveLength(1);
});

test('a reply with tools has the words before each round in front of it, as far as they were played out', () => {
  const call = (id: string) => ({ id, name: 'look_up', arguments: '{}' });
  const [one, two] = [call('1'), call('2')];
  const first = context.addToolRound([one, two]);
  const second = context.addToolRound([one]);
  first.textEnd = 'Let me look. '.length;
  second.textEnd = 'Let me look. And here too. '.length;
  first.addResult(two, 'none');
  first.addResult(one, 'some');
  context.addAgentTurn('Let me look. And', 0, true, [first, second]);
  expect(context.history).toEqual([
    {
      role: 'agent',
      text: 'Let me look.',
      interrupted: false,
      tool_runs: [
        { call: one, result: 'some' },
        { call: two, result: 'none' },
      ],
    },
    { role: 'agent', text: 'And', interrupted: true, tool_runs: [] },
  ]);
  context.addAgentTurn('  ', 0, true);
  expect(context.history).toHaveLength(2);
});

test('the words after the last round are a message of their own', () => {
  const round = context.addToolRound([]);
  round.textEnd = 'Let me look. '.length;
  context.addAgentTurn('Let me look. It is free.', 0, false, [round]);
  expect(context.history.map(({ text, interrupted }) => [text, interrupted])).toEqual([
    ['Let me look.', false],
    ['It is free.', false],
  ]);
});
