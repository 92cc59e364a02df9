import { describe, expect } from 'vitest';
import { createAmbient } from '../../media/playout/ambient.ts';
import type { Background } from '../../media/playout/leg-output.ts';
import type { CarrierBehaviour } from '../support/fake-carrier.ts';
import type { Harness } from '../support/harness.ts';
import { agentSpeaking, cleared, modelAsked, replyPlayed, scenario } from '../support/scenario.ts';

const LONG =
  'Let me read that back to you, a table for two people tomorrow evening at seven under your name, by the window.';
const CUT = /^agent: Let me .+ —$/;

const CARRIERS: Record<string, CarrierBehaviour> = {
  'marks on time, returned on a clear': {},
  'marks on time, dropped on a clear': { onClear: 'dropped' },
  'marks returned long after a clear': { onClear: 'returned late' },
  'marks half a second late': { markDelayMs: 500 },
  'marks out of order': { marks: 'swapped' },
  'no marks at all': { marks: 'never' },
  'frames that wait here, without marks': { marks: 'never', takesBack: true },
  'frames that wait here': { takesBack: true },
};

describe('whatever the carrier does with marks', () => {
  for (const [name, carrier] of Object.entries(CARRIERS)) {
    scenario(`a reply is played once, transcribed once and ends in time: ${name}`, { carrier }, (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model('Certainly, for how many people shall it be?');
      s.caller('for two', { at: agentSpeaking(1, 5500), for: 700 });
      s.expect.transcript([
        'user: book a table',
        'agent: Certainly, for how many people shall it be?',
        'user: for two',
        'agent: Yes of course.',
      ]);
      s.expect.playedOnce(1);
      s.expect.count('agent.reply', 2);
      s.expect.never('interrupted');
    });

    scenario(`an interruption keeps exactly the words that were played out: ${name}`, { carrier }, (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      const but = s.caller('but make it eight', { at: agentSpeaking(1, 1700), for: 1000 });
      s.expect.silentBy(but, 140, 1000);
      s.expect.that('as many words as were played out', (harness) => {
        const line = harness
          .transcript()
          .find((text) => text.endsWith('—'))!
          .slice(7, -2);
        const playedOutMs = harness.played
          .filter(({ context }) => context === 1)
          .reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
        expect(line.length * 60).toBeLessThanOrEqual(playedOutMs + 60);
        expect(line.length * 60).toBeGreaterThanOrEqual(playedOutMs - 900);
      });
      s.expect.lastLine('agent: Yes of course.');
    });

    scenario(`noise: nothing is skipped and nothing comes twice: ${name}`, { carrier }, (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.noise({ at: agentSpeaking(1, 1300), for: 500 });
      s.noise({ at: agentSpeaking(1, 5000), for: 500 });
      s.expect.playedOnce(1);
      s.expect.lastLine(`agent: ${LONG}`);
      s.expect.count('agent.reply', 1);
    });
  }
});

