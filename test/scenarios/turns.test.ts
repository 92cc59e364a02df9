import { describe, expect } from 'vitest';
import type { Harness } from '../support/harness.ts';
import { agentSpeaking, modelAsked, replyPlayed, scenario } from '../support/scenario.ts';

const LONG =
  'Let me read that back to you, a table for two people tomorrow evening at seven under your name, by the window.';

describe('a transcriber that decides turns', () => {
  scenario('a turn is answered once, counted from the true end of speech', {}, (s) => {
    s.caller('book a table', { at: 500, for: 2000, transcriptAfter: 200 });
    s.model('Certainly, for how many?', { firstToken: 100 });
    s.expect.events(['user.turn', 'llm.first_token', 'tts.first_audio', 'agent.reply']);
    s.expect.transcript(['user: book a table', 'agent: Certainly, for how many?']);
    // 200 end of turn, 100 token, 120 audio, 32 for a VAD window.
    s.expect.firstAudioWithin(452);
    s.expect.playedOnce(1);
  });

  scenario('a triple end of turn is answered once', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000, ends: 3 });
    s.expect.requests(1);
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
  });

  scenario('a repeated end of turn after the reply is not answered again', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000, turn: 4 });
    s.transcriber('turn_ended', 'book a table', { at: replyPlayed(1, 500), turn: 4 });
    s.expect.requests(1);
    s.expect.count('user.turn', 1);
  });

  scenario('words of a turn that was ended change nothing any more', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000, turn: 2 });
    s.model(LONG);
    s.transcriber('partial', 'book a table for nine', { at: agentSpeaking(1, 600), turn: 2 });
    s.transcriber('turn_ended', 'book a table for nine', { at: agentSpeaking(1, 900), turn: 2 });
    s.expect.neverCleared();
    s.expect.requests(1);
    s.expect.transcript(['user: book a table', `agent: ${LONG}`]);
  });

  scenario('a turn with a lower number than the last one is not listened to', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000, turn: 7 });
    s.caller('something of before', { at: replyPlayed(1, 500), for: 900, turn: 3 });
    s.caller('for two', { at: replyPlayed(1, 4000), for: 900, turn: 8 });
    s.expect.history(['user: book a table', 'assistant: Yes of course.', 'user: for two']);
    s.expect.requests(2);
  });

  scenario('an empty turn is no turn: nothing is asked, nothing is written', {}, (s) => {
    s.caller('', { at: 500, for: 600 });
    s.caller('hello there', { at: 3000, for: 600 });
    s.expect.requests(1);
    s.expect.transcript(['user: hello there', 'agent: Yes of course.']);
  });

  scenario('a turn without an end is answered after a timeout', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000, noEnd: true });
    s.expect.requests(1);
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
    s.expect.that('soon enough', (harness) => expect(harness.emitted[0]!.atMs).toBeLessThan(9000));
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

  scenario('words without detected speech are a turn', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000, unvoiced: true });
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
  });

  scenario('an end of turn during detected speech is accepted', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1500, transcriptAfter: -400 });
    s.expect.requests(1);
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
    s.expect.playedOnce(1);
  });

  scenario('VAD with a clock ahead does not delay the reply', { voiceActivityAhead: 60_000 }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
    s.expect.that('in its time', (harness) => expect(harness.emitted.at(-1)!.atMs).toBeLessThan(5000));
  });

  scenario('two consecutive turns before any audio are answered together, once', {}, (s) => {
    s.caller('book a table', { at: 500, for: 900, transcriptAfter: 150 });
    s.caller('for two people', { at: 1600, for: 900, transcriptAfter: 150 });
    s.expect.count('tts.first_audio', 1);
    s.expect.count('agent.reply', 1);
    s.expect.history(['user: book a table for two people']);
  });

  scenario('words added during generation change the reply, not the number of replies', {}, (s) => {
    s.caller('do you have a table', { at: 500, for: 1000 });
    s.model('An answer nobody hears.', { firstToken: 2000 });
    s.caller('for tomorrow evening please', { at: modelAsked(1, 700), for: 1200 });
    s.model('Tomorrow it is.');
    s.expect.transcript(['user: do you have a table', 'user: for tomorrow evening please', 'agent: Tomorrow it is.']);
    s.expect.history(['user: do you have a table for tomorrow evening please']);
    s.expect.that('never said', (harness) =>
      expect(harness.spoken.map((piece) => piece.text)).toEqual(['Tomorrow it is.']),
    );
  });

  scenario('noise during generation does not shorten the reply', {}, (s) => {
    s.caller('do you have a table', { at: 500, for: 1000 });
    s.model('Yes we do.', { firstToken: 1500 });
    s.noise({ at: modelAsked(1, 300), for: 300 });
    s.expect.requests(1);
    s.expect.lastLine('agent: Yes we do.');
    s.expect.playedOnce(1);
  });

  scenario('noise until the first audio delays the reply', {}, (s) => {
    s.caller('do you have a table', { at: 500, for: 1000 });
    s.model('Yes we do.', { firstToken: 300 });
    s.noise({ at: modelAsked(1, 100), for: 1500 });
    s.expect.requests(1);
    s.expect.lastLine('agent: Yes we do.');
    s.expect.playedOnce(1);
    s.expect.never('interrupted');
  });

  scenario('a backchannel during generation does not shorten the reply', {}, (s) => {
    s.caller('do you have a table', { at: 500, for: 1000 });
    s.model('Yes we do.', { firstToken: 1500 });
    s.caller('okay', { at: modelAsked(1, 300), for: 350 });
    s.expect.requests(1);
    s.expect.lastLine('agent: Yes we do.');
  });

  scenario('a caller who continues just before the first audio is not talked over', {}, (s) => {
    s.caller('do you have a table', { at: 500, for: 1000 });
    s.model('Yes we do, for how many shall it be?', { firstToken: 300 });
    const on = s.caller('for four people and a dog', { at: modelAsked(1, 350), for: 1500 });
    s.expect.silentBy(on, 150, 1300);
    s.expect.history(['user: do you have a table for four people and a dog']);
    s.expect.count('agent.reply', 1);
  });
});

