import { describe, expect, test } from 'vitest';
import { MULAW_8K } from '../../media/audio/format.ts';
import { createRecordingMixer } from '../../media/call/recording-mixer.ts';
import { createChunkWriter } from '../../media/report/recording-chunk-writer.ts';
import { newId } from '../../shared/ids.ts';
import { createLogger } from '../../shared/log.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import {
  agentSpeaking,
  cleared,
  emitted,
  modelAsked,
  play,
  replyPlayed,
  type Script,
  scenario,
} from '../support/scenario.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

/** 6.6 seconds of speech. */
const LONG =
  'Let me read that back to you, a table for two people tomorrow evening at seven under your name, by the window.';
const CUT = /^agent: Let me .+ —$/;

describe('stopping playback', () => {
  scenario('the first meaningful word pauses playout and clears the carrier', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    const but = s.caller('but make it eight', { at: agentSpeaking(1, 1500), for: 1000 });
    s.expect.silentBy(but, 140, 1200);
    s.expect.clears(1);
  });

  scenario('250 ms of continuous speech pauses the agent when words are slow', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    const but = s.caller('but make it eight', { at: agentSpeaking(1, 1500), for: 1200, firstWordAfter: 900 });
    s.expect.silentBy(but, 320, 1200);
    s.expect.count('interrupted', 1);
  });

  scenario(
    'a command is heeded with its first word, however many are asked for',
    {
      call: { interruption_min_words: 5 },
    },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      const stop = s.caller('stop', { at: agentSpeaking(1, 1500), for: 300 });
      s.expect.silentBy(stop, 140);
      s.expect.count('interrupted', 1);
    },
  );

  scenario('a Hindi command interrupts as well', { call: { interruption_min_words: 5 } }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    const stop = s.caller('ek minute', { at: agentSpeaking(1, 1500), for: 500 });
    s.expect.silentBy(stop, 420);
    s.expect.count('interrupted', 1);
  });

  scenario('a cough does not pause the agent', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.noise({ at: agentSpeaking(1, 1500), for: 180 });
    s.expect.neverCleared();
    s.expect.playedOnce(1);
  });

  scenario('repeated coughs do not pause the agent', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    for (let time = 0; time < 6; time++) s.noise({ at: agentSpeaking(1, 800 + time * 500), for: 160 });
    s.expect.neverCleared();
    s.expect.playedOnce(1);
  });

  scenario('the text of an interrupted reply ends at a whole word that was played out', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('but make it eight', { at: agentSpeaking(1, 1800), for: 1000 });
    s.expect.that('about as many words as were played out', (harness) => {
      const line = harness
        .transcript()
        .find((text) => text.endsWith('—'))!
        .slice(7, -2);
      const playedOutMs = harness.played
        .filter(({ context }) => context === 1)
        .reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
      expect(LONG.startsWith(`${line} `)).toBe(true);
      expect(line.length * 60).toBeLessThanOrEqual(playedOutMs + 60);
      expect(line.length * 60).toBeGreaterThanOrEqual(playedOutMs - 900);
    });
  });

  scenario("the model's history has the played-out part of an interrupted reply", {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('but make it eight', { at: agentSpeaking(1, 1800), for: 1000 });
    s.expect.history(['user: book a table', /^assistant: Let me read that back.* —$/, 'user: but make it eight']);
  });

  scenario('one utterance interrupts once', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('but make it eight and not seven please if you can', { at: agentSpeaking(1, 1500), for: 3000 });
    s.expect.count('interrupted', 1);
    s.expect.clears(1);
    s.expect.requests(2);
  });

  scenario('an interruption stops the model and the synthesizer', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG, { every: 400 });
    s.caller('but make it eight', { at: agentSpeaking(1, 1000), for: 1000 });
    s.expect.that('both stopped', (harness) => {
      expect(harness.running.count).toBe(0);
      expect([...harness.contexts.values()][0]!.cancelledMs).not.toBeNull();
      expect(harness.generated[0]!.length).toBeLessThan(LONG.length);
    });
  });

  scenario('the welcome can be interrupted like any reply', { welcome: LONG }, (s) => {
    s.caller('book a table please', { at: agentSpeaking(1, 1500), for: 1200 });
    s.expect.transcript([CUT, 'user: book a table please', 'agent: Yes of course.']);
    s.expect.count('interrupted', 1);
  });

  scenario("a caller who speaks before the welcome's first audio goes first", { welcome: 'Welcome to us.' }, (s) => {
    const hello = s.caller('hello is anybody there', { at: 20, for: 1500 });
    s.expect.silentBy(hello, 160, 1300);
    s.expect.lastLine('agent: Yes of course.');
    s.expect.requests(1);
  });
});

