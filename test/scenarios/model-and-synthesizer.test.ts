import { describe, expect } from 'vitest';
import { agentSpeaking, emitted, replyPlayed, scenario } from '../support/scenario.ts';

const LONG =
  'Let me read that back to you, a table for two people tomorrow evening at seven under your name, by the window.';

describe('the model', () => {
  scenario('is asked once for a turn, however it goes', {}, (s) => {
    s.caller('book a table for two people please', { at: 500, for: 3000, ends: 2 });
    s.expect.requests(1);
    s.expect.that('usage', (harness) => expect(harness.usage.llm_calls).toBe(1));
  });

  scenario('that fails before its first token is requested again', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('', { fail: 'broken' });
    s.model('Certainly.');
    s.expect.transcript(['user: book a table', 'agent: Certainly.']);
    s.expect.count('error', 1);
    s.expect.callEnds();
  });

  scenario('that fails for ten seconds ends the call with an error', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    for (let request = 0; request < 10; request++) s.model('', { fail: 'broken' });
    s.expect.callEnds({ hangup_by: 'service', hangup_reason: 'error: llm' });
    s.expect.transcript(['user: book a table']);
  });

  scenario('that rejects the key is not requested again', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('', { fail: 'no such key', failKind: 'auth' });
    s.expect.requests(1);
    s.expect.callEnds({ hangup_by: 'service', hangup_reason: 'error: llm' });
  });

  scenario('that fails in the middle keeps what was played out, once, and the call continues', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Certainly, one moment. I shall', { fail: 'broken', every: 50 });
    s.caller('hello there', { at: emitted('error', 1, 4000), for: 800 });
    s.expect.requests(2);
    s.expect.that('once', (harness) =>
      expect(harness.transcript().filter((line) => line.startsWith('agent: Certainly,'))).toHaveLength(1),
    );
    s.expect.lastLine('agent: Yes of course.');
    s.expect.callEnds();
  });

  scenario('that never starts is requested again at its deadline', { lasts: 30_000 }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('', { hangs: true });
    s.model('Certainly.');
    s.expect.transcript(['user: book a table', 'agent: Certainly.']);
    s.expect.count('error', 1);
    s.expect.firstAudioWithin(8000);
  });

  scenario('that stalls in the middle times out', { lasts: 30_000 }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Certainly, one moment please. ', { hangs: true });
    s.caller('hello there', { at: 18_000, for: 800 });
    s.expect.lastLine('agent: Yes of course.');
    s.expect.history(['user: book a table', /^assistant: Certainly,/, 'user: hello there']);
  });

  scenario('that stalls after unspeakable text times out', { lasts: 30_000 }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('🙂 ', { hangs: true });
    s.caller('hello there', { at: 15_000, for: 800 });
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario('an empty reply does not leave the caller in silence', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('');
    s.expect.that('something is said', (harness) => expect(harness.played).not.toEqual([]));
  });

  const CODE = '```js\nlet table = book(2);\n```';

  scenario('that replies with code only is asked for speakable text', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(CODE);
    s.model('Your table is booked.');
    s.caller('thank you', { at: replyPlayed(1, 500), for: 700 });
    s.expect.history(['user: book a table', `assistant: ${CODE}`, /^system: .*plain words/], 2);
    s.expect.history(['user: book a table', 'assistant: Your table is booked.', 'user: thank you']);
    s.expect.spoken('Your table is booked.', 'Yes of course.');
    s.expect.playedOnce(1);
    s.expect.never('error');
  });

  scenario('that has nothing but code to say makes the agent ask, and the next turn is answered', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(CODE);
    s.model('```\nlet never');
    s.caller('hello there', { at: replyPlayed(1, 500), for: 800 });
    s.expect.requests(3);
    s.expect.transcript([
      'user: book a table',
      'agent: Sorry, I did not catch that. Could you say it again?',
      'user: hello there',
      'agent: Yes of course.',
    ]);
    s.expect.count('error', 1);
    s.expect.callEnds();
  });

  scenario(
    'that hides its goodbye in code says the one of the agent',
    { call: { hangup_message: 'Goodbye.' } },
    (s) => {
      s.caller('goodbye then', { at: 500, for: 800 });
      s.model(CODE, { tool: 'end_call' });
      s.expect.transcript(['user: goodbye then', 'agent: Goodbye.']);
      s.expect.callEnds({ hangup_by: 'agent', hangup_reason: 'agent ended the call' });
    },
  );

  scenario('is spoken without its code', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(`Here it is:\n${CODE}\nAnything else?`, { every: 40 });
    s.expect.spoken('Here it is:', 'Anything else?');
    s.expect.that('without the code', (harness) =>
      expect(harness.transcript().at(-1)).toMatch(/^agent: Here it is:\s+Anything else\?$/),
    );
    s.expect.playedOnce(1);
  });

  scenario('a sentence that was whole when the model broke off is spoken', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Certainly, one moment please. ', { fail: 'broken', every: 50 });
    s.expect.lastLine('agent: Certainly, one moment please.');
  });

  scenario('that fails after an interruption counts as no failure', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG, { every: 300, fail: 'broken' });
    s.caller('but make it eight', { at: agentSpeaking(1, 1500), for: 1000 });
    s.expect.never('error');
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario(
    "has the call's values in its prompt",
    { prompt: 'The caller is {name}.', values: { name: 'Asha' } },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.expect.that('in the system message', (harness) =>
        expect(harness.requests[0]!.messages[0]!.content).toContain('The caller is Asha.'),
      );
    },
  );

  scenario('sees the same beginning each time, so that its cache holds', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.caller('for two', { at: replyPlayed(1, 500), for: 700 });
    s.caller('at seven', { at: replyPlayed(2, 500), for: 700 });
    s.expect.that('only longer', (harness) => {
      const [first, second, third] = harness.requests.map((request) => request.messages);
      expect(second!.slice(0, first!.length)).toEqual(first);
      expect(third!.slice(0, second!.length)).toEqual(second);
    });
  });

  scenario('that is stopped by an interruption leaves no open stream', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG, { every: 1500 });
    s.caller('but make it eight', { at: agentSpeaking(1, 400), for: 1000 });
    s.expect.that('closed', (harness) => expect(harness.running.count).toBe(0));
    s.expect.requests(2);
  });

  scenario('that calls an unknown tool gets an error, and then answers', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('', { tool: 'book_table' });
    s.model('I cannot do that here.');
    s.expect.requests(2);
    s.expect.events(['user.turn', 'llm.first_token', 'tool.call', 'tool.result', 'tts.first_audio', 'agent.reply']);
    s.expect.lastLine('agent: I cannot do that here.');
  });

  scenario('that calls tools endlessly must answer in the end', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    for (let time = 0; time < 8; time++) s.model('', { tool: 'book_table' });
    s.expect.requests(7);
    s.expect.lastLine('agent: Sorry, I did not catch that. Could you say it again?');
  });

  scenario('whose words before a tool are spoken says them once', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('One moment please. ', { tool: 'book_table' });
    s.model('It cannot be done.');
    s.expect.lastLine('agent: One moment please. It cannot be done.');
    s.expect.playedOnce(1);
    s.expect.count('agent.reply', 1);
  });

  scenario('whose tool came to nothing because the caller spoke is asked anew', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('One moment please, I am looking for it. ', { tool: 'book_table' });
    s.model(LONG);
    s.caller('no leave it please', { at: agentSpeaking(1, 1000), for: 900 });
    s.expect.lastLine('agent: Yes of course.');
    s.expect.count('interrupted', 1);
    s.expect.count('tool.call', 1);
  });

  scenario('whose tool has broken arguments harms nobody', {}, (s) => {
    s.caller('goodbye then', { at: 500, for: 1000 });
    s.model('Goodbye.', { tool: 'end_call', toolArguments: '{"reason": ' });
    s.expect.callEnds({ hangup_by: 'agent', hangup_reason: 'agent ended the call' });
  });
});

