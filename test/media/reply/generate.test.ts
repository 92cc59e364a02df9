import { describe, expect, it } from 'vitest';
import type { TextSegment } from '../../../media/playout/spoken-text.ts';
import { type Generated, generate, MAX_TOOL_CALLS } from '../../../media/reply/generate.ts';
import type { ChatPart, LanguageModel } from '../../../shared/llm/language-model.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

async function complete(
  parts: ChatPart[],
  language?: string,
): Promise<{ pieces: TextSegment[]; generated: Generated | null }> {
  const pieces: TextSegment[] = [];
  const model: LanguageModel = {
    provider: 'scripted',
    model: 'scripted',
    async *stream() {
      yield* parts;
    },
    warm: async () => {},
  };
  const generation = generate({
    model,
    messages: [],
    tools: [],
    temperature: 0,
    maxTokens: 100,
    clock: createVirtualClock(),
    ...(language === undefined ? {} : { language }),
    onFirstToken: () => {},
    onSegment: (piece) => pieces.push(piece),
  });
  return { generated: await generation.done, pieces };
}

const piecesOf = async (parts: ChatPart[], language?: string) => (await complete(parts, language)).pieces;

describe('the pieces of a completion', () => {
  const parts: ChatPart[] = ['It is ₹1,2', '5,0', '00 for D', 'r. Rao.'].map((text) => ({ type: 'text', text }));
  const original = 'It is ₹1,25,000 for Dr. Rao.';

  it('are in words for the language of the voice', async () => {
    const spoken = 'It is one lakh twenty five thousand rupees for Doctor Rao.';
    expect(await piecesOf(parts, 'en-IN')).toMatchObject([{ spoken, original }]);
  });

  it('are as written without one', async () => {
    expect(await piecesOf(parts)).toEqual([{ spoken: original, original }]);
  });
});

it('is held to so many tool calls, and says its words all the same', async () => {
  const calls = Array.from({ length: 1_000 }, (_, at): ChatPart => {
    return { type: 'tool_call', call: { id: `c${at}`, name: 'find_table', arguments: '{}' } };
  });
  const { generated, pieces } = await complete([...calls, { type: 'text', text: 'One moment.' }]);
  expect(generated!.toolCalls).toHaveLength(MAX_TOOL_CALLS);
  expect(pieces).toHaveLength(1);
});