describe('the carrier', () => {
  scenario('never holds more than 140 ms of speech', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.expect.that('at any moment', (harness) => {
      let playedMs = 0;
      for (const frame of harness.sent) {
        playedMs = Math.max(playedMs, frame.atMs) + 20;
        expect(playedMs - frame.atMs).toBeLessThanOrEqual(140);
      }
    });
  });

  scenario('is not cleared when nothing lies there', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Certainly, for how many people shall it be?');
    s.caller('for two', { at: replyPlayed(1, 1000), for: 700 });
    s.expect.neverCleared();
  });

  // As with an engine that was held up, and a machine that stood still: whoever waits for a clear then waits in vain.
  scenario(
    'is not cleared when the carrier ran dry, and the caller who interrupts just then is answered all the same',
    {},
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.synthesizer({ chunkMs: 200, speed: 0.2 });
      s.caller('wait stop', { at: agentSpeaking(1, 1400), for: 400 });
      s.expect.neverCleared();
      s.expect.count('interrupted', 1);
      s.expect.lastLine('agent: Yes of course.');
    },
  );

  scenario(
    'whose socket is congested for half a second loses no audio',
    {
      carrier: { congested: [[3000, 3500]] },
    },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.expect.playedOnce(1);
      s.expect.lastLine(`agent: ${LONG}`);
    },
  );

  scenario(
    'whose socket is congested before the first frame hears it all later',
    {
      carrier: { congested: [[1000, 3500]] },
    },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model('Certainly.');
      s.expect.playedOnce(1);
      s.expect.that('reported when it was sent', (harness) =>
        expect(harness.emitted.find((event) => event.type === 'tts.first_audio')!.atMs).toBeGreaterThanOrEqual(3500),
      );
    },
  );

  scenario(
    'whose socket is congested while the caller interrupts cuts at the playout position',
    {
      carrier: { congested: [[3000, 4500]] },
    },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.caller('but make it eight', { at: 3400, for: 900 });
      s.expect.count('interrupted', 1);
      s.expect.that('no more words than were played out', (harness) => {
        const line = harness
          .transcript()
          .find((text) => text.endsWith('—'))!
          .slice(7, -2);
        const playedOutMs = harness.played
          .filter(({ context }) => context === 1)
          .reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
        expect(line.length * 60).toBeLessThanOrEqual(playedOutMs + 120);
      });
      s.expect.lastLine('agent: Yes of course.');
    },
  );

  scenario('whose marks come back after the reply is over changes nothing', { carrier: { markDelayMs: 4000 } }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Certainly.');
    s.caller('for two', { at: replyPlayed(1, 500), for: 700 });
    s.expect.count('agent.reply', 2);
    s.expect.playedOnce(2);
  });

  scenario(
    'that returns the marks of a cleared run when the rest is being played does not end the reply early',
    {
      carrier: { onClear: 'returned late', returnedAfterMs: 1680 },
    },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model('Yes, we have a table for you.');
      s.noise({ at: agentSpeaking(1, 1400), for: 400 });
      s.expect.playedOnce(1);
      s.expect.that('over when it was played out', (harness) => {
        const last = harness.played.at(-1)!;
        expect(harness.emitted.at(-1)!.type).toBe('agent.reply');
        expect(harness.emitted.at(-1)!.atMs).toBeGreaterThanOrEqual(last.atMs + last.toMs - last.fromMs);
      });
    },
  );

  scenario('that returns the marks of a cleared run early does not end the reply', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Yes, we have a table for you.');
    s.noise({ at: agentSpeaking(1, 1400), for: 400 });
    s.expect.playedOnce(1);
    s.expect.count('agent.reply', 1);
  });
});

describe('the audio of a reply', () => {
  scenario(
    'whose length is no whole number of frames is played to its last millisecond',
    { synthesizer: { chunkMs: 33 } },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model('Certainly, for how many people shall it be?');
      s.synthesizer({ breaks: 'done', breaksAfterMs: 1234 });
      s.expect.playedFor(1, 1234, 0);
      s.expect.count('agent.reply', 1);
    },
  );

  scenario('that is shorter than a frame is played', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Yes.');
    s.synthesizer({ breaks: 'done', breaksAfterMs: 12 });
    s.expect.playedFor(1, 12, 0);
    s.expect.count('agent.reply', 1);
  });

  scenario(
    'that arrives slower than real time has gaps, and is played once',
    {
      synthesizer: { chunkMs: 200, speed: 0.7 },
    },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.expect.playedOnce(1);
      s.expect.lastLine(`agent: ${LONG}`);
      s.expect.count('agent.reply', 1);
    },
  );

  scenario('that comes slowly can be interrupted in a gap', { synthesizer: { chunkMs: 400, speed: 0.4 } }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('but make it eight', { at: agentSpeaking(1, 600), for: 1000 });
    s.expect.count('interrupted', 1);
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario('goes on in time when the model is slow between its sentences', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Certainly, one moment. I am looking into the book. There is a table for you.', { every: 600 });
    s.expect.playedOnce(1);
    s.expect.count('tts.first_audio', 1);
    s.expect.lastLine('agent: Certainly, one moment. I am looking into the book. There is a table for you.');
  });

  scenario('and nothing else belongs to it: two replies one after the other do not mix', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.caller('for two', { at: replyPlayed(1, 300), for: 700 });
    s.expect.playedOnce(1);
    s.expect.playedOnce(2);
    s.expect.that('in order', (harness) => expect(harness.played.map(({ context }) => context)).toEqual([1, 2]));
  });
});

