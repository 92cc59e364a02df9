import { describe, expect, test } from 'vitest';
import { HANDOFF_TOOL, MAX_HANDOFFS } from '../../shared/handoff.ts';
import type { Harness } from '../support/harness.ts';
import { agentSpeaking, emitted, play, type ScenarioSetup, type Script } from '../support/scenario.ts';

// An agent whose model hears and speaks itself hands no call over: these are not played with one.

const LOOK_UP = { name: 'find_bill', url: 'https://example.com/bills', description: 'finds a bill' };
const BILLING = { system_prompt: 'You know bills.', tools: [LOOK_UP] };
const setting = (more: Partial<NonNullable<ScenarioSetup['handoff']>> = {}): ScenarioSetup => ({
  handoff: { after: 200, agent: BILLING, ...more },
});

function handOff(s: Script, says = ''): void {
  s.caller('i have a question about my bill', { at: 500, for: 1000 });
  s.model(says, { tool: HANDOFF_TOOL, toolArguments: '{"target":"Billing","reason":"asks about a bill"}' });
}

const eventsOf = (harness: Harness, type: string) => harness.emitted.filter((event) => event.type === type);
const lastRequest = ({ requests }: Harness) => requests.at(-1)!;
const toolsAsked = (harness: Harness) => lastRequest(harness).tools?.map(({ name }) => name);
const textOf = (harness: Harness) => JSON.stringify(lastRequest(harness).messages);

describe('a handoff', () => {
  test('goes on with the prompt, the tools and the history, and is on the timeline', () =>
    play(setting(), (s) => {
      handOff(s, 'Let me see.');
      s.model('Which bill is it?');
      s.expect.transcript(['user: i have a question about my bill', 'agent: Let me see.', 'agent: Which bill is it?']);
      s.expect.that('as the other agent', (harness) => {
        expect(harness.handoffs).toEqual(['billing']);
        expect(toolsAsked(harness)).toEqual(['end_call', 'find_bill']);
        expect(textOf(harness)).toMatch(/You know bills.*question about my bill.*The reason: asks about a bill/);
        expect(eventsOf(harness, 'agent.handoff')).toMatchObject([
          { message: 'Billing goes on', data: { agent_id: 'billing', name: 'Billing', reason: 'asks about a bill' } },
        ]);
      });
    }));

  test('waits for the last words of the agent, which are not interrupted', () =>
    play(setting({ after: 10 }), (s) => {
      handOff(s, 'One moment please, I will ask the others.');
      s.model('Which bill is it?');
      s.caller('no wait i mean', { at: agentSpeaking(1, 300), for: 800 });
      s.expect.neverCleared();
      s.expect.that('the words are answered by the other agent', (harness) => {
        expect(textOf(harness)).toContain('You know bills');
        expect(textOf(harness)).toContain('no wait i mean');
      });
    }));

  test('begins with its first message, without asking the model', () =>
    play(setting({ says: 'Billing here, what is the number?' }), (s) => {
      handOff(s);
      s.expect.transcript(['user: i have a question about my bill', 'agent: Billing here, what is the number?']);
      s.expect.that('one request', ({ requests }) => expect(requests).toHaveLength(1));
    }));

  test('goes on in the language that the caller has changed to', () =>
    play(
      {
        ...setting({ agent: { ...BILLING, voice: { language: 'en' }, call: { follow_language: true } } }),
        call: { follow_language: true },
      },
      (s) => {
        s.caller('hola quiero cambiar la cita que tengo el martes', { at: 500, for: 2_500 });
        s.model('', { tool: HANDOFF_TOOL, toolArguments: '{"target":"Billing","reason":""}' });
        s.model('¿Qué factura es?');
        s.expect.that('Spanish', (harness) => {
          expect(textOf(harness)).toContain('You know bills');
          expect(textOf(harness)).toContain('Answer in Spanish');
        });
      },
    ));

  test('gives the other agent the last turns only', () =>
    play(setting({ history_turns: 1 }), (s) => {
      s.caller('my name is asha', { at: 500, for: 1000 });
      s.model('Hello Asha.');
      s.caller('i have a question about my bill', { at: 6_000, for: 1000 });
      s.model('', { tool: HANDOFF_TOOL, toolArguments: '{"target":"Billing","reason":""}' });
      s.model('Which bill is it?');
      s.expect.that('without the first', (harness) => {
        expect(textOf(harness)).toContain('about my bill');
        expect(textOf(harness)).not.toContain('asha');
      });
    }));

  test.for([
    ['that is refused', { refused: 'it is paused' }, 'it is paused'],
    ['that nobody answers', { silent: true }, 'the service did not answer'],
    ['to an agent without a model here', { unusable: true }, 'its language model is not available'],
  ] as const)('%s leaves the caller with the agent', async ([, behaviour, why]) => {
    await play(setting(behaviour), (s) => {
      handOff(s);
      s.model('I am sorry, let me try myself.');
      s.expect.that('which knows why', (harness) => {
        expect(textOf(harness)).toContain(`Billing cannot go on with the call: ${why}.`);
        expect(toolsAsked(harness)).toContain(HANDOFF_TOOL);
        expect(eventsOf(harness, 'agent.handoff')).toEqual([]);
        expect(eventsOf(harness, 'tool.result')).toMatchObject([{ level: 'warning' }]);
      });
    });
  });

  test('to an agent that it does not name is refused', () =>
    play(setting(), (s) => {
      s.caller('i have a question about my bill', { at: 500, for: 1000 });
      s.model('', { tool: HANDOFF_TOOL, toolArguments: '{"target":"Nobody","reason":""}' });
      s.model('Nobody of that name is here.');
      s.expect.that('with the names', (harness) => {
        expect(textOf(harness)).toContain('The targets are: Billing.');
        expect(harness.handoffs).toEqual([]);
      });
    }));

  test(`takes place ${MAX_HANDOFFS} times in a call at most`, () =>
    play(setting({ agent: { ...BILLING, call: { handoffs: [{ agent_id: 'billing', name: 'Billing' }] } } }), (s) => {
      handOff(s);
      for (let count = 1; count <= MAX_HANDOFFS; count++) {
        s.model('', { tool: HANDOFF_TOOL, toolArguments: '{"target":"Billing","reason":""}' });
      }
      s.model('I go on myself.');
      s.expect.count('agent.handoff', MAX_HANDOFFS);
      s.expect.that('then the agent goes on', (harness) => expect(textOf(harness)).toContain('go on yourself'));
    }));

  test('is not begun when the caller hangs up before', () =>
    play(setting({ after: 2_000 }), (s) => {
      handOff(s);
      s.hangUp(emitted('tool.call', 1, 200));
      s.expect.count('agent.handoff', 0);
    }));
});
