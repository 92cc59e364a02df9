import { expect, test } from 'vitest';
import { createHandoffs, type PreparedHandoff } from '../../../media/call/handoff.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import { HANDOFF_TOOL } from '../../../shared/handoff.ts';

function open() {
  const happened: string[] = [];
  const asked: string[] = [];
  const agent = agentConfigSchema.parse({ name: 'A', call: { handoffs: [{ agent_id: 'b', name: 'Billing' }] } });
  const handoffs = createHandoffs(
    {
      agent,
      scope: { guard: (run: never) => run } as never,
      handoffClient: {
        async open(agent_id) {
          asked.push(agent_id);
          return { refused: '', agent: { agent_id, agent_json: '{}', paid_seconds: 9 } };
        },
        enter: ({ agent_id }) => ({ agent: { name: agent_id } }) as never,
      },
    },
    { report: (type) => void happened.push(type), addToolRound: () => ({ addResult() {} }) as never },
    {
      onBegin: () => void happened.push('begin'),
      onAgent: ({ agent }) => void happened.push(agent.name),
      onRefused: () => void happened.push('refused'),
    },
  );
  const prepared = handoffs.prepare({ id: '1', name: HANDOFF_TOOL, arguments: '{"target":"Billing","reason":""}' });
  return { handoffs, happened, asked, prepared: prepared as PreparedHandoff };
}

test('a handoff comes after the tools that were called with it', async () => {
  const { handoffs, happened, prepared } = open();
  const tools = Promise.withResolvers<void>();
  handoffs.begin(prepared, tools.promise);
  await prepared.opened;
  expect([happened, handoffs.active]).toEqual([['begin'], true]);
  tools.resolve();
  await new Promise(setImmediate);
  expect([happened, handoffs.active]).toEqual([['begin', 'agent.handoff', 'b'], false]);
});

test('nothing follows once the call is over', async () => {
  const { handoffs, happened, prepared } = open();
  handoffs.begin(prepared, Promise.resolve());
  handoffs.close();
  await new Promise(setImmediate);
  expect(happened).toEqual(['begin']);
});

test('a second handoff in one reply is refused, and its agent is not asked for', () => {
  const { handoffs, asked } = open();
  const call = { id: '2', name: HANDOFF_TOOL, arguments: '{"target":"Billing","reason":""}' };
  expect([handoffs.refusalReason(call), asked]).toEqual(['One handoff at a time.', ['b']]);
});