describe('the playout position', () => {
  scenario("follows the synthesizer's timings", { synthesizer: { timings: true, msPerCharacter: 100 } }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.caller('but make it eight', { at: agentSpeaking(1, 2000), for: 1000 });
    s.expect.that('by its own rate', (harness) => {
      const line = harness
        .transcript()
        .find((text) => text.endsWith('—'))!
        .slice(7, -2);
      expect(line.length).toBeLessThanOrEqual(22);
      expect(line.length).toBeGreaterThanOrEqual(12);
    });
  });

  scenario(
    'is measured by the speech itself where there are no timings',
    { synthesizer: { msPerCharacter: 100 } },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.caller('but make it eight', { at: agentSpeaking(1, 2000), for: 1000 });
      s.expect.that('by its own rate', (harness) => {
        const line = harness
          .transcript()
          .find((text) => text.endsWith('—'))!
          .slice(7, -2);
        expect(line.length).toBeLessThanOrEqual(22);
        expect(line.length).toBeGreaterThanOrEqual(12);
      });
    },
  );

  scenario(
    'never exceeds the text, even with timings beyond the audio',
    { synthesizer: { timings: 'beyond' } },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model('Certainly, for how many?');
      s.caller('for two', { at: replyPlayed(1, 500), for: 700 });
      s.expect.history(['user: book a table', 'assistant: Certainly, for how many?', 'user: for two']);
    },
  );

  scenario("is kept in the transcript with the model's own characters, markdown and all", {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('**Certainly**, for `two`. 🙂');
    s.expect.lastLine('agent: **Certainly**, for `two`. 🙂');
    s.expect.that('and the voice is spared them', (harness) =>
      expect(harness.spoken.map((piece) => piece.text).join(' ')).not.toMatch(/[*`🙂]/u),
    );
  });

  scenario('of a reply made of markup only, twice, is nothing, and the caller is asked again', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('🙂 **');
    s.model('🙂 **');
    s.caller('hello there', { at: modelAsked(2, 3000), for: 700 });
    s.expect.lastLine('agent: Yes of course.');
    s.expect.that('no empty speech', (harness) =>
      expect(harness.spoken.map((piece) => piece.text)).toEqual([
        'Sorry, I did not catch that.',
        'Could you say it again?',
        'Yes of course.',
      ]),
    );
  });
});

describe('hanging up', () => {
  for (const [name, at] of [
    ['before anything was said', 200],
    ['while the caller speaks', 1000],
    ['while the agent thinks', modelAsked(1, 100)],
    ['before the first audio', modelAsked(1, 300)],
    ['in the first frame', agentSpeaking(1, 0)],
    ['in the middle of the reply', agentSpeaking(1, 2500)],
    ['while the agent is silent for the caller', cleared(1, 200)],
    ['in the last moment of the reply', agentSpeaking(1, 6590)],
    ['long after', replyPlayed(1, 2000)],
  ] as const) {
    scenario(`${name}: everything stops, and only the spoken and played-out text is kept`, {}, (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      if (name === 'while the agent is silent for the caller') s.noise({ at: agentSpeaking(1, 2000), for: 500 });
      const gone = s.hangUp(at);
      s.expect.silentBy(gone, 140, 5000);
      s.expect.that('nothing is left behind', (harness) => {
        expect(harness.engineTimers()).toBe(0);
        expect(harness.running.count).toBe(0);
        const [user, agent, ...more] = harness.transcript();
        expect(more).toEqual([]);
        if (user !== undefined) expect('user: book a table'.startsWith(user)).toBe(true);
        if (agent !== undefined) expect(`agent: ${LONG}`.startsWith(agent.replace(/ —$/, ''))).toBe(true);
      });
    });
  }

  scenario('without marks estimates the played-out words by the clock', { carrier: { marks: 'never' } }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.hangUp(agentSpeaking(1, 3000));
    s.expect.that('about half', (harness) => {
      const line = harness.transcript().at(-1)!.slice(7, -2);
      expect(LONG.startsWith(`${line} `)).toBe(true);
      expect(line.length * 60).toBeGreaterThan(2100);
      expect(line.length * 60).toBeLessThanOrEqual(3060);
    });
  });

  scenario('twice is hanging up once', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.hangUp(agentSpeaking(1, 1000));
    s.hangUp(agentSpeaking(1, 1100));
    s.expect.transcript(['user: book a table', CUT]);
  });

  scenario('keeps the words of an unfinished turn', {}, (s) => {
    s.caller('book a table for two people', { at: 500, for: 3000 });
    s.hangUp(2000);
    s.expect.transcript(['user: book a table']);
  });

  scenario('leaves whatever still comes from everybody unprocessed', {}, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG, { every: 200 });
    const gone = s.hangUp(agentSpeaking(1, 500));
    s.caller('hello is anybody there', { at: agentSpeaking(1, 1500), for: 1000 });
    s.noise({ at: agentSpeaking(1, 4000), for: 1000 });
    s.expect.requests(1);
    s.expect.count('user.turn', 1);
    s.expect.silentBy(gone, 140, 10_000);
  });
});

describe('ambient sound', () => {
  /** Of the background: how much went out and was not taken back. */
  function room(): { background: Background; goneMs(): number } {
    const ambient = createAmbient({ samples: new Int16Array(16_000).fill(1000), volume: 60 });
    let samples = 0;
    return {
      goneMs: () => samples / 8,
      background: {
        mixInto(frame, encoding) {
          samples += frame.length;
          return ambient.mixInto(frame, encoding);
        },
        rewind(count) {
          samples -= count;
          ambient.rewind(count);
        },
      },
    };
  }

  /** From its first frame on there is audio at every moment, and each moment of the ambient sound once. */
  function hasNoHole(harness: Harness, goneMs: number): void {
    const { frames, queuedUntilMs } = harness.carrier;
    expect(frames[0]).toBeLessThanOrEqual(40);
    const holes = frames.flatMap((startMs, index) => {
      const gapMs = startMs - (frames[index - 1] ?? startMs) - 20;
      return gapMs > 0 ? [{ startMs, gapMs }] : [];
    });
    expect(holes).toEqual([]);
    expect(queuedUntilMs).toBeGreaterThanOrEqual(harness.clock.now());
    expect(Math.abs(goneMs - (queuedUntilMs - frames[0]!))).toBeLessThan(1);
  }

  for (const [name, carrier] of Object.entries(CARRIERS)) {
    const interrupted = room();
    scenario(
      `has no hole when the agent is interrupted: ${name}`,
      { carrier, background: interrupted.background },
      (s) => {
        s.caller('book a table', { at: 500, for: 1000 });
        s.model(LONG);
        const but = s.caller('but make it eight', { at: agentSpeaking(1, 1707), for: 1000 });
        s.expect.silentBy(but, 140, 1000);
        s.expect.clears(1);
        s.expect.lastLine('agent: Yes of course.');
        s.expect.that('no hole', (harness) => hasNoHole(harness, interrupted.goneMs()));
      },
    );
  }

  const noisy = room();
  scenario('has none when the agent falls silent for a noise and goes on', { background: noisy.background }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.noise({ at: agentSpeaking(1, 1303), for: 500 });
    s.noise({ at: agentSpeaking(1, 5011), for: 500 });
    s.expect.clears(2);
    s.expect.playedOnce(1);
    s.expect.that('no hole', (harness) => hasNoHole(harness, noisy.goneMs()));
  });

  const stalling = room();
  scenario(
    'has no gap when the synthesizer stalls and continues',
    { background: stalling.background, synthesizer: { chunkMs: 200, speed: 0.5 } },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.expect.playedOnce(1);
      s.expect.lastLine('agent: Yes of course.');
      s.expect.that('no hole', (harness) => hasNoHole(harness, stalling.goneMs()));
    },
  );
});