describe('ducking', () => {
  scenario("the agent is ducked at the caller's speech before it is paused", {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    const but = s.caller('but make it eight', { at: agentSpeaking(1, 1500), for: 1000, firstWordAfter: 900 });
    s.expect.duckedBy(but, 100);
    s.expect.silentBy(but, 320);
  });

  scenario('a cough ducks the agent for a moment', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    const cough = s.noise({ at: agentSpeaking(1, 1500), for: 180 });
    s.expect.duckedBy(cough, 100);
    s.expect.neverCleared();
    s.expect.fullVolumeAtEnd();
  });

  scenario('where frames wait here, a cough ducks what is played next', { carrier: { takesBack: true } }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    const cough = s.noise({ at: agentSpeaking(1, 1500), for: 180 });
    s.expect.duckedPlayedBy(cough, 80);
    s.expect.neverCleared();
    s.expect.playedOnce(1);
    s.expect.fullVolumeAtEnd();
  });

  scenario('after noise the agent resumes at full volume', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.noise({ at: agentSpeaking(1, 1500), for: 700 });
    s.expect.playedOnce(1);
    s.expect.fullVolumeAtEnd();
  });

  scenario('the reply after an interruption is not ducked', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('but make it eight', { at: agentSpeaking(1, 1500), for: 1000 });
    s.expect.fullVolumeAtEnd();
  });

  scenario('an agent without interruptions is not ducked', { call: { allow_interruptions: false } }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('but make it eight', { at: agentSpeaking(1, 1500), for: 1000 });
    s.expect.neverDucked();
  });
});

