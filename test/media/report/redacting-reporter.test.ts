import { expect, test } from 'vitest';
import { createRedactor } from '../../../media/report/redacting-reporter.ts';
import type { EventDetails } from '../../../media/report/reporter.ts';
import { EVENT_TYPES, type EventType } from '../../../shared/events.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const ENDING = { hangup_by: 'caller', hangup_reason: 'caller hung up', duration_seconds: 1, recorded: false } as const;

function setUp() {
  const clock = createVirtualClock();
  const published: { type: EventType; message: string; details: EventDetails }[] = [];
  const { reporter, redact } = createRedactor({
    settings: { cards: true, identity_numbers: true },
    reporter: {
      report: (type, message, details = {}) => void published.push({ type, message, details }),
      flushed: async () => {},
    },
    clock,
  });
  const types = { user: 'user.turn', agent: 'agent.reply', human_agent: 'human_agent.turn' } as const;
  const says = (role: keyof typeof types, text: string) =>
    reporter.report(types[role], text, {
      transcript: [{ role, text, at_ms: 0, interrupted: false }],
    });
  const messages = () => published.map(({ message }) => message);
  return { clock, reporter, redact, published, says, messages };
}

test('a number dictated in four turns is redacted in each, also in the transcript', () => {
  const { says, messages, published } = setUp();
  for (const part of ['four one one one', '1111', 'double one double one']) {
    says('user', part);
    says('agent', 'Go on.');
  }
  says('user', 'yes and then one one one one, that is all of it');
  const card = '[card number]';
  const expected = [card, 'Go on.', card, 'Go on.', card, 'Go on.', `yes and then ${card}, that is all of it`];
  expect(messages()).toEqual(expected);
  expect(published.map(({ details }) => details.transcript![0]!.text)).toEqual(expected);
});

test('what a person who took over says is redacted, and what the caller dictates to them', () => {
  const { says, messages } = setUp();
  says('user', 'four one one one 1111');
  says('human_agent', 'Go on.');
  says('user', 'one one one one 1111, that is all');
  says('human_agent', 'So it is 4111 1111 1111 1111.');
  expect(messages()).toEqual(['[card number]', 'Go on.', '[card number], that is all', 'So it is [card number].']);
});

test('events wait for the turn that says what the digits were, in their order, and have their own time', async () => {
  const { says, messages, clock, published } = setUp();
  says('user', 'my number is 98765');
  const at = clock.wall();
  await clock.advance(2_000);
  says('agent', 'Yes?');
  expect(messages()).toEqual([]);
  says('user', 'I have to look for the rest of it');
  expect(messages()).toEqual(['my number is 98765', 'Yes?', 'I have to look for the rest of it']);
  expect(published[0]!.details.at_ms).toBe(at);
});

test('they wait 30 seconds at most', async () => {
  const { says, messages, clock } = setUp();
  says('user', 'my number is 98765');
  await clock.advance(30_000);
  expect(messages()).toEqual(['my number is 98765']);
});

test('and never beyond the end of the call', () => {
  const { says, messages, reporter } = setUp();
  says('user', 'four one one one');
  reporter.report('call.ended', 'caller hung up', { ending: { ...ENDING, provider_usage_json: '[]' } });
  expect(messages()).toEqual(['four one one one', 'caller hung up']);
});

test('nothing with a card number passes, whatever the event and wherever the number stands', () => {
  const { reporter, redact, published } = setUp();
  const card = '4111111111111111';
  reporter.report('user.turn', 'four one one one one one one one one one one one one one one one');
  for (const type of EVENT_TYPES) {
    reporter.report(type, `about ${card}`, {
      data: { text: card, deep: [{ [card]: `4111 1111 1111 1111` }], number: Number(card), part: '411111', cvv: '123' },
      transcript: [{ role: 'agent', text: `it is 4111-1111-1111-1111`, at_ms: 0, interrupted: true }],
    });
  }
  const request = redact({ query: `4111 1111 1111 1111`, summary: 'ends with 1111 1111' });
  reporter.report('call.ended', '', { ending: { ...ENDING, provider_usage_json: '[]' } });
  const out = JSON.stringify([published, request]);
  expect(published).toHaveLength(EVENT_TYPES.length + 2);
  expect(out).not.toMatch(/1111|one one/);
});

test('a security code that was keyed is not among the keys', () => {
  const { reporter, says, published } = setUp();
  says('agent', 'Please key in the cvv.');
  reporter.report('call.dtmf', 'pressed 123', { data: { digits: '123' } });
  says('user', 'done');
  expect(JSON.stringify(published)).not.toContain('123');
});
