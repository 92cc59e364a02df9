import { describe, expect } from 'vitest';
import { agentSpeaking, modelAsked, replyPlayed, scenario } from '../support/scenario.ts';

/** Words that come long after the speech, or never. */

const words = { transcriber: 'words', endpointing: 300, finalisation: 500, lasts: 40_000 } as const;

describe('words that come long after the speech', () => {
  for (const lateMs of [1000, 4000, 6000, 12_000]) {
    scenario(`are answered ${lateMs} ms late`, words, (s) => {
      s.caller('book a table for two', { at: 500, for: 1200, noInterims: true, transcriptAfter: lateMs });
      s.expect.requests(1);
      s.expect.count('user.turn', 1);
      s.expect.lastLine('agent: Yes of course.');
    });
  }

  scenario('add to an answer that was given without them, after any while', words, (s) => {
    s.noise({ at: 500, for: 1000 });
    s.transcriber('partial', 'book a table', { at: 900, turn: 0 });
    s.transcriber('final', 'book a table for two', { at: 9500, turn: 0 });
    s.expect.transcript(['user: book a table', 'agent: Yes of course.', 'user: for two', 'agent: Yes of course.']);
  });

  scenario('are not answered twice', words, (s) => {
    s.noise({ at: 500, for: 1000 });
    s.transcriber('partial', 'book a table', { at: 900, turn: 0 });
    s.transcriber('final', 'Book a table.', { at: 9500, turn: 0 });
    s.expect.requests(1);
  });

  scenario('are answered when a short turn before them was', words, (s) => {
    s.caller('hello', { at: 500, for: 400, noInterims: true });
    s.caller('book a table', { at: replyPlayed(1, 600), for: 1000, noInterims: true, transcriptAfter: 8000 });
    s.expect.requests(2);
    s.expect.lastLine('agent: Yes of course.');
  });
});

const SORRY = 'Sorry, I did not catch that. Could you say it again?';

describe('speech whose words never come', () => {
  scenario('is asked for again, with a warning on the timeline', words, (s) => {
    s.noise({ at: 500, for: 1400 });
    s.expect.events(['error', 'tts.first_audio', 'agent.reply']);
    s.expect.that('says what is missing', (harness) =>
      expect(harness.emitted[0]).toMatchObject({
        message: 'no words for 1.4 s of speech',
        level: 'warning',
        data: { component: 'transcriber' },
      }),
    );
    s.expect.transcript([`agent: ${SORRY}`]);
  });

  scenario('is asked for where the transcriber detects turns', { lasts: 20_000 }, (s) => {
    s.noise({ at: 500, for: 1400 });
    s.expect.transcript([`agent: ${SORRY}`]);
  });

  scenario('is asked for four seconds after it ended', words, (s) => {
    s.noise({ at: 500, for: 1400 });
    s.expect.that('not before', (harness) => {
      const { atMs } = harness.emitted[0]!;
      expect(atMs).toBeGreaterThanOrEqual(500 + 1400 + 4000 - 40);
      expect(atMs).toBeLessThan(500 + 1400 + 4000 + 60);
    });
  });

  scenario('is asked for twice, and then no more', { ...words, lasts: 90_000 }, (s) => {
    for (const at of [500, 12_000, 24_000, 36_000, 48_000]) s.noise({ at, for: 1400 });
    s.expect.transcript([`agent: ${SORRY}`, `agent: ${SORRY}`]);
  });

  scenario('is asked for again after the caller was understood', { ...words, lasts: 90_000 }, (s) => {
    for (const at of [500, 12_000]) s.noise({ at, for: 1400 });
    s.caller('a table', { at: 24_000, for: 800 });
    s.noise({ at: 36_000, for: 1400 });
    s.expect.lastLine(`agent: ${SORRY}`);
    s.expect.count('error', 3);
  });

  scenario('that are no sentence are not asked for', words, (s) => {
    for (const at of [500, 3000, 5500]) s.noise({ at, for: 400 });
    s.expect.events([]);
  });

  scenario('is not asked for when it was a television', { ...words, lasts: 60_000 }, (s) => {
    s.noise({ at: 500, for: 25_000 });
    s.expect.events([]);
  });

  scenario('is not asked for when it was said over the agent, who goes on', words, (s) => {
    s.caller('hello', { at: 500, for: 500 });
    s.model('Welcome to the restaurant, shall I read the whole menu of today to you or only a part of it?');
    s.noise({ at: agentSpeaking(1, 1000), for: 1200 });
    s.expect.playedOnce(1);
    s.expect.never('error');
  });

  scenario('is not asked for while keys are pressed or once they are answered', words, (s) => {
    s.noise({ at: 500, for: 1400 });
    s.keys('1', 3000);
    s.expect.never('error');
    s.expect.count('agent.reply', 1);
  });

  const hindi = { ...words, language: 'hi' } as const;

  scenario('is asked for in the language of the voice', { ...hindi, welcome: 'नमस्ते, मैं आपकी क्या मदद करूँ?' }, (s) => {
    s.noise({ at: agentSpeaking(1, 5000), for: 1400 });
    s.expect.lastLine('agent: माफ़ कीजिए, मुझे समझ नहीं आया। क्या आप फिर से कह सकते हैं?');
  });

  scenario(
    'is asked for in English by an agent that speaks it',
    { ...hindi, welcome: 'Hello, how may I help?' },
    (s) => {
      s.noise({ at: agentSpeaking(1, 3000), for: 1400 });
      s.expect.lastLine(`agent: ${SORRY}`);
    },
  );
});

