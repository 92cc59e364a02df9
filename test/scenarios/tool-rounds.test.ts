import { describe, expect } from 'vitest';
import { MAX_TOOL_ROUNDS } from '../../shared/reply/tools.ts';
import type { Harness } from '../support/harness.ts';
import { agentSpeaking, emitted, replyPlayed, type Script, scenario } from '../support/scenario.ts';

const TOOL = { tool: 'find_table', toolArguments: '{"people":2}' };
const RAN = ['assistant: ', 'tool: {"free":true}'];
const REPROMPT = 'Sorry, I did not catch that. Could you say it again?';
const LONG = 'There is one by the window at seven, and another one beside the door at half past eight.';

function rounds(s: Script, count: number): void {
  for (let round = 0; round < count; round++) s.model('', TOOL);
}

/** The n-th request of the model. */
const request = (harness: Harness, nth: number) => harness.requests[nth - 1]!;

describe('a reply with several rounds of tools', () => {
  for (const count of [3, MAX_TOOL_ROUNDS]) {
    scenario(`is spoken after ${count}`, { tool: { after: 300 }, lasts: 30_000 }, (s) => {
      s.caller('a table for two', { at: 500, for: 1000 });
      rounds(s, count);
      s.model('It is booked.');
      s.expect.toolRuns(count);
      s.expect.transcript(['user: a table for two', 'agent: It is booked.']);
      s.expect.never('error');
    });
  }

  scenario('is asked for without tools once the rounds are used up', { tool: { after: 300 }, lasts: 30_000 }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    rounds(s, MAX_TOOL_ROUNDS);
    s.model('It is booked.');
    s.expect.requests(MAX_TOOL_ROUNDS + 1);
    s.expect.count('tool.limit', 1);
    s.expect.that('the last request alone', (harness) => {
      expect(harness.requests.map(({ tool_choice }) => tool_choice)).toEqual([
        ...Array(MAX_TOOL_ROUNDS).fill(undefined),
        'none',
      ]);
      expect(harness.emitted.find(({ type }) => type === 'tool.limit')).toMatchObject({
        level: 'warning',
        data: { rounds: MAX_TOOL_ROUNDS },
      });
    });
  });

  scenario('has tools again in the next turn', { tool: { after: 300 }, lasts: 40_000 }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    rounds(s, MAX_TOOL_ROUNDS);
    s.model('It is booked.');
    s.caller('and one for three', { at: replyPlayed(1, 500), for: 1000 });
    rounds(s, 1);
    s.model('That one too.');
    s.expect.toolRuns(MAX_TOOL_ROUNDS + 1);
    s.expect.lastLine('agent: That one too.');
    s.expect.count('tool.limit', 1);
  });

  scenario(
    'whose model calls a tool even then says that it did not work',
    { tool: { after: 300 }, lasts: 40_000 },
    (s) => {
      s.caller('a table for two', { at: 500, for: 1000 });
      rounds(s, MAX_TOOL_ROUNDS + 2);
      s.expect.toolRuns(MAX_TOOL_ROUNDS);
      s.expect.requests(MAX_TOOL_ROUNDS + 2);
      s.expect.lastLine(`agent: ${REPROMPT}`);
      s.expect.count('agent.reply', 1);
    },
  );

  scenario('does not end with the announcement of one more', { tool: { after: 300 }, lasts: 40_000 }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    rounds(s, MAX_TOOL_ROUNDS);
    s.model('Let me look once more.', TOOL);
    s.expect.toolRuns(MAX_TOOL_ROUNDS);
    s.expect.lastLine(`agent: Let me look once more. ${REPROMPT}`);
  });

  scenario('whose last request is refused goes on', { tool: { after: 300 }, lasts: 40_000 }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    rounds(s, MAX_TOOL_ROUNDS);
    s.model('', { fail: 'tool choice is none', failKind: 'bad_request' });
    s.expect.lastLine(`agent: ${REPROMPT}`);
    s.expect.callEnds();
  });
});

describe('a model that has nothing to say', () => {
  scenario('is asked again, and then the caller is asked', {}, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    s.model('');
    s.model('');
    s.expect.transcript(['user: a table for two', `agent: ${REPROMPT}`]);
    s.expect.count('error', 1);
  });

  scenario('after its words before a tool leaves no silence', { tool: { after: 300 } }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    s.model('Let me look that up.', TOOL);
    s.model('');
    s.model('');
    s.expect.transcript(['user: a table for two', `agent: Let me look that up. ${REPROMPT}`]);
  });

  scenario('and fails after its words before a tool leaves no silence', { tool: { after: 300 } }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    s.model('Let me look that up.', TOOL);
    s.model('', { fail: 'refused', failKind: 'bad_request' });
    s.expect.transcript(['user: a table for two', `agent: Let me look that up. ${REPROMPT}`]);
    s.expect.callEnds();
  });
});

