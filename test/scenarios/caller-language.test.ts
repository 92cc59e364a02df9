import { describe, expect } from 'vitest';
import type { Harness } from '../support/harness.ts';
import { agentSpeaking, replyPlayed, scenario } from '../support/scenario.ts';

/** The conversation goes on in the language that the caller changes to, where the agent follows them. */

const SPANISH = 'hola quiero cambiar la cita que tengo para el martes';
const follow = { call: { follow_language: true } } as const;
const changes = ({ emitted }: Harness) =>
  emitted.filter(({ type }) => type === 'language.changed').map(({ data }) => data);
const prompt = ({ requests }: Harness, nth: number) => requests[nth]!.messages[0]!.content;

describe('a caller who changes the language', () => {
  scenario('is answered in it, numbers too, and it is on the timeline', follow, (s) => {
    s.model('Son 1.250,50 € en total.');
    s.caller(SPANISH, { at: 500, for: 2_500 });
    s.caller('sorry i would like to do this in english please', { at: replyPlayed(1, 1_000), for: 2_500 });
    s.expect.spoken('Son mil doscientos cincuenta euros con cincuenta céntimos en total.', 'Yes of course.');
    s.expect.that('both changes', (harness) => {
      expect(changes(harness)).toEqual([
        { from: 'en', to: 'es' },
        { from: 'es', to: 'en' },
      ]);
      expect(prompt(harness, 0)).toContain('Answer in Spanish');
      expect(prompt(harness, 1)).toContain('Answer in English');
    });
  });

  scenario('has their own backchannels: "sí, claro" does not cut the agent off', follow, (s) => {
    s.model('La cita del martes se puede cambiar al jueves o al viernes por la tarde si le parece bien.');
    s.caller(SPANISH, { at: 500, for: 2_500 });
    s.caller('sí, claro', { at: agentSpeaking(1, 1_000), for: 600 });
    s.expect.never('interrupted');
  });

  scenario(
    'is asked in it whether they are there',
    {
      call: { follow_language: true, check_user_online: true, user_online_after_seconds: 5 },
    },
    (s) => {
      s.caller(SPANISH, { at: 500, for: 2_500 });
      s.expect.that('asked', ({ spoken }) => expect(spoken.map(({ text }) => text)).toContain('¿Sigue ahí?'));
    },
  );

  scenario('is not followed by an agent that does not follow', {}, (s) => {
    s.caller(SPANISH, { at: 500, for: 2_500 });
    s.expect.never('language.changed');
    s.expect.that('no note', (harness) => expect(prompt(harness, 0)).not.toContain('The caller now speaks'));
  });
});