describe('drafts on an eager end', () => {
  scenario('nothing is played or reported before the end of turn; then the preemptive reply is used', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000, eagerAfter: 50, transcriptAfter: 1200 });
    s.model('Certainly, for how many?', { firstToken: 100 });
    s.expect.requests(1);
    s.expect.that('nothing early', (harness) => {
      expect(Math.min(...harness.emitted.map((event) => event.atMs))).toBeGreaterThanOrEqual(2700);
      expect(Math.min(...harness.sent.map((frame) => frame.atMs))).toBeGreaterThanOrEqual(2700);
    });
    s.expect.playedOnce(1);
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
    s.expect.that('few questions', (harness) => expect(harness.requests.length).toBeLessThanOrEqual(4));
    s.expect.count('agent.reply', 1);
  });

  scenario('a draft that ends the call ends it only when the turn is confirmed', {}, (s) => {
    s.caller('goodbye then', { at: 500, for: 600, eagerAfter: 50, transcriptAfter: 1500, finally: 'goodbye then' });
    s.model('Goodbye.', { tool: 'end_call', firstToken: 100 });
    s.expect.that('not before', (harness) =>
      expect(harness.emitted.find((event) => event.type === 'tool.call')!.atMs).toBeGreaterThanOrEqual(2600),
    );
    s.expect.callEnds({ hangup_by: 'agent', hangup_reason: 'agent ended the call' });
  });

  scenario('a draft that wanted to end the call is forgotten when the caller goes on', {}, (s) => {
    s.transcriber('turn_started', 'bye', { at: 500, turn: 0 });
    s.transcriber('turn_eager_end', 'bye', { at: 1000, turn: 0 });
    s.model('Goodbye.', { tool: 'end_call', firstToken: 50 });
    s.transcriber('turn_resumed', 'bye', { at: 1500, turn: 0 });
    s.transcriber('turn_ended', 'bye the way how late is it', { at: 2500, turn: 0 });
    s.model('It is noon.');
    s.expect.callEnds();
    s.expect.never('tool.call');
    s.expect.lastLine('agent: It is noon.');
  });

  scenario('a draft whose model fails has failed only when the turn is confirmed', {}, (s) => {
    s.caller('book a table', { at: 500, for: 600, eagerAfter: 50, transcriptAfter: 1500 });
    s.model('', { fail: 'broken', firstToken: 50 });
    s.model('Certainly.');
    s.expect.that('not before', (harness) =>
      expect(harness.emitted.find((event) => event.type === 'error')!.atMs).toBeGreaterThanOrEqual(2600),
    );
    s.expect.lastLine('agent: Certainly.');
  });

  scenario('a caller who hangs up while a draft is made leaves only their words', {}, (s) => {
    s.caller('book a table', { at: 500, for: 600, eagerAfter: 50, transcriptAfter: 3000 });
    s.hangUp(2500);
    s.expect.transcript(['user: book a table']);
    s.expect.that('no audio', (harness) => expect(harness.sent).toEqual([]));
  });
});