describe('words that come after the agent has asked for them', () => {
  scenario('stop the question and are answered', words, (s) => {
    s.caller('book a table for two', { at: 500, for: 1200, noInterims: true, transcriptAfter: 5500 });
    s.expect.transcript([/^agent: Sorry.* —$/, 'user: book a table for two', 'agent: Yes of course.']);
  });

  scenario('stop the question also when they are one word', words, (s) => {
    s.caller('yes', { at: 500, for: 700, noInterims: true, transcriptAfter: 5500 });
    s.expect.transcript([/^agent: Sorry.* —$/, 'user: yes', 'agent: Yes of course.']);
  });

  scenario('are answered after the question', words, (s) => {
    s.caller('book a table for two', { at: 500, for: 1200, noInterims: true, transcriptAfter: 12_000 });
    s.expect.transcript([`agent: ${SORRY}`, 'user: book a table for two', 'agent: Yes of course.']);
  });

  scenario('are one turn with what the caller says again', words, (s) => {
    s.caller('book a table for two', { at: 500, for: 1200, noInterims: true, transcriptAfter: 9_000 });
    s.caller('book a table', { at: 10_000, for: 1200, noInterims: true });
    s.expect.requests(1);
    s.expect.count('user.turn', 1);
  });
});

describe('a caller whose words are awaited', () => {
  const impatient = {
    ...words,
    call: { check_user_online: true, user_online_after_seconds: 3, hangup_after_silence_seconds: 5 },
  };

  scenario('is not asked whether they are there, nor hung up on', impatient, (s) => {
    s.caller('hello', { at: 500, for: 400 });
    s.caller('book a table', { at: replyPlayed(1, 2500), for: 1000, noInterims: true, transcriptAfter: 3800 });
    s.expect.requests(2);
    s.expect.that('not before they came', ({ types }) =>
      expect(types().slice(0, types().lastIndexOf('user.turn'))).not.toContain('user.online_check'),
    );
  });
});

describe('words that are taken back', () => {
  const takenBack = { for: 700, finally: '' };

  scenario('are asked for again', words, (s) => {
    s.caller('the', { at: 500, ...takenBack });
    s.expect.transcript([`agent: ${SORRY}`]);
  });

  for (const transcriber of ['words', 'turns'] as const) {
    scenario(`before an answer is spoken do not cost it (${transcriber})`, { ...words, transcriber }, (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model('An answer nobody hears.', { firstToken: 1500 });
      s.caller('the', { at: modelAsked(1, 200), ...takenBack, unvoiced: true });
      s.expect.history(['user: book a table']);
      s.expect.transcript(['user: book a table', 'agent: Yes of course.']);
    });

    scenario(`while the agent speaks leave no silence (${transcriber})`, { ...words, transcriber }, (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model('Certainly, for how many people shall I write it down, and at what time?');
      s.caller('wait the table', { at: agentSpeaking(1, 800), ...takenBack });
      s.expect.transcript(['user: book a table', /^agent: Certainly.* —$/, `agent: ${SORRY}`]);
    });
  }
});
