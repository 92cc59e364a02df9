import { describe, expect } from 'vitest';
import { openScenario, sounding } from '../support/scenario.ts';

/** What must hold and does not yet. `OPEN_SCENARIOS=1` plays them; one that holds moves to the file of its thought. */

const words = { transcriber: 'words' } as const;
const LONG =
  'Let me read that back to you, a table for two people tomorrow evening at seven under your name, by the window.';

describe('turns', () => {
  openScenario('words are answered though the room around the caller never falls silent', words, (s) => {
    s.noise({ at: 300, for: 19_000 });
    s.transcriber('final', 'book a table', { at: 1500, turn: 0 });
    s.expect.lastLine('agent: Yes of course.');
  });

  openScenario(
    'a noise that never ends does not silence the agent for ever where words are only written',
    words,
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.noise({ at: sounding(1, 1500), for: 16_000 });
      s.expect.that('it went on', (stage) => expect(stage.heard.at(-1)!.toMs).toBeGreaterThan(2500));
    },
  );
});
