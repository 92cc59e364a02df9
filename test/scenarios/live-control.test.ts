import { describe, expect } from 'vitest';
import { agentSpeaking, emitted, modelAsked, replyPlayed, scenario } from '../support/scenario.ts';

const LONG = 'We have a table by the window at eight, and another one on the terrace at nine in the evening.';

describe('a text that a person has the agent say', () => {
  scenario('follows what the agent is saying, and is history once it was played out', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.order({ action: 'say', text: 'The terrace is closed.', interrupt: false }, agentSpeaking(1, 300));
    s.caller('the window then', { at: replyPlayed(2, 800), for: 800 });
    s.expect.history([
      'user: book a table',
      `assistant: ${LONG}`,
      'assistant: The terrace is closed.',
      'user: the window then',
    ]);
    s.expect.neverCleared();
  });

  scenario('ends what the agent is saying at the last word heard, where it is to interrupt', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.order({ action: 'say', text: 'The terrace is closed.', interrupt: true }, agentSpeaking(1, 900));
    s.expect.transcript(['user: book a table', /^agent: We have a table.* —$/, 'agent: The terrace is closed.']);
    s.expect.never('interrupted');
  });

  scenario('waits for the caller, who is answered first', {}, (s) => {
    s.caller('i would like to book a table for two', { at: 500, for: 2500 });
    s.model('For which day?');
    s.order({ action: 'say', text: 'The terrace is closed.', interrupt: true }, 1500);
    s.expect.transcript([
      'user: i would like to book a table for two',
      'agent: For which day?',
      'agent: The terrace is closed.',
    ]);
  });
});

scenario(
  'an instruction and a variable are part of the prompt from the next reply on',
  { prompt: 'Be {mood}.', values: { mood: 'calm' } },
  (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.order({ action: 'instruct', text: 'Offer the terrace.' }, replyPlayed(1));
    s.order({ action: 'set_variables', values: { mood: 'merry' } }, replyPlayed(1));
    s.caller('for two please', { at: replyPlayed(1, 500), for: 800 });
    s.expect.that('in the second request only', ({ requests }) => {
      const [first, second] = requests.map(({ messages }) => messages[0]!.content);
      expect(first).toContain('Be calm.');
      expect(first).not.toContain('terrace');
      expect(second).toContain('Be merry.');
      expect(second).toContain('- Offer the terrace.');
    });
    s.expect.that('on the timeline with who gave them', ({ emitted }) => {
      const controls = emitted.filter(({ type }) => type === 'call.control');
      expect(controls.map(({ message, data }) => [message, data])).toEqual([
        ['Offer the terrace.', { action: 'instruct', by: 'user', by_id: 'u1' }],
        ['changed mood', { action: 'set_variables', names: ['mood'], by: 'user', by_id: 'u1' }],
      ]);
    });
  },
);

describe('a muted agent', () => {
  scenario(
    'falls silent at once, hears the caller, and answers when it may speak again',
    { call: { user_online_after_seconds: 5 } },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.order({ action: 'mute', side: 'agent', muted: true, max_seconds: 300 }, agentSpeaking(1, 900));
      s.caller('hello can you hear me', { at: agentSpeaking(1, 2000), for: 1000 });
      s.order({ action: 'mute', side: 'agent', muted: false, max_seconds: 300 }, agentSpeaking(1, 12_000));
      s.model('Yes, I can.');
      s.expect.transcript([
        'user: book a table',
        /^agent: We have.* —$/,
        'user: hello can you hear me',
        'agent: Yes, I can.',
      ]);
      s.expect.never('user.online_check');
      s.expect.requests(2);
    },
  );

  scenario('says no text either', {}, (s) => {
    s.order({ action: 'mute', side: 'agent', muted: true, max_seconds: 300 }, 100);
    s.order({ action: 'say', text: 'Hello.', interrupt: false }, 200);
    s.expect.spoken();
    s.expect.that('and the order is refused', ({ orderResults }) =>
      expect(orderResults).toEqual(['', 'refused: the agent is muted']),
    );
  });

  scenario('does not end the call with the goodbye it was saying', {}, (s) => {
    s.caller('that is all', { at: 500, for: 800 });
    s.model('Goodbye and have a very nice day.', { tool: 'end_call' });
    s.order({ action: 'mute', side: 'agent', muted: true, max_seconds: 300 }, agentSpeaking(1, 200));
    s.expect.callEnds();
  });

  scenario('does not run a tool twice that ran when it was muted', { tool: { after: 3000 } }, (s) => {
    s.caller('is a table free', { at: 500, for: 800 });
    s.model('', { tool: 'find_table', toolArguments: '{}' });
    s.order({ action: 'mute', side: 'agent', muted: true, max_seconds: 300 }, modelAsked(1, 1500));
    s.order({ action: 'mute', side: 'agent', muted: false, max_seconds: 300 }, modelAsked(1, 6000));
    s.model('There is one at eight.');
    s.expect.toolRuns(1);
    s.expect.lastLine('agent: There is one at eight.');
  });
});