describe('the synthesizer', () => {
  scenario('that stops in the middle counts only what it has spoken', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Certainly, for how many people shall it be?');
    s.synthesizer({ breaks: 'silence', breaksAfterMs: 700 });
    s.caller('wait', { at: agentSpeaking(1, 1_400), for: 400 });
    s.expect.that('the words of 700 ms', (harness) => expect(harness.transcript()[1]).toBe('agent: Certainly, —'));
  });

  scenario('that fails before its first audio is retried, with the whole text', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Certainly, for how many?');
    s.synthesizer({ breaks: 'context failed' });
    s.expect.lastLine('agent: Certainly, for how many?');
    s.expect.playedOnce(2);
    s.expect.callEnds();
  });

  scenario('whose failed first attempt still sends audio is played from the second only', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.synthesizer({ breaks: 'context failed', lateAfterBreakMs: 900 });
    s.synthesizer({ chunkMs: 100, speed: 1 });
    s.expect.neverSent(1);
    s.expect.playedOnce(2);
    s.expect.count('tts.first_audio', 1);
    s.expect.lastLine(`agent: ${LONG}`);
  });

  scenario('that fails twice before its first audio ends the call with an error', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.synthesizer({ breaks: 'context failed' });
    s.synthesizer({ breaks: 'context failed' });
    s.expect.callEnds({ hangup_by: 'service', hangup_reason: 'error: voice' });
    s.expect.transcript(['user: book a table']);
  });

  scenario('that loses its connection before its first audio is replaced', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.synthesizer({ breaks: 'connection failed' });
    s.expect.lastLine('agent: Yes of course.');
    s.expect.playedOnce(2);
  });

  scenario('that ends without audio has failed', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.synthesizer({ breaks: 'done' });
    s.expect.count('error', 1);
    s.expect.playedOnce(2);
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario('that fails in the middle is played up to there, and the call continues', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.synthesizer({ breaks: 'context failed', breaksAfterMs: 1500 });
    s.caller('hello there', { at: agentSpeaking(1, 5000), for: 800 });
    s.expect.playedFor(1, 1500, 0);
    s.expect.requests(2);
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario('that fails in the middle leaves only the played-out text in the transcript', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.synthesizer({ breaks: 'context failed', breaksAfterMs: 1500 });
    s.expect.that('no more than was played out', (harness) =>
      expect(harness.transcript().at(-1)!.length).toBeLessThan(LONG.length / 2),
    );
  });

  scenario('that is slow is awaited', { synthesizer: { firstAudioMs: 2500 } }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.expect.lastLine('agent: Yes of course.');
    s.expect.playedOnce(1);
  });

  scenario('that fails while another reply is already under way is not its business', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.synthesizer({ breaks: 'context failed', breaksAfterMs: 3000, chunkMs: 200, speed: 1 });
    s.caller('but make it eight', { at: agentSpeaking(1, 1000), for: 900 });
    s.expect.never('error');
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario(
    'that is interrupted within an amount omits the amount from the transcript',
    { synthesizer: { timings: true } },
    (s) => {
      s.caller('what does it cost', { at: 500, for: 1000 });
      s.model('The table by the window costs ₹1,25,750 for the whole evening with everything.');
      s.caller('no that is too much', { at: agentSpeaking(1, 2600), for: 1000 });
      s.expect.that('the words before it', (harness) =>
        expect(harness.transcript()).toContain('agent: The table by the window costs —'),
      );
    },
  );

  scenario(
    "that is interrupted after an amount keeps the amount's original text",
    { synthesizer: { timings: true } },
    (s) => {
      s.caller('what does it cost', { at: 500, for: 1000 });
      s.model('It costs ₹1,250 for the whole evening with everything and a bottle of wine.');
      s.caller('no that is too much', { at: agentSpeaking(1, 3300), for: 1000 });
      s.expect.that('the amount', (harness) =>
        expect(harness.transcript().find((line) => line.endsWith('—'))).toMatch(/^agent: It costs ₹1,250 for/),
      );
    },
  );

  scenario('is given nothing that is not to be spoken', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('# Booking\n- **one** table\n- `two` people 🙂\n[link](https://example.org)');
    s.expect.that('plain words', (harness) =>
      expect(harness.spoken.map((piece) => piece.text).join(' ')).not.toMatch(/[#*`🙂[\]]|https/u),
    );
    s.expect.playedOnce(1);
  });

  scenario(
    'says the welcome with the values of the call',
    { welcome: 'Hello {name}.', values: { name: 'Asha' } },
    (s) => {
      s.expect.transcript([]);
      s.expect.spoken('Hello Asha.');
      s.expect.events(['welcome', 'tts.first_audio']);
    },
  );

  scenario('that fails at the welcome is tried once more', { welcome: 'Welcome to us.' }, (s) => {
    s.synthesizer({ breaks: 'context failed' });
    s.caller('hello there', { at: 6000, for: 800 });
    s.expect.transcript(['agent: Welcome to us.', 'user: hello there', 'agent: Yes of course.']);
  });
});

