import { describe, expect, test } from 'vitest';
import { asked, replied, scenario, sounding } from '../support/scenario.ts';

const LONG =
  'Let me read that back to you, a table for two people tomorrow evening at seven under your name, by the window.';

describe('a transcriber that decides turns', () => {
  scenario('a turn is answered once, from the true end of the voice', {}, (s) => {
    s.caller('book a table', { at: 500, for: 2000, transcriptAfter: 200 });
    s.model('Certainly, for how many?', { firstToken: 100 });
    s.expect.events(['user.turn', 'llm.first_token', 'tts.first_audio', 'agent.reply']);
    s.expect.transcript(['user: book a table', 'agent: Certainly, for how many?']);
    // 200 end of turn, 100 token, 120 audio, 32 for the raster of voice activity.
    s.expect.firstAudioWithin(452);
    s.expect.heardOnce(1);
  });

  scenario('an end of turn that is told three times is answered once', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000, ends: 3 });
    s.expect.requests(1);
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
  });

  scenario('an end of turn that is told again after the reply is not answered again', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000, turn: 4 });
    s.transcriber('turn_ended', 'book a table', { at: replied(1, 500), turn: 4 });
    s.expect.requests(1);
    s.expect.count('user.turn', 1);
  });

  scenario('words of a turn that was ended change nothing any more', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000, turn: 2 });
    s.model(LONG);
    s.transcriber('partial', 'book a table for nine', { at: sounding(1, 600), turn: 2 });
    s.transcriber('turn_ended', 'book a table for nine', { at: sounding(1, 900), turn: 2 });
    s.expect.neverCleared();
    s.expect.requests(1);
    s.expect.transcript(['user: book a table', `agent: ${LONG}`]);
  });

  scenario('a turn with a lower number than the last one is not listened to', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000, turn: 7 });
    s.caller('something of before', { at: replied(1, 500), for: 900, turn: 3 });
    s.caller('for two', { at: replied(1, 4000), for: 900, turn: 8 });
    s.expect.history(['user: book a table', 'assistant: Yes of course.', 'user: for two']);
    s.expect.requests(2);
  });

  scenario('an empty turn is no turn: nothing is asked, nothing is written', {}, (s) => {
    s.caller('', { at: 500, for: 600 });
    s.caller('hello there', { at: 3000, for: 600 });
    s.expect.requests(1);
    s.expect.transcript(['user: hello there', 'agent: Yes of course.']);
  });

  scenario('a turn whose end is never told is given up and answered', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000, noEnd: true });
    s.expect.requests(1);
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
    s.expect.that('soon enough', (stage) => expect(stage.told[0]!.atMs).toBeLessThan(9000));
  });

  scenario('a turn that was given up and then ends after all is answered once', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000, transcriptAfter: 9000 });
    s.expect.requests(1);
    s.expect.count('user.turn', 1);
  });

  scenario('a turn opened without a word by the transcriber does not silence the agent for ever', {}, (s) => {
    s.transcriber('turn_started', '', { at: 500, turn: 0 });
    s.caller('hello there', { at: 9000, for: 800 });
    s.expect.transcript(['user: hello there', 'agent: Yes of course.']);
  });

  scenario('words without any voice are a turn all the same', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000, unvoiced: true });
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
  });

  scenario('an end of turn that comes while the voice still sounds is believed', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1500, transcriptAfter: -400 });
    s.expect.requests(1);
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
    s.expect.heardOnce(1);
  });

  scenario('voice activity whose clock runs ahead does not delay the answer', { voiceActivityAhead: 60_000 }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
    s.expect.that('in its time', (stage) => expect(stage.told.at(-1)!.atMs).toBeLessThan(5000));
  });

  scenario('two turns one right after the other, before any sound, are answered once and together', {}, (s) => {
    s.caller('book a table', { at: 500, for: 900, transcriptAfter: 150 });
    s.caller('for two people', { at: 1600, for: 900, transcriptAfter: 150 });
    s.expect.count('tts.first_audio', 1);
    s.expect.count('agent.reply', 1);
    s.expect.history(['user: book a table for two people']);
  });

  scenario('what the caller adds while the agent thinks changes the answer, not the number of answers', {}, (s) => {
    s.caller('do you have a table', { at: 500, for: 1000 });
    s.model('An answer nobody hears.', { firstToken: 2000 });
    s.caller('for tomorrow evening please', { at: asked(1, 700), for: 1200 });
    s.model('Tomorrow it is.');
    s.expect.transcript(['user: do you have a table', 'user: for tomorrow evening please', 'agent: Tomorrow it is.']);
    s.expect.history(['user: do you have a table for tomorrow evening please']);
    s.expect.that('never said', (stage) =>
      expect(stage.spoken.map((piece) => piece.text)).toEqual(['Tomorrow it is.']),
    );
  });

  scenario('noise while the agent thinks takes nothing from the answer', {}, (s) => {
    s.caller('do you have a table', { at: 500, for: 1000 });
    s.model('Yes we do.', { firstToken: 1500 });
    s.noise({ at: asked(1, 300), for: 300 });
    s.expect.requests(1);
    s.expect.lastLine('agent: Yes we do.');
    s.expect.heardOnce(1);
  });

  scenario('noise that lasts until the first sound holds the answer back, and then it is given', {}, (s) => {
    s.caller('do you have a table', { at: 500, for: 1000 });
    s.model('Yes we do.', { firstToken: 300 });
    s.noise({ at: asked(1, 100), for: 1500 });
    s.expect.requests(1);
    s.expect.lastLine('agent: Yes we do.');
    s.expect.heardOnce(1);
    s.expect.never('interrupted');
  });

  scenario('a backchannel while the agent thinks takes nothing from the answer', {}, (s) => {
    s.caller('do you have a table', { at: 500, for: 1000 });
    s.model('Yes we do.', { firstToken: 1500 });
    s.caller('okay', { at: asked(1, 300), for: 350 });
    s.expect.requests(1);
    s.expect.lastLine('agent: Yes we do.');
  });

  scenario('a caller who goes on just before the first sound is not talked over', {}, (s) => {
    s.caller('do you have a table', { at: 500, for: 1000 });
    s.model('Yes we do, for how many shall it be?', { firstToken: 300 });
    const on = s.caller('for four people and a dog', { at: asked(1, 350), for: 1500 });
    s.expect.silentBy(on, 150, 1300);
    s.expect.history(['user: do you have a table for four people and a dog']);
    s.expect.count('agent.reply', 1);
  });
});