describe('a transcriber without turn detection', () => {
  // Words that may go on are waited for 400 ms.
  const words = { transcriber: 'words', endpointing: 100, finalisation: 500 } as const;

  scenario('silence and the final words end the turn', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000, transcriptAfter: 450 });
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
    s.expect.that('asked for the final words once', (harness) => expect(harness.finalizes).toHaveLength(1));
    // 450 words, 250 token, 120 audio, and the rounding of VAD windows and ticks.
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

  scenario('a final before the end of speech waits for the silence', words, (s) => {
    s.caller('book a table', { at: 500, for: 1500, transcriptAfter: -200 });
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
    s.expect.that('after the patience', (harness) =>
      expect(harness.emitted[0]!.atMs).toBeGreaterThanOrEqual(2000 + 380),
    );
  });

  scenario('a final that comes after its turn was given up without words is answered at once', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000, noInterims: true, transcriptAfter: 2500 });
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
    s.expect.that('at once', (harness) => expect(harness.emitted[0]!.atMs).toBeLessThanOrEqual(4100));
  });

  scenario('a final after the reply makes no second reply', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000, transcriptAfter: 2500 });
    s.expect.requests(1);
    s.expect.count('user.turn', 1);
  });

  scenario('the same final twice is one turn', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000, ends: 2 });
    s.expect.requests(1);
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
  });

  scenario('two finals of one breath are one turn', { ...words, endpointing: 400 }, (s) => {
    s.noise({ at: 500, for: 2000 });
    s.transcriber('final', 'book a table', { at: 1600, turn: 0 });
    s.transcriber('final', 'for two people', { at: 2900, turn: 1 });
    s.expect.requests(1);
    s.expect.transcript(['user: book a table for two people', 'agent: Yes of course.']);
  });

  scenario(
    'a pause shorter than the endpointing delay does not split the sentence',
    { ...words, endpointing: 600 },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000, transcriptAfter: 300 });
      s.caller('for two people', { at: 2200, for: 1000, transcriptAfter: 300 });
      s.expect.requests(1);
      s.expect.transcript(['user: book a table for two people', 'agent: Yes of course.']);
    },
  );

  scenario('noise without words is no turn', words, (s) => {
    s.noise({ at: 500, for: 400 });
    s.expect.requests(0);
    s.expect.events([]);
  });

  scenario('noise after a turn triggers no empty reply', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.noise({ at: replyPlayed(1, 300), for: 700 });
    s.expect.requests(1);
    s.expect.count('user.turn', 1);
  });

  scenario('endless speech is answered at its first pause', words, (s) => {
    s.noise({ at: 300, for: 6000 });
    s.transcriber('final', 'book a table', { at: 1500, turn: 0 });
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
  });

  scenario('final words without detected speech are answered', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000, unvoiced: true });
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
  });

  scenario('interim words without detected speech are answered, even without a final', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000, unvoiced: true, noEnd: true });
    s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
  });

  scenario(
    'interim words without detected speech do not keep a dead line open',
    {
      ...words,
      call: { hangup_after_silence_seconds: 6 },
      lasts: 40_000,
    },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000, unvoiced: true, noEnd: true });
      s.expect.that('ends', (harness) => expect(harness.ends).toHaveLength(1));
    },
  );

  scenario('a final that comes before it is asked for ends the turn when the patience does', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000, transcriptAfter: 150 });
    // 400 patience, 250 token, 120 audio, and the rasters; today it waits for its deadline, 900.
    s.expect.firstAudioWithin(850);
  });

  scenario('a duplicate final within its turn counts once', { ...words, endpointing: 600 }, (s) => {
    s.caller('book a table', { at: 500, for: 1000, transcriptAfter: 300, ends: 2 });
    s.expect.history(['user: book a table']);
  });

  scenario('words before detected speech wait for its silence, too', words, (s) => {
    s.transcriber('partial', 'book', { at: 450, turn: 0 });
    s.caller('book a table for two', { at: 500, for: 1500 });
    s.expect.requests(1);
    s.expect.transcript(['user: book a table for two', 'agent: Yes of course.']);
  });
});

