import { expect, it } from 'vitest';
import { UNTRANSCRIBED } from '../../../shared/llm/prompt.ts';
import { createHarness } from '../../support/harness.ts';

/** A model that hears is asked before the caller's words are known. */

/** Says a second of speech whose words come after this long, or never. */
function saysUntranscribed(
  harness: ReturnType<typeof createHarness>,
  part: number,
  text: string | null,
  afterMs: number,
) {
  harness.speak(1_000);
  harness.clock.after(1_400, () => harness.transcriberSays({ type: 'untranscribed', turn: part, text: '' }));
  if (text !== null)
    harness.clock.after(1_000 + afterMs, () => harness.transcriberSays({ type: 'final', turn: part, text }));
}

const open = () => createHarness({ decidesTurns: false, finalisationMs: 300, endpointingMs: 300 });
const asked = (harness: ReturnType<typeof createHarness>) =>
  harness.requests.map(({ messages }) => messages.slice(1).map(({ role, content }) => `${role}: ${content}`));

it('the turn is answered without its words, which get their place in transcript and history later', async () => {
  const harness = open();
  harness.conversation.start();
  saysUntranscribed(harness, 0, 'book a table', 1_500);
  await harness.clock.advance(6_000);
  saysUntranscribed(harness, 1, 'for two', 500);
  await harness.clock.advance(6_000);
  expect(asked(harness)).toEqual([
    [`user: ${UNTRANSCRIBED}`],
    ['user: book a table', 'assistant: Yes of course.', 'user: for two'],
  ]);
  expect(harness.transcript()).toEqual([
    'user: book a table',
    'agent: Yes of course.',
    'user: for two',
    'agent: Yes of course.',
  ]);
  const turns = harness.emitted.filter(({ type }) => type === 'user.turn');
  expect(turns.map(({ data }) => data)).toEqual([{ late: true }, {}]);
});

it('words that come in time are waited for', async () => {
  const harness = open();
  harness.conversation.start();
  saysUntranscribed(harness, 0, 'book a table', 450);
  await harness.clock.advance(6_000);
  expect(asked(harness)).toEqual([['user: book a table']]);
});

it('speech that turns out to have had no words leaves no line', async () => {
  const harness = open();
  harness.conversation.start();
  saysUntranscribed(harness, 0, '', 1_500);
  await harness.clock.advance(6_000);
  harness.close();
  expect(harness.transcript()).toEqual(['agent: Yes of course.']);
});

it('words that never come are missing in the transcript, and their place is not', async () => {
  const harness = open();
  harness.conversation.start();
  saysUntranscribed(harness, 0, null, 0);
  await harness.clock.advance(6_000);
  harness.close();
  expect(harness.transcript()).toContain(`user: ${UNTRANSCRIBED}`);
});

it('words that never come do not keep back what is said after them', async () => {
  const harness = open();
  harness.conversation.start();
  saysUntranscribed(harness, 0, null, 0);
  await harness.clock.advance(30_000);
  saysUntranscribed(harness, 1, 'for two', 500);
  await harness.clock.advance(6_000);
  expect(harness.transcript()).toEqual([
    `user: ${UNTRANSCRIBED}`,
    'agent: Yes of course.',
    'user: for two',
    'agent: Yes of course.',
  ]);
});