describe('drafts on an eager end', () => {
  scenario('nothing is heard or told before the turn is over, then the draft is the answer', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000, eagerAfter: 50, transcriptAfter: 1200 });
    s.model('Certainly, for how many?', { firstToken: 100 });
    s.expect.requests(1);
    s.expect.that('nothing early', (stage) => {
      expect(Math.min(...stage.told.map((event) => event.atMs))).toBeGreaterThanOrEqual(2700);
      expect(Math.min(...stage.sent.map((frame) => frame.atMs))).toBeGreaterThanOrEqual(2700);
    });
    s.expect.heardOnce(1);
    s.expect.lastLine('agent: Certainly, for how many?');
  });

  scenario('a caller who goes on after an eager end is answered for all of it, and hears only that', {}, (s) => {
    s.transcriber('turn_started', 'book', { at: 500, turn: 0 });
    s.noise({ at: 500, for: 900 });
    s.transcriber('turn_eager_end', 'book a table', { at: 1500, turn: 0 });
    s.noise({ at: 2000, for: 900 });
    s.transcriber('turn_resumed', 'book a table', { at: 2100, turn: 0 });
    s.transcriber('partial', 'book a table for', { at: 2400, turn: 0 });
    s.transcriber('turn_ended', 'book a table for two', { at: 3100, turn: 0 });
    s.model('An answer nobody hears.');
    s.model('For two, certainly.');
    s.expect.neverSent(1);
    s.expect.transcript(['user: book a table for two', 'agent: For two, certainly.']);
    s.expect.history(['user: book a table for two']);
  });

  scenario('a confirmed turn that differs only in case and stops keeps its draft', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000, eagerAfter: 50, transcriptAfter: 500, finally: 'Book a table.' });
    s.expect.requests(1);
    s.expect.transcript(['user: Book a table.', 'agent: Yes of course.']);
  });

  scenario('a confirmed turn that says something else throws its draft away', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000, eagerAfter: 50, transcriptAfter: 800, finally: 'cook a turtle' });
    s.model('A table, certainly.');
    s.model('A turtle, certainly.');
    s.expect.neverSent(1);
    s.expect.transcript(['user: cook a turtle', 'agent: A turtle, certainly.']);
    s.expect.history(['user: cook a turtle']);
  });

  scenario('a transcriber that believes in the end again and again does not ask the model each time', {}, (s) => {
    for (let time = 0; time < 12; time++) {
      s.transcriber('turn_eager_end', `a b c ${time}`, { at: 500 + time * 200, turn: 0 });
      s.transcriber('turn_resumed', `a b c ${time}`, { at: 600 + time * 200, turn: 0 });
    }
    s.transcriber('turn_ended', 'a b c and d', { at: 4000, turn: 0 });
    s.expect.that('few questions', (stage) => expect(stage.requests.length).toBeLessThanOrEqual(4));
    s.expect.count('agent.reply', 1);
  });

  scenario('a draft that ends the call ends it only when the turn is confirmed', {}, (s) => {
    s.caller('goodbye then', { at: 500, for: 600, eagerAfter: 50, transcriptAfter: 1500, finally: 'goodbye then' });
    s.model('Goodbye.', { tool: 'end_call', firstToken: 100 });
    s.expect.that('not before', (stage) =>
      expect(stage.told.find((event) => event.type === 'tool.call')!.atMs).toBeGreaterThanOrEqual(2600),
    );
    s.expect.ends({ hangup_by: 'agent', hangup_reason: 'agent ended the call' });
  });

  scenario('a draft that wanted to end the call is forgotten when the caller goes on', {}, (s) => {
    s.transcriber('turn_started', 'bye', { at: 500, turn: 0 });
    s.transcriber('turn_eager_end', 'bye', { at: 1000, turn: 0 });
    s.model('Goodbye.', { tool: 'end_call', firstToken: 50 });
    s.transcriber('turn_resumed', 'bye', { at: 1500, turn: 0 });
    s.transcriber('turn_ended', 'bye the way how late is it', { at: 2500, turn: 0 });
    s.model('It is noon.');
    s.expect.ends();
    s.expect.never('tool.call');
    s.expect.lastLine('agent: It is noon.');
  });

  scenario('a draft whose model fails has failed only when the turn is confirmed', {}, (s) => {
    s.caller('book a table', { at: 500, for: 600, eagerAfter: 50, transcriptAfter: 1500 });
    s.model('', { fail: 'broken', firstToken: 50 });
    s.model('Certainly.');
    s.expect.that('not before', (stage) =>
      expect(stage.told.find((event) => event.type === 'error')!.atMs).toBeGreaterThanOrEqual(2600),
    );
    s.expect.lastLine('agent: Certainly.');
  });

  scenario('a caller who hangs up while a draft is made leaves only their words', {}, (s) => {
    s.caller('book a table', { at: 500, for: 600, eagerAfter: 50, transcriptAfter: 3000 });
    s.hangUp(2500);
    s.expect.transcript(['user: book a table']);
    s.expect.that('no sound', (stage) => expect(stage.sent).toEqual([]));
  });
});

