import { describe, expect } from 'vitest';
import { agentSpeaking, emitted, modelAsked, replyPlayed, scenario } from '../support/scenario.ts';

const LONG =
  'Let me read that back to you, a table for two people tomorrow evening at seven under your name, by the window.';

describe('a tool', () => {
  scenario('is given to the model with its result, in the same reply', { tool: { after: 800 } }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    s.model('', { tool: 'find_table', toolArguments: '{"people":2}' });
    s.model('There is one.');
    s.expect.events(['user.turn', 'llm.first_token', 'tool.call', 'tool.result', 'tts.first_audio', 'agent.reply']);
    s.expect.history(['user: a table for two', 'assistant: ', 'tool: {"free":true}']);
    s.expect.toolRuns(1);
  });

  scenario(
    'is announced while it runs, and both are one reply',
    { tool: { after: 1500, says: 'One moment please.' } },
    (s) => {
      s.caller('a table for two', { at: 500, for: 1000 });
      s.model('', { tool: 'find_table', toolArguments: '{"people":2}' });
      s.model('There is one.');
      s.expect.transcript(['user: a table for two', 'agent: One moment please. There is one.']);
      s.expect.count('agent.reply', 1);
      s.expect.playedOnce(1);
    },
  );

  scenario('is in the history once though its reply was interrupted', { tool: { after: 500 } }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    s.model('', { tool: 'find_table', toolArguments: '{"people":2}' });
    s.model(LONG);
    s.caller('no leave it please', { at: agentSpeaking(1, 1200), for: 900 });
    s.expect.toolRuns(1);
    s.expect.history([
      'user: a table for two',
      'assistant: ',
      'tool: {"free":true}',
      /^assistant: Let me .*—$/,
      'user: no leave it please',
    ]);
  });

  scenario('is in the history although nothing of its reply was played', { tool: { after: 500 } }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    s.model('', { tool: 'find_table', toolArguments: '{"people":2}' });
    s.model('Words that nobody hears.', { firstToken: 2500 });
    s.caller('no leave it please', { at: emitted('tool.result', 1, 400), for: 900 });
    s.expect.toolRuns(1);
    s.expect.that('once', (harness) =>
      expect(harness.requests.at(-1)!.messages.filter((message) => message.role === 'tool')).toHaveLength(1),
    );
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario('runs on when the caller speaks, and they are answered for all of it', { tool: { after: 3000 } }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    s.model('', { tool: 'find_table', toolArguments: '{"people":2}' });
    s.caller('by the window please', { at: emitted('tool.call', 1, 500), for: 900 });
    s.expect.toolRuns(1);
    s.expect.count('agent.reply', 1);
    s.expect.that('one answer, that knows both', (harness) => {
      const { messages } = harness.requests.at(-1)!;
      expect(messages.filter((message) => message.role === 'tool')).toHaveLength(1);
      expect(messages.at(-1)!.content).toContain('by the window please');
    });
  });

  scenario('that fails is reported to the model', { tool: { after: 300, status: 500, body: 'no' } }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    s.model('', { tool: 'find_table', toolArguments: '{"people":2}' });
    s.model('I cannot see the book.');
    s.expect.lastLine('agent: I cannot see the book.');
    s.expect.that('as a warning', (harness) =>
      expect(harness.emitted.find((event) => event.type === 'tool.result')!.level).toBe('warning'),
    );
  });

  scenario('with invalid arguments is not run, and the model gets an error', { tool: { after: 300 } }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    s.model('', { tool: 'find_table', toolArguments: '{"people":' });
    s.model('For how many?');
    s.expect.toolRuns(0);
    s.expect.requests(2);
    s.expect.lastLine('agent: For how many?');
  });

  scenario(
    'that is slow makes nobody ask whether the caller is still there',
    {
      tool: { after: 6000 },
      call: { check_user_online: true, user_online_after_seconds: 3 },
    },
    (s) => {
      s.caller('a table for two', { at: 500, for: 1000 });
      s.model('', { tool: 'find_table', toolArguments: '{"people":2}' });
      s.model('There is one.');
      s.expect.that('not while it ran', (harness) => {
        const types = harness.types();
        expect(types).toContain('agent.reply');
        expect(types.slice(0, types.indexOf('agent.reply'))).not.toContain('user.online_check');
      });
    },
  );

  scenario('is not run by a draft before its turn is over', { tool: { after: 300 } }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000, eagerAfter: 50, transcriptAfter: 1500 });
    s.model('', { tool: 'find_table', toolArguments: '{"people":2}', firstToken: 50 });
    s.model('There is one.');
    s.expect.that('not before', (harness) =>
      expect(harness.emitted.find((event) => event.type === 'tool.call')!.atMs).toBeGreaterThanOrEqual(3000),
    );
    s.expect.toolRuns(1);
    s.expect.lastLine('agent: There is one.');
  });

  scenario('is never run by a draft that was thrown away', { tool: { after: 300 } }, (s) => {
    s.caller('a table for two', {
      at: 500,
      for: 800,
      eagerAfter: 50,
      transcriptAfter: 1500,
      finally: 'a chair for one',
    });
    s.model('', { tool: 'find_table', toolArguments: '{"people":2}', firstToken: 50 });
    s.model('A chair, certainly.');
    s.expect.toolRuns(0);
    s.expect.lastLine('agent: A chair, certainly.');
  });

  scenario('that still runs when the caller hangs up leaves nothing behind', { tool: { after: 5000 } }, (s) => {
    s.caller('a table for two', { at: 500, for: 1000 });
    s.model('', { tool: 'find_table', toolArguments: '{"people":2}' });
    s.hangUp(emitted('tool.call', 1, 500));
    s.expect.requests(1);
    s.expect.transcript(['user: a table for two']);
    s.expect.that('nothing', (harness) => {
      expect(harness.sent).toEqual([]);
      expect(harness.running.count).toBe(0);
    });
  });
});