describe('classification', () => {
  scenario('noise: the agent resumes from the last millisecond played out', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    const noise = s.noise({ at: agentSpeaking(1, 1500), for: 700 });
    s.expect.silentBy(noise, 320, 800);
    s.expect.playedOnce(1);
    s.expect.never('interrupted');
    s.expect.transcript(['user: book a table', `agent: ${LONG}`]);
  });

  scenario('noise three times: nothing is skipped and nothing is played twice', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.noise({ at: agentSpeaking(1, 1000), for: 500 });
    s.noise({ at: agentSpeaking(1, 3200), for: 500 });
    s.noise({ at: agentSpeaking(1, 7400), for: 500 });
    s.expect.clears(3);
    s.expect.playedOnce(1);
    s.expect.count('agent.reply', 1);
  });

  scenario('noise again while the agent is paused by the first noise', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.noise({ at: agentSpeaking(1, 1000), for: 500 });
    s.noise({ at: cleared(1, 900), for: 500 });
    s.expect.clears(1);
    s.expect.playedOnce(1);
  });

  scenario('noise at the end of a reply does not play its end twice', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Yes, we have a table for you.');
    s.noise({ at: agentSpeaking(1, 1450), for: 600 });
    s.expect.playedOnce(1);
    s.expect.lastLine('agent: Yes, we have a table for you.');
    s.expect.count('agent.reply', 1);
  });

  for (const word of ['okay', 'mm-hm', 'haan', 'achha', 'right']) {
    scenario(`"${word}" is a backchannel: it neither pauses the agent nor ends its reply`, {}, (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.caller(word, { at: agentSpeaking(1, 1500), for: 240 });
      s.expect.never('interrupted');
      s.expect.requests(1);
      s.expect.neverCleared();
      s.expect.playedOnce(1);
    });
  }

  scenario('a long "hmmm" may pause the agent, which then resumes', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('hmm', { at: agentSpeaking(1, 1500), for: 900, firstWordAfter: 700 });
    s.expect.never('interrupted');
    s.expect.playedOnce(1);
    s.expect.lastLine(`agent: ${LONG}`);
  });

  scenario('a "stop" right after a backchannel interrupts', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('okay', { at: agentSpeaking(1, 1000), for: 240 });
    const stop = s.caller('stop please', { at: agentSpeaking(1, 1600), for: 500 });
    s.expect.silentBy(stop, 140, 900);
    s.expect.count('interrupted', 1);
  });

  scenario('a "stop" right after noise interrupts while the agent is still paused', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.noise({ at: agentSpeaking(1, 1000), for: 500 });
    s.caller('stop please', { at: cleared(1, 700), for: 500 });
    s.expect.count('interrupted', 1);
    s.expect.clears(1);
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario('a backchannel that becomes a sentence interrupts', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('okay but make it eight', { at: agentSpeaking(1, 1500), for: 1500 });
    s.expect.count('interrupted', 1);
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario('too few words: the agent resumes where it paused', { call: { interruption_min_words: 4 } }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('maybe tomorrow', { at: agentSpeaking(1, 1500), for: 700 });
    s.expect.never('interrupted');
    s.expect.requests(1);
    s.expect.playedOnce(1);
  });

  scenario(
    'enough words interrupt, at the word that reaches the minimum',
    { call: { interruption_min_words: 4 } },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.caller('maybe tomorrow evening at nine', { at: agentSpeaking(1, 1500), for: 1500 });
      s.expect.count('interrupted', 1);
      s.expect.requests(2);
    },
  );

  scenario('words that the final transcript drops: the agent resumes', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('the', { at: agentSpeaking(1, 1500), for: 500, finally: '' });
    s.expect.never('interrupted');
    s.expect.playedOnce(1);
  });

  scenario('the agent does not resume while speech may still bring words', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    const long = s.noise({ at: agentSpeaking(1, 1500), for: 2600 });
    s.expect.silentBy(long, 320, 2500);
    s.expect.playedOnce(1);
  });

  scenario('late words still interrupt a paused reply', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    const late = s.caller('but make it eight', {
      at: agentSpeaking(1, 1500),
      for: 1000,
      firstWordAfter: 1200,
      transcriptAfter: 1300,
    });
    s.expect.silentBy(late, 320, 1900);
    s.expect.count('interrupted', 1);
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario('words that come after the agent resumed interrupt it then', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('but make it eight', {
      at: agentSpeaking(1, 1500),
      for: 600,
      firstWordAfter: 3000,
      transcriptAfter: 2600,
    });
    s.expect.count('interrupted', 1);
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario('a one-word answer over the last syllable of a question is answered', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Shall I book it for seven?');
    s.caller('yes', { at: agentSpeaking(1, 1300), for: 350 });
    s.expect.history(['user: book a table', /^assistant: Shall I book it/, 'user: yes']);
    s.expect.requests(2);
  });

  scenario('one word more while the agent thinks is part of what is answered', {}, (s) => {
    s.caller('do you have a table', { at: 500, for: 1000 });
    s.model('For when?', { firstToken: 2000 });
    s.caller('tomorrow', { at: modelAsked(1, 300), for: 500 });
    s.expect.that('kept', (harness) => expect(harness.transcript().join(' ')).toContain('tomorrow'));
  });

  scenario(
    'words too few to interrupt are in the transcript all the same',
    { call: { interruption_min_words: 4 } },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.caller('maybe tomorrow', { at: agentSpeaking(1, 1500), for: 700 });
      s.expect.that('kept', (harness) => expect(harness.transcript().join(' ')).toContain('maybe tomorrow'));
    },
  );

  scenario('endless noise does not pause the agent forever', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.noise({ at: agentSpeaking(1, 1500), for: 17_000 });
    s.expect.that('it went on', (harness) => {
      const last = harness.played.at(-1)!;
      expect(last.atMs + last.toMs - last.fromMs).toBeGreaterThan(harness.carrier.clears[0]! + 1000);
    });
  });

  scenario(
    'what was said over a reply that came to nothing is answered',
    { call: { allow_interruptions: false } },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model('', { firstToken: 2500 });
      s.caller('for tomorrow please', { at: modelAsked(1, 300), for: 900 });
      s.expect.lastLine('agent: Yes of course.');
    },
  );

  scenario('the agent does not resume after the caller hung up', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.noise({ at: agentSpeaking(1, 1500), for: 600 });
    const gone = s.hangUp(cleared(1, 500));
    s.expect.silentBy(gone, 0, 5000);
    s.expect.transcript(['user: book a table', CUT]);
  });
});