describe('a transcriber that only writes', () => {
  const words = { transcriber: 'words', endpointing: 400, finalisation: 500 } as const;

  scenario('silence and the final words end the turn', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000, transcriptAfter: 450 });
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
    s.expect.that('asked for the final words once', (stage) => expect(stage.finalizes).toHaveLength(1));
    // 450 words, 250 token, 120 audio, and the rasters of voice activity and beat.
    s.expect.firstAudioWithin(900);
  });

  scenario('a turn made only of interims is answered at its deadline', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000, noEnd: true });
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
    // 900 deadline, 250 token, 120 audio.
    s.expect.firstAudioWithin(1350);
  });

  scenario('interims that were lost entirely leave a turn to the final words', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000, noInterims: true });
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
  });

  scenario('a final that comes before the voice ended is kept and waits for the silence', words, (s) => {
    s.caller('book a table', { at: 500, for: 1500, transcriptAfter: -200 });
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
    s.expect.that('after the patience', (stage) => expect(stage.told[0]!.atMs).toBeGreaterThanOrEqual(2000 + 380));
  });

  scenario('a final that comes after its turn was given up without words is answered at once', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000, noInterims: true, transcriptAfter: 2500 });
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
    s.expect.that('at once', (stage) => expect(stage.told[0]!.atMs).toBeLessThanOrEqual(4100));
  });

  scenario('a final that comes after its turn was answered makes no second answer', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000, transcriptAfter: 2500 });
    s.expect.requests(1);
    s.expect.count('user.turn', 1);
  });

  scenario('the same final twice is one turn', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000, ends: 2 });
    s.expect.requests(1);
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
  });

  scenario('two finals of one breath are one turn', { ...words, endpointing: 700 }, (s) => {
    s.noise({ at: 500, for: 2000 });
    s.transcriber('final', 'book a table', { at: 1600, turn: 0 });
    s.transcriber('final', 'for two people', { at: 2900, turn: 1 });
    s.expect.requests(1);
    s.expect.transcript(['user: book a table for two people', 'agent: Yes of course.']);
  });

  scenario('a pause shorter than the patience does not cut the sentence', { ...words, endpointing: 900 }, (s) => {
    s.caller('book a table', { at: 500, for: 1000, transcriptAfter: 300 });
    s.caller('for two people', { at: 2200, for: 1000, transcriptAfter: 300 });
    s.expect.requests(1);
    s.expect.transcript(['user: book a table for two people', 'agent: Yes of course.']);
  });

  scenario('noise without words is no turn', words, (s) => {
    s.noise({ at: 500, for: 700 });
    s.expect.requests(0);
    s.expect.events([]);
  });

  scenario('noise after a turn does not answer it a second time, with nothing', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.noise({ at: replied(1, 300), for: 700 });
    s.expect.requests(1);
    s.expect.count('user.turn', 1);
  });

  scenario('voice that never ends lets the words be answered no later than it pauses', words, (s) => {
    s.noise({ at: 300, for: 6000 });
    s.transcriber('final', 'book a table', { at: 1500, turn: 0 });
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
  });

  scenario('final words without any voice are answered', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000, unvoiced: true });
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
  });

  scenario('interim words without any voice are answered, though no final comes', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000, unvoiced: true, noEnd: true });
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
  });

  scenario(
    'interim words without any voice do not keep a dead line open',
    {
      ...words,
      call: { hangup_after_silence_seconds: 6 },
      lasts: 40_000,
    },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000, unvoiced: true, noEnd: true });
      s.expect.that('ends', (stage) => expect(stage.ends).toHaveLength(1));
    },
  );

  scenario('a final that comes before it is asked for ends the turn when the patience does', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000, transcriptAfter: 150 });
    // 400 patience, 250 token, 120 audio, and the rasters; today it waits for its deadline, 900.
    s.expect.firstAudioWithin(850);
  });

  scenario('a final that is told twice within its turn is one thing said', { ...words, endpointing: 900 }, (s) => {
    s.caller('book a table', { at: 500, for: 1000, transcriptAfter: 300, ends: 2 });
    s.expect.history(['user: book a table']);
  });

  scenario('words that open a turn before the voice is known wait for its silence as others do', words, (s) => {
    s.transcriber('partial', 'book', { at: 450, turn: 0 });
    s.caller('book a table for two', { at: 500, for: 1500 });
    s.expect.requests(1);
    s.expect.transcript(['user: book a table for two', 'agent: Yes of course.']);
  });
});

describe('to be built', () => {
  test.todo('a sentence that plainly goes on is waited for longer');
  test.todo('a dictated phone number is not cut at its pauses');
  test.todo('the patience adapts to the pauses of this caller');
  test.todo('an audio model of the end of turn that answers late does not delay the absolute deadline');
});

describe('drafts', () => {
  scenario('keys that come while a draft is made are known to the answer', {}, (s) => {
    s.caller('my number is', { at: 500, for: 800, eagerAfter: 50, transcriptAfter: 1200 });
    s.keys('42', 1700);
    s.expect.that('told to the model', (stage) =>
      expect(stage.requests.at(-1)!.messages.at(-1)!.content).toBe('[pressed 42] my number is'),
    );
  });
});
