import { expect, it } from 'vitest';
import { handoffTool } from '../../../shared/reply/handoff-tool.ts';

const handoffs = [
  { name: 'Billing', description: ' invoices and refunds ', agent_id: 'a1' },
  { name: 'Front desk', description: '', agent_id: 'a2' },
];

it('the tool names the agents that may go on, and when', () => {
  const [tool] = handoffTool(handoffs);
  expect(tool?.description).toMatch(/- Billing: invoices and refunds\n- Front desk$/);
  expect(tool?.parameters).toMatchObject({ properties: { target: { enum: ['Billing', 'Front desk'] } } });
});

it('without handoffs there is no tool', () => {
  expect(handoffTool([])).toEqual([]);
});
