import { expect, test } from 'vitest';
import { createHarness } from '../../support/harness.ts';

test('an order is carried out once, and what is none is refused', async () => {
  const harness = createHarness();
  harness.order({ action: 'say', text: 'Hello.', interrupt: false }, 'same');
  harness.order({ action: 'say', text: 'Hello.', interrupt: false }, 'same');
  harness.order({ action: 'say', text: '', interrupt: false });
  harness.order({ action: 'fly' } as never);
  await harness.clock.advance(5_000);
  expect(harness.orderResults).toEqual(['', '', ...Array(2).fill('refused: the engine does not know this order')]);
  expect(harness.spoken.map(({ text }) => text)).toEqual(['Hello.']);
  harness.stop();
});

test('texts and instructions are bounded', () => {
  const harness = createHarness();
  for (let i = 0; i < 12; i++) harness.order({ action: 'say', text: `text ${i}`, interrupt: false });
  for (let i = 0; i < 6; i++) harness.order({ action: 'instruct', text: 'x'.repeat(2_000) });
  expect(harness.orderResults.filter((result) => result.startsWith('refused'))).toEqual([
    ...Array(2).fill('refused: 10 orders wait to be heard already'),
    'refused: the instructions of one call have at most 10000 characters together',
  ]);
  harness.stop();
});

test('the name of a variable cannot reach the prototype', () => {
  const harness = createHarness();
  harness.order(JSON.parse('{"action":"set_variables","values":{"__proto__":"x","name":"Ravi"}}'));
  expect(({} as Record<string, unknown>).name).toBeUndefined();
  harness.stop();
});