describe('words before a tool', () => {
  scenario('keep their space, and are one reply with the answer', { tool: { after: 300 } }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    s.model('Let me look that up.', TOOL);
    s.model('There is one.');
    s.expect.transcript(['user: a table for two', 'agent: Let me look that up. There is one.']);
    s.expect.count('agent.reply', 1);
    s.expect.playedOnce(1);
    s.expect.that('the whole text', (harness) =>
      expect(harness.emitted.find(({ type }) => type === 'agent.reply')!.message).toBe(
        'Let me look that up. There is one.',
      ),
    );
  });

  scenario('stand before its call in the history, and the answer after its result', { tool: { after: 300 } }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    s.model('Let me look that up.', TOOL);
    s.model('There is one.');
    s.caller('thank you', { at: replyPlayed(1, 500), for: 700 });
    s.expect.history(['user: a table for two', 'assistant: Let me look that up.', 'tool: {"free":true}'], 2);
    s.expect.history([
      'user: a table for two',
      'assistant: Let me look that up.',
      'tool: {"free":true}',
      'assistant: There is one.',
      'user: thank you',
    ]);
    s.expect.that('as the model made them: words and call in one message', (harness) => {
      expect(request(harness, 3).messages[2]).toMatchObject({ tool_calls: [{ name: 'find_table' }] });
      expect(request(harness, 3).messages.slice(1, 4)).toEqual(request(harness, 2).messages.slice(1));
    });
  });

  scenario('of several rounds stand each before its own', { tool: { after: 300 }, lasts: 30_000 }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    s.model('Let me look that up.', TOOL);
    s.model('', TOOL);
    s.model('One more moment.', TOOL);
    s.model('There is one.');
    s.caller('thank you', { at: replyPlayed(1, 500), for: 700 });
    s.expect.history([
      'user: a table for two',
      'assistant: Let me look that up.',
      'tool: {"free":true}',
      ...RAN,
      'assistant: One more moment.',
      'tool: {"free":true}',
      'assistant: There is one.',
      'user: thank you',
    ]);
    s.expect.that('one line', (harness) =>
      expect(harness.transcript()).toContain('agent: Let me look that up. One more moment. There is one.'),
    );
  });

  scenario('and its announcement are two sentences', { tool: { after: 300, says: 'One moment please.' } }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    s.model('Let me look that up.', TOOL);
    s.model('There is one.');
    s.expect.transcript(['user: a table for two', 'agent: Let me look that up. One moment please. There is one.']);
  });

  scenario('that are its announcement are said once', { tool: { after: 300, says: 'One moment please.' } }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    s.model('Yes. One moment please.', TOOL);
    s.model('There is one.');
    s.expect.transcript(['user: a table for two', 'agent: Yes. One moment please. There is one.']);
  });

  scenario(
    'that were interrupted are kept as far as they were heard, then the result',
    { tool: { after: 5000 } },
    (s) => {
      s.caller('a table for two', { at: 500, for: 1000 });
      s.model('Let me look that up in the book of the house, it takes a little while on a Friday.', TOOL);
      s.caller('no leave it please', { at: agentSpeaking(1, 1200), for: 900 });
      s.expect.toolRuns(1);
      s.expect.history([
        'user: a table for two',
        /^assistant: Let me look.* —$/,
        'tool: {"free":true}',
        'user: no leave it please',
      ]);
      s.expect.that('interrupted', (harness) => expect(harness.transcript()[1]).toMatch(/^agent: Let me look.* —$/));
    },
  );

  scenario('are kept whole when the answer is interrupted', { tool: { after: 300 } }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    s.model('Let me look.', TOOL);
    s.model(LONG);
    s.caller('no leave it please', { at: agentSpeaking(1, 2200), for: 900 });
    s.expect.history([
      'user: a table for two',
      'assistant: Let me look.',
      'tool: {"free":true}',
      /^assistant: There is one.* —$/,
      'user: no leave it please',
    ]);
    s.expect.that('one line', (harness) =>
      expect(harness.transcript()[1]).toMatch(/^agent: Let me look\. There is one.* —$/),
    );
  });

  scenario('are whole where the caller interrupts while the tool runs', { tool: { after: 6000 } }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    s.model('Let me look.', TOOL);
    s.caller('no leave it please', { at: emitted('tool.call', 1, 2500), for: 900 });
    s.expect.history([
      'user: a table for two',
      'assistant: Let me look.',
      'tool: {"free":true}',
      'user: no leave it please',
    ]);
  });
});
