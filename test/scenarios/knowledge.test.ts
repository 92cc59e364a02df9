import { describe, expect } from 'vitest';
import type { Harness } from '../support/harness.ts';
import { agentSpeaking, emitted, replyPlayed, scenario } from '../support/scenario.ts';

const SUNDAY = 'On Sunday we are closed.';
const FOUND = { finds: [SUNDAY, 'Parking is free.'] };

/** The passages in the n-th model request, apart from the prompt. */
const passagesIn = (harness: Harness, request: number) =>
  harness.requests[request - 1]!.messages.slice(1).filter((message) => message.role === 'system');
const event = (harness: Harness, type: string, nth = 1) =>
  harness.emitted.filter((event) => event.type === type)[nth - 1];

describe('knowledge that stands in the prompt', () => {
  scenario(
    'is reported once at the start, and is in every prompt',
    { welcome: 'Welcome.', knowledge: { inline: SUNDAY } },
    (s) => {
      s.caller('are you open on sunday', { at: agentSpeaking(1, 2000), for: 1000 });
      s.caller('and where can we park', { at: replyPlayed(1, 500), for: 1000 });
      s.expect.count('kb.inline', 1);
      s.expect.never('kb.search');
      s.expect.that('first of all', (harness) => {
        expect(harness.types().slice(0, 2)).toEqual(['kb.inline', 'welcome']);
        expect(event(harness, 'kb.inline')!.data).toEqual({ characters: SUNDAY.length });
        for (const request of harness.requests) expect(request.messages[0]!.content).toContain(SUNDAY);
        expect(harness.requests[1]!.messages.slice(0, 3)).toEqual(harness.requests[0]!.messages);
      });
    },
  );

  scenario('is not mentioned when there is none', {}, (s) => {
    s.caller('are you open on sunday', { at: 500, for: 1000 });
    s.expect.never('kb.inline', 'kb.search');
    s.expect.that('no word of it', (harness) =>
      expect(harness.requests[0]!.messages[0]!.content).not.toContain('knowledge base'),
    );
  });
});

describe('knowledge that is searched', () => {
  scenario(
    'is searched before the model request, and reported with its data',
    { knowledge: { searches: [{ ...FOUND, after: 60 }] } },
    (s) => {
      s.caller('are you open on sunday', { at: 500, for: 1000 });
      s.expect.events(['user.turn', 'kb.search', 'llm.first_token', 'tts.first_audio', 'agent.reply']);
      s.expect.that('passages and event', (harness) => {
        const [passages] = passagesIn(harness, 1);
        expect(passages!.content).toMatch(/^From the knowledge base/);
        expect(passages!.content).toContain(`1. (Source 1) ${SUNDAY}`);
        expect(harness.requests[0]!.messages.at(-1)).toEqual({ role: 'user', content: 'are you open on sunday' });
        expect(event(harness, 'kb.search')).toMatchObject({
          level: 'info',
          latency_ms: 60,
          data: {
            query: 'are you open on sunday',
            hits: 2,
            embed_ms: 0,
            search_ms: 2.5,
            passages: 2,
            top: [
              { source: 'Source 1', score: 0.9, keyword_match: true },
              { source: 'Source 2', score: 0.8, keyword_match: true },
            ],
            error: '',
          },
        });
        const { parts } = event(harness, 'tts.first_audio')!.data as { parts: Record<string, number> };
        expect(parts.knowledge_ms).toBe(60);
        const sum = Object.values(parts).reduce((so, each) => so + each, 0);
        expect(sum).toBeCloseTo(event(harness, 'tts.first_audio')!.latency_ms!, 0);
      });
    },
  );

  scenario(
    'for one turn is not kept for the next',
    { knowledge: { searches: [FOUND, { finds: ['The spa opens at noon.'] }] } },
    (s) => {
      s.caller('are you open on sunday', { at: 500, for: 1000 });
      s.caller('when does the lovely spa open', { at: replyPlayed(1, 500), for: 1000 });
      s.expect.count('kb.search', 2);
      s.expect.history(
        [
          'user: are you open on sunday',
          'assistant: Yes of course.',
          /spa opens at noon/,
          'user: when does the lovely spa open',
        ],
        2,
      );
      s.expect.that('the same beginning, so that a cache holds', (harness) => {
        const [first, second] = harness.requests.map((request) => request.messages);
        expect(second![0]).toEqual(first![0]);
        expect(second![1]).toEqual(first!.at(-1));
      });
    },
  );

  scenario('with a short question is searched for what went before, too', { knowledge: { searches: [FOUND] } }, (s) => {
    s.caller('when do you open the restaurant on monday', { at: 500, for: 1500 });
    s.caller('and on sunday', { at: replyPlayed(1, 500), for: 800 });
    s.expect.that('both', (harness) =>
      expect(harness.searched.map(({ query }) => query)).toEqual([
        'when do you open the restaurant on monday',
        'when do you open the restaurant on monday and on sunday',
      ]),
    );
  });

  scenario(
    'is not searched for a greeting or a yes, and these wait for nothing',
    { knowledge: { searches: [{ after: 390 }] } },
    (s) => {
      s.caller('hello', { at: 500, for: 500 });
      s.caller('yes please', { at: replyPlayed(1, 500), for: 600 });
      s.keys('7', replyPlayed(2, 500));
      s.expect.never('kb.search');
      s.expect.requests(3);
      s.expect.that('no search', (harness) => expect(harness.searched).toEqual([]));
    },
  );

  scenario('without hits is reported, and the model answers', { knowledge: { searches: [{ finds: [] }] } }, (s) => {
    s.caller('do you rent out helicopters', { at: 500, for: 1000 });
    s.expect.history(['user: do you rent out helicopters']);
    s.expect.that('the event', (harness) =>
      expect(event(harness, 'kb.search')).toMatchObject({
        level: 'info',
        data: { hits: 0, passages: 0, top: [], error: '' },
      }),
    );
  });

  scenario(
    'is searched once for a reply with a tool, and known in its second half',
    {
      knowledge: { searches: [FOUND] },
      tool: { after: 300 },
    },
    (s) => {
      s.caller('is there a table on sunday', { at: 500, for: 1000 });
      s.model('', { tool: 'find_table' });
      s.model('There is.');
      s.expect.count('kb.search', 1);
      s.expect.requests(2);
      s.expect.that('both halves know it', (harness) => {
        for (const request of [1, 2]) expect(passagesIn(harness, request)[0]!.content).toContain(SUNDAY);
      });
      s.expect.lastLine('agent: There is.');
    },
  );
});

