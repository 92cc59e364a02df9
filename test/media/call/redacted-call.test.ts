import { expect, test } from 'vitest';
import type { CallOptions } from '../../../media/call/call.ts';
import { withRedaction } from '../../../media/call/redacted-call.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const CARD = '4111 1111 1111 1111';

function open(call: object) {
  const out: unknown[] = [];
  const send = async (request: unknown) => void out.push(request);
  const options = {
    session: { agent_json: JSON.stringify(agentConfigSchema.parse({ name: 'A', call })) },
    bus: { searchKnowledge: send, startTransfer: send, bookCallback: send },
    reporter: { report: (...event: unknown[]) => void out.push(event), flushed: async () => {} },
    clock: createVirtualClock(),
  } as unknown as CallOptions;
  return { out, ...withRedaction(options) };
}

async function sendAll({ bus, reporter }: CallOptions): Promise<void> {
  await bus.searchKnowledge({ call_id: 'c', query: CARD, limit: 1, within_ms: 1 }, 1);
  const transfer = { name: 'Desk', number: '+919876543210', reason: CARD, warm: true, summary: CARD, language: 'en' };
  await bus.startTransfer({ call_id: 'c', transfer_id: 't', ...transfer }, 1);
  await bus.bookCallback({ call_id: 'c', when: '2026-11-24T10:00', note: CARD }, 1);
  reporter.report('tool.call', 'pay', { data: { name: 'pay', args: { card: CARD } } });
}

test('nothing leaves a call whose agent redacts cards with one', async () => {
  const { out, callOptions, keepsNumbers } = open({ redact_cards: true });
  await sendAll(callOptions);
  expect(out).toHaveLength(4);
  expect(JSON.stringify(out)).not.toContain('1111');
  expect(JSON.stringify(out)).toContain('+919876543210');
  expect(keepsNumbers).toBe(false);
});

test('a call of another agent is as it was', async () => {
  const { out, callOptions, keepsNumbers } = open({});
  await sendAll(callOptions);
  expect(JSON.stringify(out).split(CARD)).toHaveLength(6);
  expect(keepsNumbers).toBe(true);
});