describe('before the first audio', () => {
  scenario('a reply interrupted before its first audio leaves no trace, and the next one is played', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Words that nobody hears.');
    s.synthesizer({ firstAudioMs: 2500 });
    s.caller('no a chair please', { at: modelAsked(1, 800), for: 1000 });
    s.model('A chair, certainly.');
    s.expect.history(['user: book a table no a chair please']);
    s.expect.neverSent(1);
    s.expect.transcript(['user: book a table', 'user: no a chair please', 'agent: A chair, certainly.']);
    s.expect.never('interrupted');
  });

  scenario('a reply interrupted before its first audio is not counted as spoken', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Words that nobody hears.');
    s.synthesizer({ firstAudioMs: 2500 });
    s.caller('no a chair please', { at: modelAsked(1, 800), for: 1000 });
    s.model('A chair.');
    s.expect.that('usage', (harness) => expect(harness.usage.tts_characters).toBe('A chair.'.length));
  });

  scenario('interrupted four times before its first audio, the agent still answers', {}, (s) => {
    s.caller('one more thing', { at: 500, for: 600 });
    for (let time = 1; time <= 4; time++) {
      s.synthesizer({ firstAudioMs: 2000 });
      s.caller('and another thing', { at: modelAsked(time, 900), for: 600 });
    }
    s.expect.count('agent.reply', 1);
    s.expect.lastLine('agent: Yes of course.');
    s.expect.requests(5);
  });

  scenario('interrupted twice during playback, the agent still answers the third time', {}, (s) => {
    s.caller('one more thing', { at: 500, for: 600 });
    s.model(LONG);
    s.caller('and another thing', { at: agentSpeaking(1, 1500), for: 600 });
    s.model(LONG);
    s.caller('and a third thing', { at: agentSpeaking(2, 1500), for: 600 });
    s.expect.count('interrupted', 2);
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario('an interruption in the first 40 ms of audio leaves no words in the transcript', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG, { firstToken: 600 });
    s.caller('no a chair please', { at: modelAsked(1, 600), for: 1000 });
    s.expect.requests(2);
    s.expect.lastLine('agent: Yes of course.');
    s.expect.that('no half word', (harness) =>
      expect(harness.transcript().filter((line) => line.startsWith('agent'))).toHaveLength(1),
    );
  });
});