describe('a search that goes wrong', () => {
  const WARNING = { level: 'warning', data: { passages: 0, top: [] } };

  scenario(
    'that is late is not awaited: the reply comes without passages',
    { knowledge: { searches: [{ ...FOUND, after: 3000 }] } },
    (s) => {
      s.caller('are you open on sunday', { at: 500, for: 1000 });
      s.model('I am not sure.');
      s.expect.transcript(['user: are you open on sunday', 'agent: I am not sure.']);
      s.expect.events(['user.turn', 'kb.search', 'llm.first_token', 'tts.first_audio', 'agent.reply']);
      s.expect.requests(1);
      s.expect.that('reported as a warning', (harness) => {
        expect(event(harness, 'kb.search')).toMatchObject({ ...WARNING, latency_ms: 400 });
        expect(event(harness, 'kb.search')!.data!.error).toBe('no answer within 400 ms');
        expect(passagesIn(harness, 1)).toEqual([]);
      });
    },
  );

  scenario(
    'that fails loses the passages, not the reply',
    { knowledge: { searches: [{ fails: true }, FOUND] } },
    (s) => {
      s.caller('are you open on sunday', { at: 500, for: 1000 });
      s.caller('can guests park near the restaurant', { at: replyPlayed(1, 500), for: 1000 });
      s.expect.count('agent.reply', 2);
      s.expect.never('error');
      s.expect.that('reported as a warning, and the next one is as good as ever', (harness) => {
        expect(event(harness, 'kb.search')).toMatchObject({ ...WARNING, data: { error: 'no responders' } });
        expect(event(harness, 'kb.search', 2)).toMatchObject({ level: 'info' });
        expect(passagesIn(harness, 2)).toHaveLength(1);
      });
    },
  );

  scenario('that is refused reports why', { knowledge: { searches: [{ error: 'the call is not known' }] } }, (s) => {
    s.caller('are you open on sunday', { at: 500, for: 1000 });
    s.expect.lastLine('agent: Yes of course.');
    s.expect.that('reported', (harness) =>
      expect(event(harness, 'kb.search')).toMatchObject({ ...WARNING, data: { error: 'the call is not known' } }),
    );
  });
});

describe('a caller who does not wait for the search', () => {
  const SLOW = { knowledge: { searches: [{ ...FOUND, after: 380 }] } };

  scenario('and goes on is answered once, for all of it', SLOW, (s) => {
    s.caller('are you open on sunday', { at: 500, for: 1000 });
    s.caller('and do you have parking', { at: 1800, for: 1000 });
    s.expect.requests(1);
    s.expect.count('kb.search', 1);
    s.expect.count('agent.reply', 1);
    s.expect.that('all of it is searched for', (harness) => {
      expect(harness.searched.at(-1)!.query).toBe('are you open on sunday and do you have parking');
      expect(event(harness, 'kb.search')!.data!.query).toBe('are you open on sunday and do you have parking');
      expect(harness.requests[0]!.messages.at(-1)!.content).toBe('are you open on sunday and do you have parking');
    });
  });

  scenario('and hangs up leaves nothing behind', SLOW, (s) => {
    s.caller('are you open on sunday', { at: 500, for: 1000 });
    s.hangUp(emitted('user.turn', 1, 100));
    s.expect.requests(0);
    s.expect.never('kb.search', 'agent.reply');
    s.expect.that('no timer, no question', (harness) => expect(harness.running.count).toBe(0));
  });

  scenario('and interrupts the reply triggers a new search', { knowledge: { searches: [FOUND] } }, (s) => {
    s.caller('are you open on sunday', { at: 500, for: 1000 });
    s.model('On Sunday we are closed, as we are on every day of rest in the whole of the year.');
    s.caller('no I meant the swimming pool', { at: agentSpeaking(1, 1200), for: 1200 });
    s.expect.count('interrupted', 1);
    s.expect.count('kb.search', 2);
    s.expect.that('the second', (harness) => {
      expect(harness.searched[1]!.query).toContain('swimming pool');
      expect(passagesIn(harness, 2)).toHaveLength(1);
    });
  });
});