describe('a quiet caller', () => {
  const online = { check_user_online: true, user_online_after_seconds: 4, user_online_message: 'Are you there?' };

  scenario(
    'is asked once whether they are there, and then hung up on',
    {
      call: { ...online, hangup_after_silence_seconds: 8 },
    },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.expect.count('user.online_check', 1);
      s.expect.lastLine('agent: Are you there?');
      s.expect.callEnds({ hangup_by: 'agent', hangup_reason: 'caller silent' });
    },
  );

  scenario('who answers with one word is understood', { call: online }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.caller('hello', { at: emitted('user.online_check', 1, 2500), for: 500 });
    s.expect.history(['user: book a table', 'assistant: Yes of course.', 'assistant: Are you there?', 'user: hello']);
  });

  scenario('who speaks while they are asked is listened to', { call: online }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    const yes = s.caller('yes I am still here', { at: emitted('user.online_check', 1, 300), for: 900 });
    s.expect.silentBy(yes, 320, 600);
    s.expect.that('answered', (harness) =>
      expect(harness.transcript().join('\n')).toContain('user: yes I am still here\nagent: Yes of course.'),
    );
  });

  scenario('is not asked while they speak', { call: online }, (s) => {
    s.caller('well let me see what I had in my mind about it', { at: 500, for: 9000 });
    s.expect.that('not in between', (harness) =>
      expect(harness.emitted.find((event) => event.type === 'user.online_check')?.atMs ?? 99_000).toBeGreaterThan(
        12_000,
      ),
    );
  });
});

describe('keys', () => {
  scenario('are answered like words', {}, (s) => {
    s.keys('12', 1000);
    s.expect.history(['user: [pressed 12]']);
    s.expect.count('call.dtmf', 1);
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario('interrupt a reply', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.keys('1', agentSpeaking(1, 1500));
    s.expect.clears(1);
    s.expect.count('interrupted', 1);
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario(
    'over a reply that may not be interrupted are answered after it',
    { call: { allow_interruptions: false } },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.keys('1', agentSpeaking(1, 1500));
      s.expect.neverCleared();
      s.expect.playedOnce(1);
      s.expect.requests(2);
    },
  );

  scenario('while the agent thinks are part of what is answered', {}, (s) => {
    s.caller('my number is', { at: 500, for: 1000 });
    s.model('Words that nobody hears.', { firstToken: 2000 });
    s.keys('42', modelAsked(1, 500));
    s.expect.history(['user: my number is [pressed 42]']);
    s.expect.count('agent.reply', 1);
  });

  scenario('over the goodbye do not stop it', {}, (s) => {
    s.caller('goodbye then', { at: 500, for: 800 });
    s.model('Thank you very much for calling us today and goodbye.', { tool: 'end_call' });
    s.keys('1', agentSpeaking(1, 800));
    s.expect.neverCleared();
    s.expect.playedOnce(1);
    s.expect.requests(1);
    s.expect.that('ended', (harness) => expect(harness.ends).toHaveLength(1));
  });
});

describe('the question whether it is over', () => {
  const prompt = { hangup_on_prompt: true, hangup_prompt: 'Is the conversation over?', hangup_message: 'Goodbye.' };

  scenario('ends the call with the goodbye when the model says yes', { call: prompt }, (s) => {
    s.caller('that was all', { at: 500, for: 1000 });
    s.model('You are welcome.');
    s.model('Yes');
    s.expect.transcript(['user: that was all', 'agent: You are welcome.', 'agent: Goodbye.']);
    s.expect.count('hangup.prompt', 1);
    s.expect.callEnds({ hangup_by: 'agent', hangup_reason: 'hang-up prompt' });
  });

  scenario('changes nothing when the model says no', { call: prompt }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('For when?');
    s.model('No');
    s.expect.never('hangup.prompt');
    s.expect.callEnds();
  });

  scenario('is called off when the caller speaks', { call: prompt }, (s) => {
    s.caller('that was all', { at: 500, for: 1000 });
    s.model('You are welcome.');
    s.model('Yes', { firstToken: 1500 });
    s.caller('oh one thing more please', { at: replyPlayed(1, 100), for: 1000 });
    s.model('What is it?');
    s.model('No');
    s.expect.never('hangup.prompt');
    s.expect.callEnds();
    s.expect.lastLine('agent: What is it?');
  });

  scenario('that the model does not answer ends nothing', { call: prompt }, (s) => {
    s.caller('that was all', { at: 500, for: 1000 });
    s.model('You are welcome.');
    s.model('', { fail: 'broken' });
    s.expect.callEnds();
    s.expect.never('hangup.prompt');
  });
});

describe('silence', () => {
  const soon = { call: { hangup_after_silence_seconds: 6 } };

  scenario(
    'a caller who speaks at the last moment is not hung up on before their words are written',
    {
      transcriber: 'words',
      ...soon,
    },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.caller('for two', { at: replyPlayed(1, 5700), for: 800, noInterims: true, transcriptAfter: 600 });
      s.expect.requests(2);
    },
  );

  scenario('nor where the transcriber decides turns and reports them late', soon, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.caller('for two', { at: replyPlayed(1, 5700), for: 800, noInterims: true, transcriptAfter: 600 });
    s.expect.requests(2);
  });
});