describe('replies that may not be interrupted', () => {
  const uninterruptible = { call: { allow_interruptions: false } };

  scenario('the agent continues, and answers afterwards', uninterruptible, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('but make it eight', { at: agentSpeaking(1, 1500), for: 1000 });
    s.expect.neverCleared();
    s.expect.playedOnce(1);
    s.expect.history(['user: book a table', `assistant: ${LONG}`, 'user: but make it eight']);
    s.expect.transcript(['user: book a table', `agent: ${LONG}`, 'user: but make it eight', 'agent: Yes of course.']);
  });

  scenario('two utterances during the reply are answered together, once', uninterruptible, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('but make it eight', { at: agentSpeaking(1, 800), for: 1000 });
    s.caller('and by the door', { at: agentSpeaking(1, 3500), for: 1000 });
    s.expect.requests(2);
    s.expect.history(['user: book a table', `assistant: ${LONG}`, 'user: but make it eight and by the door']);
  });

  scenario('not even a command stops it', uninterruptible, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('stop', { at: agentSpeaking(1, 1500), for: 400 });
    s.expect.neverCleared();
    s.expect.playedOnce(1);
  });

  scenario('noise does not stop it', uninterruptible, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.noise({ at: agentSpeaking(1, 1500), for: 3000 });
    s.expect.neverCleared();
    s.expect.playedOnce(1);
  });

  scenario(
    'words said over a welcome that may not be interrupted are answered after it',
    {
      ...uninterruptible,
      welcome: LONG,
    },
    (s) => {
      s.caller('book a table please', { at: agentSpeaking(1, 1500), for: 1200 });
      s.expect.neverCleared();
      s.expect.transcript([`agent: ${LONG}`, 'user: book a table please', 'agent: Yes of course.']);
    },
  );

  scenario(
    'what was said over it is in the transcript though the caller hangs up before the answer',
    {
      ...uninterruptible,
    },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.caller('but make it eight', { at: agentSpeaking(1, 1000), for: 1000 });
      s.hangUp(agentSpeaking(1, 4000));
      s.expect.transcript(['user: book a table', CUT, 'user: but make it eight']);
    },
  );

  scenario('words during generation are answered after the reply', uninterruptible, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('For when?', { firstToken: 2000 });
    s.caller('for tomorrow please', { at: modelAsked(1, 300), for: 900 });
    s.expect.requests(2);
    s.expect.transcript([
      'user: book a table',
      'agent: For when?',
      'user: for tomorrow please',
      'agent: Yes of course.',
    ]);
  });
});

describe('a transcriber without turn detection', () => {
  const words = { transcriber: 'words' } as const;

  scenario('speech pauses the agent, words interrupt it, the end of turn is answered', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    const but = s.caller('but make it eight', { at: agentSpeaking(1, 1500), for: 1000, firstWordAfter: 600 });
    s.expect.silentBy(but, 320, 1000);
    s.expect.count('interrupted', 1);
    s.expect.transcript(['user: book a table', CUT, 'user: but make it eight', 'agent: Yes of course.']);
  });

  scenario('noise: the agent resumes when the turn ends without words', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.noise({ at: agentSpeaking(1, 1500), for: 600 });
    s.expect.never('interrupted');
    s.expect.playedOnce(1);
  });

  scenario('a final in two parts is one interruption', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000, turn: 0 });
    s.model(LONG);
    s.noise({ at: agentSpeaking(1, 1500), for: 2000 });
    s.transcriber('final', 'but make it eight', { at: agentSpeaking(1, 2700), turn: 1 });
    s.transcriber('final', 'by the door', { at: agentSpeaking(1, 3800), turn: 2 });
    s.expect.count('interrupted', 1);
    s.expect.history(['user: book a table', /^assistant: .* —$/, 'user: but make it eight by the door']);
    s.expect.requests(2);
  });

  scenario(
    'a sentence in fragments, each too short to interrupt, is one interruption and one turn',
    {
      ...words,
      call: { interruption_min_words: 4 },
      endpointing: 800,
    },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000, turn: 0 });
      s.model(LONG);
      s.noise({ at: agentSpeaking(1, 1000), for: 900 });
      s.transcriber('final', 'maybe tomorrow', { at: agentSpeaking(1, 2100), turn: 1 });
      s.noise({ at: agentSpeaking(1, 2400), for: 900 });
      s.transcriber('final', 'at half past nine', { at: agentSpeaking(1, 3600), turn: 2 });
      s.expect.count('interrupted', 1);
      s.expect.requests(2);
      s.expect.history([/^user/, /^assistant: .* —$/, 'user: maybe tomorrow at half past nine']);
    },
  );

  scenario('a late transcript of a backchannel does not end the reply', words, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('okay', { at: agentSpeaking(1, 1500), for: 400, noInterims: true, transcriptAfter: 700 });
    s.expect.never('interrupted');
    s.expect.requests(1);
    s.expect.playedOnce(1);
  });
});