describe('a mute that nobody ends', () => {
  scenario('ends by itself, on the timeline, and the agent answers', {}, (s) => {
    s.order({ action: 'mute', side: 'agent', muted: true, max_seconds: 3 }, 500);
    s.order({ action: 'mute', side: 'agent', muted: true, max_seconds: 3 }, 2500);
    s.caller('is anybody there', { at: 1000, for: 800 });
    s.model('I am here.');
    s.expect.lastLine('agent: I am here.');
    s.expect.that('once, after the second order', ({ emitted }) => {
      const ended = emitted.filter(({ data }) => data?.by === 'service');
      expect(ended.map(({ atMs, message }) => [atMs, message])).toEqual([
        [5500, 'the mute of the agent ended by itself'],
      ]);
    });
  });

  scenario('lets a caller be heard again', {}, (s) => {
    s.order({ action: 'mute', side: 'caller', muted: true, max_seconds: 2 }, 500);
    s.caller('hello', { at: 4000, for: 800 });
    s.expect.that('by their audio', ({ callerMutes }) => expect(callerMutes).toEqual([true, false]));
  });

  scenario('has no end left once it was ended', {}, (s) => {
    s.order({ action: 'mute', side: 'agent', muted: true, max_seconds: 2 }, 500);
    s.order({ action: 'mute', side: 'agent', muted: false, max_seconds: 300 }, 1000);
    s.caller('hello', { at: 4000, for: 800 });
    s.expect.that('no word of the service', ({ emitted }) =>
      expect(emitted.filter(({ data }) => data?.by === 'service')).toEqual([]),
    );
  });
});

scenario('the silence of a muted caller says nothing', { call: { hangup_after_silence_seconds: 6 } }, (s) => {
  s.order({ action: 'mute', side: 'caller', muted: true, max_seconds: 300 }, 1000);
  s.expect.callEnds();
  s.expect.never('user.online_check');
  s.expect.that('and their audio is muted', ({ callerMutes }) => expect(callerMutes).toEqual([true]));
});

describe('pressed keys', () => {
  scenario('are tones in the audio once nobody speaks, and the agent waits for their end', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Certainly.');
    s.order({ action: 'press_keys', digits: '12#' }, agentSpeaking(1, 100));
    s.caller('for two', { at: replyPlayed(1, 300), for: 300 });
    s.expect.transcript(['user: book a table', 'agent: Certainly.', 'user: for two', 'agent: Yes of course.']);
    s.expect.count('tts.first_audio', 2);
  });

  scenario('are pressed while the agent is muted as well', {}, (s) => {
    s.order({ action: 'mute', side: 'agent', muted: true, max_seconds: 300 }, 100);
    s.order({ action: 'press_keys', digits: '5' }, 500);
    s.expect.that('the tone was played', ({ playedFrames }) => expect(playedFrames.length).toBe(10));
  });
});

describe('a transfer that a person orders', () => {
  scenario(
    'is announced and begun as the agent would do it',
    { transfer: { after: 200, says: 'One moment.' } },
    (s) => {
      s.caller('a question', { at: 500, for: 500 });
      s.model(LONG);
      s.order({ action: 'transfer', target: 'Sales', reason: 'a bill' }, agentSpeaking(1, 900));
      s.expect.lastLine('agent: One moment.');
      s.expect.that('with everything control needs', ({ transfers }) =>
        expect(transfers).toMatchObject([{ name: 'Sales', number: '+919800011111', reason: 'a bill', warm: true }]),
      );
    },
  );

  scenario('to a number leaves the caller with the agent when nobody answers', { transfer: { after: 200 } }, (s) => {
    s.order({ action: 'transfer', number: '+919800022222', reason: '' }, 500);
    s.transferOutcome('no-answer', emitted('call.transferred', 1, 1000));
    s.model('Nothing was said yet.');
    s.model('Nobody answered, sorry.');
    s.expect.that('to that number', ({ transfers }) => expect(transfers[0]?.number).toBe('+919800022222'));
    s.expect.lastLine('agent: Nobody answered, sorry.');
  });

  scenario('needs a target that there is, and no other transfer', { transfer: { after: 200 } }, (s) => {
    for (const at of [500, 900]) s.order({ action: 'transfer', target: 'Sales', reason: '' }, at);
    s.order({ action: 'transfer', target: 'Nobody', reason: '' }, 1000);
    s.expect.that('the reasons', ({ orderResults }) =>
      expect(orderResults).toEqual([
        '',
        'refused: a transfer is under way already',
        "refused: the agent's targets are: Sales",
      ]),
    );
  });
});
