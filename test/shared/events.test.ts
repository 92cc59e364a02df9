import { expect, it } from 'vitest';
import { EVENT_TYPES } from '../../shared/events.ts';

it('every event has one lower-case name', () => {
  expect(new Set(EVENT_TYPES).size).toBe(EVENT_TYPES.length);
  for (const type of EVENT_TYPES) expect(type).toMatch(/^[a-z]+([._][a-z]+)*$/);
});

it('the events of an ordinary call are there', () => {
  expect(EVENT_TYPES).toEqual(
    expect.arrayContaining([
      'call.started',
      'welcome',
      'user.turn',
      'llm.first_token',
      'tts.first_audio',
      'call.ended',
    ]),
  );
});
