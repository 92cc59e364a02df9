import { describe, expect } from 'vitest';
import type { Harness } from '../support/harness.ts';
import { scenario } from '../support/scenario.ts';

const REQUEST = '{"when":"2026-11-24T10:00","note":"wants the price list"}';
const BOOKED = 'Tuesday, 24 November 2026, 10:00 (Asia/Kolkata)';

const resultOf = (harness: Harness) => harness.emitted.find(({ type }) => type === 'tool.result');

describe('a callback', () => {
  scenario(
    'is booked with the tool, and the agent says what was booked',
    { callback: { after: 300, booked: BOOKED } },
    (s) => {
      s.caller('call me again on tuesday at ten', { at: 500, for: 1000 });
      s.model('', { tool: 'reschedule_call', toolArguments: REQUEST });
      s.model('I will call you on Tuesday at ten.');
      s.expect.events(['user.turn', 'llm.first_token', 'tool.call', 'tool.result', 'tts.first_audio', 'agent.reply']);
      s.expect.history([
        'user: call me again on tuesday at ten',
        'assistant: ',
        `tool: The call back is booked: ${BOOKED}.`,
      ]);
      s.expect.lastLine('agent: I will call you on Tuesday at ten.');
      s.expect.that('control is asked once, and the model was offered the tool', (harness) => {
        expect(harness.callbackRequests).toEqual([{ when: '2026-11-24T10:00', note: 'wants the price list' }]);
        expect(harness.requests[0]!.tools.map(({ name }) => name)).toEqual(['end_call', 'reschedule_call']);
        expect(harness.requests[0]!.tools[1]!.description).toContain('at most 7 days ahead');
        expect(resultOf(harness)).toMatchObject({ level: 'info', data: { name: 'reschedule_call', status: 200 } });
      });
    },
  );

  scenario(
    'that control refuses is reported to the model',
    { callback: { after: 300, refused: 'it lies in the past' } },
    (s) => {
      s.caller('call me yesterday', { at: 500, for: 1000 });
      s.model('', { tool: 'reschedule_call', toolArguments: REQUEST });
      s.model('When would suit you?');
      s.expect.history([
        'user: call me yesterday',
        'assistant: ',
        'tool: The call back is not booked: it lies in the past.',
      ]);
      s.expect.that('as a warning', (harness) =>
        expect(resultOf(harness)).toMatchObject({ level: 'warning', data: { status: 409 } }),
      );
    },
  );

  scenario('without a reply of control is not promised', { callback: { after: 0, silent: true } }, (s) => {
    s.caller('call me later', { at: 500, for: 1000 });
    s.model('', { tool: 'reschedule_call', toolArguments: REQUEST });
    s.model('I could not book that.');
    s.expect.history([
      'user: call me later',
      'assistant: ',
      'tool: The call back could not be booked: the service did not answer.',
    ]);
    s.expect.lastLine('agent: I could not book that.');
  });

  scenario('without a time is not asked for', { callback: { after: 300 } }, (s) => {
    s.caller('call me later', { at: 500, for: 1000 });
    s.model('', { tool: 'reschedule_call', toolArguments: '{"note":"later"}' });
    s.model('When would suit you?');
    s.expect.that('control was asked nothing', (harness) => {
      expect(harness.callbackRequests).toEqual([]);
      expect(resultOf(harness)).toMatchObject({ level: 'warning', data: { status: 0 } });
    });
  });

  scenario('is no tool of an agent that books none', {}, (s) => {
    s.caller('call me later', { at: 500, for: 1000 });
    s.model('', { tool: 'reschedule_call', toolArguments: REQUEST });
    s.model('I am sorry.');
    s.expect.that('the tool was not offered', (harness) =>
      expect(harness.requests[0]!.tools.map(({ name }) => name)).toEqual(['end_call']),
    );
  });
});