describe('the goodbye', () => {
  const end = { hangup_by: 'agent', hangup_reason: 'agent ended the call' } as const;

  scenario('is played to its last millisecond before the hang-up', {}, (s) => {
    s.caller('goodbye then', { at: 500, for: 800 });
    s.model('Thank you for calling and goodbye.', { tool: 'end_call' });
    s.expect.playedOnce(1);
    s.expect.lastLine('agent: Thank you for calling and goodbye.');
    s.expect.callEnds(end);
  });

  scenario('is waited for when the carrier is slow with its last mark', { carrier: { markDelayMs: 700 } }, (s) => {
    s.caller('goodbye then', { at: 500, for: 800 });
    s.model('Thank you for calling and goodbye.', { tool: 'end_call' });
    s.expect.playedOnce(1);
    s.expect.callEnds(end);
  });

  scenario('ends the call though its last mark never comes', { carrier: { marks: 'never' } }, (s) => {
    s.caller('goodbye then', { at: 500, for: 800 });
    s.model('Thank you for calling and goodbye.', { tool: 'end_call' });
    s.expect.playedOnce(1);
    s.expect.callEnds(end);
  });

  scenario('is not interrupted by the caller, whose words are kept', {}, (s) => {
    s.caller('goodbye then', { at: 500, for: 800 });
    s.model('Thank you very much for calling us today and goodbye.', { tool: 'end_call' });
    s.caller('thanks and bye bye', { at: agentSpeaking(1, 500), for: 900 });
    s.expect.neverCleared();
    s.expect.playedOnce(1);
    s.expect.requests(1);
    s.expect.callEnds(end);
    s.expect.that('kept', (harness) => expect(harness.transcript()).toContain('user: thanks and bye bye'));
  });

  scenario(
    'may be interrupted where the agent allows it, but is not answered',
    { call: { hangup_interruptible: true } },
    (s) => {
      s.caller('goodbye then', { at: 500, for: 800 });
      s.model('Thank you very much for calling us today and goodbye.', { tool: 'end_call' });
      s.noise({ at: agentSpeaking(1, 800), for: 600 });
      s.expect.playedOnce(1);
      s.expect.callEnds(end);
    },
  );

  scenario(
    "that the model forgot is the agent's own",
    { call: { hangup_message: 'Goodbye, {name}.' }, values: { name: 'Asha' } },
    (s) => {
      s.caller('goodbye then', { at: 500, for: 800 });
      s.model('', { tool: 'end_call' });
      s.expect.lastLine('agent: Goodbye, Asha.');
      s.expect.playedOnce(1);
      s.expect.callEnds(end);
    },
  );

  scenario('that nobody has is left out', {}, (s) => {
    s.caller('goodbye then', { at: 500, for: 800 });
    s.model('', { tool: 'end_call' });
    s.expect.callEnds(end);
    s.expect.transcript(['user: goodbye then']);
  });

  scenario(
    'of an uninterruptible agent is followed by nothing that was said over it',
    { call: { allow_interruptions: false } },
    (s) => {
      s.caller('goodbye then', { at: 500, for: 800 });
      s.model('Thank you very much for calling us today and goodbye.', { tool: 'end_call' });
      s.caller('wait one more thing', { at: agentSpeaking(1, 500), for: 900 });
      s.expect.requests(1);
      s.expect.callEnds(end);
    },
  );

  scenario('does not stop a caller from hanging up first', {}, (s) => {
    s.caller('goodbye then', { at: 500, for: 800 });
    s.model('Thank you very much for calling us today and goodbye.', { tool: 'end_call' });
    s.hangUp(agentSpeaking(1, 900));
    s.expect.callEnds();
    s.expect.lastLine(/^agent: Thank you .*—$/);
  });

  scenario('that a failing synthesizer cut off still ends the call', {}, (s) => {
    s.caller('goodbye then', { at: 500, for: 800 });
    s.model('Thank you very much for calling us today and goodbye.', { tool: 'end_call' });
    s.synthesizer({ breaks: 'context failed', breaksAfterMs: 900 });
    s.expect.callEnds(end);
  });
});

describe('silence', () => {
  scenario('of the caller ends the call', { call: { hangup_after_silence_seconds: 6 } }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.expect.callEnds({ hangup_by: 'agent', hangup_reason: 'caller silent' });
  });

  scenario(
    'is counted from the end of playout, not of generation',
    {
      call: { hangup_after_silence_seconds: 5 },
      lasts: 13_000,
    },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.expect.callEnds();
      s.expect.count('agent.reply', 1);
    },
  );

  scenario('does not count while the model thinks', { call: { hangup_after_silence_seconds: 5 } }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Certainly.', { firstToken: 5800 });
    s.caller('thank you', { at: replyPlayed(1, 2000), for: 800 });
    s.expect.count('agent.reply', 2);
  });

  scenario(
    'of a caller who only makes noise is silence',
    { call: { hangup_after_silence_seconds: 8 }, lasts: 40_000 },
    (s) => {
      for (let time = 0; time < 6; time++) s.noise({ at: 1000 + time * 1500, for: 300 });
      s.expect.callEnds({ hangup_by: 'agent', hangup_reason: 'caller silent' });
    },
  );
});