describe('identity', () => {
  scenario('late audio of an interrupted reply is not played into the next one', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.synthesizer({ lateAfterCancelMs: 2000 });
    s.caller('but make it eight', { at: agentSpeaking(1, 1500), for: 1000 });
    s.model(LONG);
    s.synthesizer({ chunkMs: 100, speed: 1 });
    s.expect.that('each context in its time', (harness) => {
      const order = harness.sent
        .map((frame) => frame.context)
        .filter((context, index, all) => context !== all[index - 1]);
      expect(order).toEqual([1, 2]);
    });
    s.expect.playedOnce(2);
  });

  scenario('late audio between two replies is dropped', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.synthesizer({ lateAfterCancelMs: 100 });
    const but = s.caller('but make it eight', { at: agentSpeaking(1, 1500), for: 2000 });
    s.expect.silentBy(but, 140, 2200);
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario('late audio after the hang-up is dropped', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.synthesizer({ lateAfterCancelMs: 300 });
    const gone = s.hangUp(agentSpeaking(1, 1500));
    s.expect.silentBy(gone, 0, 3000);
    s.expect.that('nothing is reported', (harness) => expect(harness.emitted.at(-1)!.type).toBe('tts.first_audio'));
  });

  scenario(
    'late timings of an interrupted reply add no words to its transcript',
    { synthesizer: { timings: true } },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.synthesizer({ timings: true, lateAfterCancelMs: 200 });
      s.caller('but make it eight', { at: agentSpeaking(1, 1500), for: 1000 });
      s.expect.transcript(['user: book a table', CUT, 'user: but make it eight', 'agent: Yes of course.']);
      s.expect.that('no late word', (harness) => expect(JSON.stringify(harness.requests)).not.toContain('late words'));
    },
  );

  scenario('a context that says "done" twice ends once', { synthesizer: { doneTwice: true } }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.caller('for two', { at: replyPlayed(1, 500), for: 800 });
    s.expect.count('agent.reply', 2);
    s.expect.playedOnce(1);
    s.expect.playedOnce(2);
  });

  scenario("the interruption's transcript precedes the reply to it", {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('but make it eight', { at: agentSpeaking(1, 1500), for: 1000 });
    s.caller('thanks a lot', { at: emitted('agent.reply', 1, 500), for: 800 });
    s.expect.events([
      'user.turn',
      'llm.first_token',
      'tts.first_audio',
      'interrupted',
      'user.turn',
      'llm.first_token',
      'tts.first_audio',
      'agent.reply',
      'user.turn',
      'llm.first_token',
      'tts.first_audio',
      'agent.reply',
    ]);
  });
});