/** When the n-th turn was reported. */
const turnMs = (harness: Harness, nth = 1) =>
  harness.emitted.filter((event) => event.type === 'user.turn')[nth - 1]!.atMs;

describe('how long silence is waited for', () => {
  // Words that may go on are waited for 600 ms, a finished sentence 450.
  const words = { transcriber: 'words', endpointing: 300, finalisation: 400 } as const;
  const answered = { transcriptAfter: 300 };

  scenario('a sentence that plainly goes on is waited for longer', words, (s) => {
    s.caller('I would like a table and', { at: 500, for: 1500, ...answered });
    s.caller('a high chair', { at: 3100, for: 800, ...answered });
    s.expect.requests(1);
    s.expect.transcript(['user: I would like a table and a high chair', 'agent: Yes of course.']);
  });

  scenario('so is one that goes on in Hinglish', words, (s) => {
    s.caller('mujhe table chahiye lekin', { at: 500, for: 1500, ...answered });
    s.caller('kal shaam ko saat baje', { at: 3100, for: 1200, ...answered });
    s.expect.requests(1);
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario('and in Devanagari', words, (s) => {
    s.caller('मुझे टेबल चाहिए क्योंकि', { at: 500, for: 1500, ...answered });
    s.caller('घर पर मेहमान हैं', { at: 3100, for: 1200, ...answered });
    s.expect.requests(1);
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario('a sentence that never goes on is answered all the same, at its absolute deadline', words, (s) => {
    s.caller('I would like a table and', { at: 500, for: 1500, ...answered });
    s.expect.transcript(['user: I would like a table and', 'agent: Yes of course.']);
    // 300 and a second for the word.
    s.expect.that('then', (harness) => {
      expect(turnMs(harness)).toBeGreaterThanOrEqual(2000 + 1_250);
      expect(turnMs(harness)).toBeLessThanOrEqual(2000 + 1_400);
    });
  });

  scenario('a question is answered sooner', words, (s) => {
    s.caller('Do you have a table for two?', { at: 500, for: 1500, ...answered });
    s.expect.that('after 450 ms', (harness) => expect(turnMs(harness)).toBeLessThanOrEqual(2000 + 500));
  });

  for (const [turnDetection, waitMs] of [
    ['responsive', 380],
    ['balanced', 450],
    ['patient', 700],
  ] as const) {
    scenario(`${turnDetection} waits ${waitMs} ms after a question`, { ...words, turnDetection }, (s) => {
      s.caller('Do you have a table for two?', { at: 500, for: 1500, ...answered });
      s.expect.that('and no longer', (harness) => {
        expect(turnMs(harness) - 2000).toBeGreaterThanOrEqual(waitMs - 80);
        expect(turnMs(harness) - 2000).toBeLessThanOrEqual(waitMs + 50);
      });
    });
  }

  scenario('800 ms are longer than 500 after a question', { ...words, endpointing: 800 }, (s) => {
    s.caller('Do you have a table for two?', { at: 500, for: 1500, ...answered });
    s.expect.that('then', (harness) => expect(turnMs(harness) - 2000).toBeGreaterThanOrEqual(800));
  });

  scenario('a yes is answered sooner, in every language', words, (s) => {
    s.caller('yes please', { at: 500, for: 600, ...answered });
    s.caller('haan ji', { at: 5000, for: 600, ...answered });
    s.caller('ठीक है', { at: 9500, for: 600, ...answered });
    s.expect.requests(3);
    s.expect.that('after 450 ms', (harness) => {
      for (const [at, end] of [1100, 5600, 10_100].entries()) {
        expect(turnMs(harness, at + 1) - end).toBeLessThanOrEqual(500);
      }
    });
  });

  scenario('a dictated phone number is not split at its pauses', words, (s) => {
    s.caller('my number is nine eight seven', { at: 500, for: 1500, ...answered });
    s.caller('double six five', { at: 3700, for: 900, ...answered });
    s.caller('four three two one', { at: 6300, for: 900, ...answered });
    s.expect.requests(1);
    s.expect.transcript([
      'user: my number is nine eight seven double six five four three two one',
      'agent: Yes of course.',
    ]);
    // Ten digits are a whole number.
    s.expect.that('and then answered soon', (harness) => expect(turnMs(harness)).toBeLessThanOrEqual(7200 + 500));
  });

  scenario('nor is one in Hindi', words, (s) => {
    s.caller('mera number hai nau aath saat', { at: 500, for: 1500, ...answered });
    s.caller('chhe paanch chaar teen', { at: 3700, for: 900, ...answered });
    s.caller('do ek shunya', { at: 6300, for: 900, ...answered });
    s.expect.requests(1);
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario('a name that is spelled is not split at its pauses', words, (s) => {
    s.caller('my name is Arun a r', { at: 500, for: 1500, ...answered });
    s.caller('u n', { at: 3700, for: 600, ...answered });
    s.expect.requests(1);
    s.expect.transcript(['user: my name is Arun a r u n', 'agent: Yes of course.']);
  });

  scenario('a dictated number is not split by a transcriber with turn detection', {}, (s) => {
    s.caller('my number is nine eight seven', { at: 500, for: 1500 });
    s.caller('six five four three two one zero', { at: 2900, for: 1500 });
    s.expect.requests(1);
    s.expect.count('user.turn', 1);
    s.expect.transcript([
      'user: my number is nine eight seven six five four three two one zero',
      'agent: Yes of course.',
    ]);
  });

  scenario('a number that is never finished is answered a second later', {}, (s) => {
    s.caller('my number is nine eight seven', { at: 500, for: 1500, ends: 3 });
    s.noise({ at: 2600, for: 12_000 });
    s.expect.count('user.turn', 1);
    s.expect.that('bounded, whatever speech is detected', (harness) =>
      expect(turnMs(harness)).toBeLessThanOrEqual(2200 + 3_100),
    );
  });

  scenario('the patience adapts to the pauses of this caller', { ...words, lasts: 60_000 }, (s) => {
    // Pauses of 750 ms split the first turns; later ones are awaited.
    for (let round = 0; round < 6; round++) {
      const at = 500 + round * 8000;
      s.caller(`the red table number ${round}`, { at, for: 1000, ...answered });
      s.caller('by the old window', { at: at + 1750, for: 1000, ...answered });
    }
    s.expect.that('the first was cut, the last was not', (harness) => {
      const said = harness.emitted
        .filter((event) => event.type === 'user.turn')
        .map((event) => event.transcript![0]!.text);
      expect(said[0]).toBe('the red table number 0');
      expect(said.at(-1)).toBe('the red table number 5 by the old window');
    });
  });

  scenario('and back to those who never pause', { ...words, lasts: 120_000 }, (s) => {
    for (let round = 0; round < 12; round++) {
      s.caller(`the red table number ${round}`, { at: 500 + round * 8000, for: 1000, ...answered });
    }
    s.expect.that('a little sooner each time, within bounds', (harness) => {
      const waited = Array.from({ length: 12 }, (_, round) => turnMs(harness, round + 1) - (1500 + round * 8000));
      expect(waited.at(-1)).toBeLessThan(waited[0]! - 20);
      expect(waited.at(-1)).toBeGreaterThanOrEqual(300 * 0.85 + 300 - 40);
    });
  });

  scenario(
    'an audio model of the end of turn that is sure shortens the wait',
    { ...words, turnModel: { afterMs: 60, probability: 0.95 } },
    (s) => {
      s.caller('the one by the window', { at: 500, for: 1500, transcriptAfter: 100 });
      s.expect.that('after 450 ms', (harness) => expect(turnMs(harness)).toBeLessThanOrEqual(2000 + 500));
    },
  );

  scenario(
    'one that hears that more will come lengthens it',
    { ...words, turnModel: { afterMs: 60, probability: 0.05 } },
    (s) => {
      s.caller('the one by the window', { at: 500, for: 1500, transcriptAfter: 100 });
      s.caller('on the left', { at: 2900, for: 800, transcriptAfter: 100 });
      s.expect.transcript(['user: the one by the window on the left', 'agent: Yes of course.']);
    },
  );

  scenario(
    'a late turn detection model does not delay the absolute deadline',
    { ...words, turnModel: { afterMs: 5_000, probability: 0.05 } },
    (s) => {
      s.caller('the one by the window', { at: 500, for: 1500, transcriptAfter: 100 });
      s.caller('the other one', { at: 6500, for: 1000, transcriptAfter: 100 });
      s.expect.that('as if it were not there, and what it said of one pause is not taken for another', (harness) => {
        expect(turnMs(harness)).toBeLessThanOrEqual(2000 + 680);
        expect(turnMs(harness, 2)).toBeLessThanOrEqual(7500 + 680);
      });
    },
  );
});

describe('words that come late, and rooms that are never quiet', () => {
  // Words that may go on are waited for 400 ms.
  const words = { transcriber: 'words', endpointing: 100, finalisation: 500 } as const;

  scenario('a final that adds to a turn that is being thought about joins it, and one reply is made', words, (s) => {
    s.transcriber('partial', 'book a table', { at: 900, turn: 0 });
    s.noise({ at: 500, for: 1000 });
    s.model('An answer nobody hears.', { firstToken: 2000 });
    s.transcriber('final', 'book a table for two', { at: 3000, turn: 0 });
    s.model('For two, certainly.');
    s.expect.history(['user: book a table for two']);
    s.expect.count('agent.reply', 1);
    s.expect.lastLine('agent: For two, certainly.');
  });

  scenario('a final that extends an answered turn is kept, without a second reply', words, (s) => {
    s.transcriber('partial', 'book a table', { at: 900, turn: 0 });
    s.noise({ at: 500, for: 1000 });
    s.model('Certainly, at what time shall it be?');
    s.transcriber('final', 'book a table for two', { at: agentSpeaking(1, 300), turn: 0 });
    s.caller('at seven', { at: replyPlayed(1, 800), for: 600, turn: 1 });
    s.expect.neverCleared();
    s.expect.playedOnce(1);
    s.expect.requests(2);
    s.expect.that('known to the next answer', (harness) =>
      expect(JSON.stringify(harness.requests[1]!.messages)).toContain('for two'),
    );
  });

  scenario('late duplicate finals of answered words add nothing', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000, noEnd: true });
    for (const at of [2900, 3000, 4500]) s.transcriber('final', 'Book a table.', { at, turn: 0 });
    s.expect.requests(1);
    s.expect.count('user.turn', 1);
  });

  scenario('words are answered though the room around the caller never falls silent', words, (s) => {
    s.noise({ at: 300, for: 19_000 });
    s.transcriber('final', 'book a table', { at: 1500, turn: 0 });
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario(
    'so are those that follow, and the agent can be interrupted in such a room',
    { ...words, lasts: 30_000 },
    (s) => {
      s.noise({ at: 300, for: 29_000 });
      s.caller('book a table', { at: 1000, for: 1000, unvoiced: true });
      s.model(LONG);
      const stop = s.caller('stop it is for four', { at: agentSpeaking(1, 2000), for: 1200, unvoiced: true });
      s.expect.requests(2);
      s.expect.silentBy(stop, 400);
      s.expect.lastLine('agent: Yes of course.');
    },
  );

  scenario('a noise that never ends does not silence the agent for ever where words are only written', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.noise({ at: agentSpeaking(1, 1500), for: 16_000 });
    s.expect.that('it went on', (harness) => expect(harness.played.at(-1)!.toMs).toBeGreaterThan(2500));
    s.expect.playedOnce(1);
  });

  scenario('nor where they are written only when asked for', { ...words, lasts: 30_000 }, (s) => {
    s.caller('book a table', { at: 500, for: 1000, noInterims: true });
    s.model(LONG);
    s.noise({ at: agentSpeaking(1, 1500), for: 26_000 });
    s.expect.playedOnce(1);
    s.expect.never('interrupted');
  });

  scenario('a caller who speaks long without a pause is not cut off', { ...words, lasts: 30_000 }, (s) => {
    const long = Array.from({ length: 40 }, (_, at) => `word${at}`).join(' ');
    s.caller(long, { at: 500, for: 16_000 });
    s.expect.requests(1);
    s.expect.transcript([`user: ${long}`, 'agent: Yes of course.']);
  });

  scenario(
    'an endless noise does not keep a dead line open',
    { ...words, call: { hangup_after_silence_seconds: 6 }, lasts: 40_000 },
    (s) => {
      s.noise({ at: 300, for: 39_000 });
      s.transcriber('final', 'book a table', { at: 1500, turn: 0 });
      s.expect.that('ends', (harness) => expect(harness.ends).toHaveLength(1));
    },
  );
});

describe('drafts', () => {
  scenario("digits during preemptive generation are in the reply's request", {}, (s) => {
    s.caller('my number is', { at: 500, for: 800, eagerAfter: 50, transcriptAfter: 1200 });
    s.keys('42', 1700);
    s.expect.that("added to the model's request", (harness) =>
      expect(harness.requests.at(-1)!.messages.at(-1)!.content).toBe('[pressed 42] my number is'),
    );
  });
});