describe('preemptive generation', () => {
  const EAGER = { at: 500, for: 1000, eagerAfter: 100, transcriptAfter: 700 } as const;

  scenario(
    'has searched before the turn is over, and reports it then',
    { knowledge: { searches: [{ ...FOUND, after: 100 }] } },
    (s) => {
      s.caller('are you open on sunday', EAGER);
      s.expect.events(['user.turn', 'kb.search', 'llm.first_token', 'tts.first_audio', 'agent.reply']);
      s.expect.requests(1);
      s.expect.that('ahead, once, with its passages, and it cost the turn nothing', (harness) => {
        expect(harness.searched).toHaveLength(1);
        expect(harness.searched[0]!.atMs).toBe(1600);
        expect(event(harness, 'kb.search')!.atMs).toBe(2200);
        expect(event(harness, 'kb.search')!.latency_ms).toBe(100);
        expect(passagesIn(harness, 1)[0]!.content).toContain(SUNDAY);
        const { parts } = event(harness, 'tts.first_audio')!.data as { parts: Record<string, number> };
        expect(parts.knowledge_ms).toBe(0);
      });
    },
  );

  scenario(
    'whose search ends after the end of turn is answered too',
    { knowledge: { searches: [{ ...FOUND, after: 350 }] } },
    (s) => {
      s.caller('are you open on sunday', { ...EAGER, transcriptAfter: 200 });
      s.expect.events(['user.turn', 'kb.search', 'llm.first_token', 'tts.first_audio', 'agent.reply']);
      s.expect.requests(1);
      s.expect.that('one search, begun early', (harness) => {
        expect(harness.searched).toHaveLength(1);
        expect(event(harness, 'kb.search')!.atMs).toBe(1950);
        expect(harness.requests[0]!.messages.at(-1)!.content).toBe('are you open on sunday');
        expect(passagesIn(harness, 1)).toHaveLength(1);
      });
    },
  );

  scenario(
    'whose search is late is still correct, early or late',
    { knowledge: { searches: [{ ...FOUND, after: 9000 }] } },
    (s) => {
      s.caller('are you open on sunday', EAGER);
      s.caller('are there rooms with breakfast', { ...EAGER, at: replyPlayed(1, 500), transcriptAfter: 200 });
      s.expect.count('kb.search', 2);
      s.expect.count('agent.reply', 2);
      s.expect.requests(2);
      s.expect.that('both reported as late', (harness) => {
        for (const nth of [1, 2])
          expect(event(harness, 'kb.search', nth)).toMatchObject({ level: 'warning', latency_ms: 400 });
      });
    },
  );

  scenario(
    'for other words is thrown away with what it found',
    { knowledge: { searches: [FOUND, { finds: ['Breakfast is at seven.'] }] } },
    (s) => {
      s.caller('are you open on sunday', { ...EAGER, finally: 'are you open on sunday for breakfast' });
      s.expect.count('kb.search', 1);
      s.expect.count('agent.reply', 1);
      s.expect.that('only what was found for the last words', (harness) => {
        expect(event(harness, 'kb.search')!.data!.query).toBe('are you open on sunday for breakfast');
        expect(passagesIn(harness, 2)[0]!.content).toContain('Breakfast is at seven.');
        expect(passagesIn(harness, 2)[0]!.content).not.toContain(SUNDAY);
      });
    },
  );

  scenario(
    'that is dropped while it searches never asks the model',
    { knowledge: { searches: [{ ...FOUND, after: 390 }, FOUND] } },
    (s) => {
      s.caller('are you open', { ...EAGER, noEnd: true });
      s.transcriber('turn_resumed', 'are you open on', { at: 1750, turn: 0 });
      s.transcriber('turn_ended', 'are you open on sunday', { at: 3000, turn: 0 });
      s.expect.requests(1);
      s.expect.count('kb.search', 1);
      s.expect.count('agent.reply', 1);
    },
  );
});

describe('whatever happens', () => {
  for (const after of [0, 200, 399, 400, 401, 5000]) {
    scenario(
      `nothing waits when the call has ended (search after ${after} ms)`,
      { knowledge: { searches: [{ ...FOUND, after }] } },
      (s) => {
        s.caller('are you open on sunday', { at: 500, for: 1000, eagerAfter: 50 });
        s.caller('and do you have parking', { at: 2200, for: 1000, eagerAfter: 50 });
        s.hangUp(15_000);
        s.expect.count('user.turn', 2);
        s.expect.that('no timer of a search is left', (harness) => {
          expect(harness.engineTimers()).toBe(0);
          expect(harness.running.count).toBe(0);
          expect(harness.emitted.filter(({ type }) => type === 'kb.search').length).toBeLessThanOrEqual(2);
        });
      },
    );
  }
});