describe('the echo of the agent', () => {
  scenario("an echo of the agent's words does not interrupt", {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('let me read that back to you', { at: agentSpeaking(1, 300), for: 1700, firstWordAfter: 250 });
    s.expect.never('interrupted');
    s.expect.requests(1);
    s.expect.playedOnce(1);
    s.expect.transcript(['user: book a table', `agent: ${LONG}`]);
  });

  scenario('a misrecognized echo is still an echo', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('let me reed that back two you', { at: agentSpeaking(1, 300), for: 1700, firstWordAfter: 250 });
    s.expect.never('interrupted');
    s.expect.requests(1);
    s.expect.playedOnce(1);
  });

  scenario('an echoing line pauses the agent at most twice', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('let me read that back', { at: agentSpeaking(1, 300), for: 1200, firstWordAfter: 300 });
    s.caller('for two people tomorrow', { at: agentSpeaking(1, 3200), for: 1200, firstWordAfter: 300 });
    s.caller('under your name by the window', { at: agentSpeaking(1, 5500), for: 1200, firstWordAfter: 300 });
    s.expect.never('interrupted');
    s.expect.that('cleared twice at most', (harness) => expect(harness.carrier.clears.length).toBeLessThanOrEqual(2));
    s.expect.playedOnce(1);
    s.expect.requests(1);
  });

  scenario('the echo of the last words is not answered', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Shall it be by the window?');
    s.caller('shall it be by the window', {
      at: agentSpeaking(1, 600),
      for: 1400,
      transcriptAfter: 700,
      noInterims: true,
    });
    s.expect.requests(1);
    s.expect.lastLine('agent: Shall it be by the window?');
  });

  scenario("a caller who repeats the agent's words during silence confirms them", {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Shall it be by the window?');
    s.caller('by the window', { at: replyPlayed(1, 400), for: 900 });
    s.expect.requests(2);
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario("the caller's words on an echoing line interrupt as usual", {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('let me read that back', { at: agentSpeaking(1, 300), for: 1000, firstWordAfter: 300 });
    const but = s.caller('no wait make it eight', { at: agentSpeaking(1, 3000), for: 1200 });
    s.expect.silentBy(but, 140, 1200);
    s.expect.count('interrupted', 1);
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario("a caller who takes up the agent's words and goes on with their own interrupts", {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('for two no we are three with my mother', { at: agentSpeaking(1, 3200), for: 2200 });
    s.expect.count('interrupted', 1);
    s.expect.requests(2);
  });

  scenario('one repeated word of the question is an answer', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('At seven or at eight?');
    s.caller('eight', { at: replyPlayed(1, 300), for: 400 });
    s.expect.history(['user: book a table', 'assistant: At seven or at eight?', 'user: eight']);
  });
});

describe('a tool that speaks first', () => {
  const tool = { after: 400, says: LONG };

  scenario('a tool that waits for the agent to finish speaking never waits for itself', { tool }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('', { tool: 'find_table', toolArguments: '{"people":2}' });
    s.model('There is one.');
    s.expect.toolRuns(1);
    s.expect.count('agent.reply', 1);
    s.expect.transcript(['user: book a table', `agent: ${LONG} There is one.`]);
    s.expect.playedOnce(1);
  });

  scenario('nor when the caller talks over its message', { tool: { ...tool, after: 2500 } }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('', { tool: 'find_table', toolArguments: '{"people":2}' });
    const wait = s.caller('wait for three people', { at: agentSpeaking(1, 800), for: 900 });
    s.expect.silentBy(wait, 320, 600);
    s.expect.toolRuns(1);
    s.expect.count('interrupted', 1);
    s.expect.lastLine('agent: Yes of course.');
  });
});

describe('recording', () => {
  test('does not change an interruption before the first audio', async () => {
    const script = (s: Script) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model('Words that nobody hears.');
      s.synthesizer({ firstAudioMs: 2500 });
      s.caller('no a chair please', { at: modelAsked(1, 800), for: 1000 });
      s.model(LONG);
      s.caller('but make it eight', { at: agentSpeaking(1, 1500), for: 1000 });
    };
    const clock = createVirtualClock();
    const log = createLogger('test', 'silent');
    const recordings = createChunkWriter({ store: createMemoryStore(), clock, log });
    const [workspaceId, callId] = [newId(), newId()];
    const reporter = { report: () => expect.fail('the recording reports no event') };
    const tape = createRecordingMixer({ recordings, workspaceId, callId, reporter, agentFormat: MULAW_8K, clock });
    const plain = await play({}, script);
    const recorded = await play({ recordingMixer: tape }, script);
    expect(recorded.emitted).toEqual(plain.emitted);
    expect(recorded.transcript()).toEqual(plain.transcript());
    expect(recorded.played).toEqual(plain.played);
    expect(recorded.transcript()).toContain('agent: Yes of course.');
    await tape.close();
  });
});
