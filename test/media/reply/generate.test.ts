import { describe, expect, it } from 'vitest';
import type { TextSegment } from '../../../media/playout/spoken-text.ts';
import { generate } from '../../../media/reply/generate.ts';
import type { ChatPart, LanguageModel } from '../../../shared/llm/language-model.ts';
import { type Completed, MAX_TOOL_CALLS } from '../../../shared/reply/complete.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

async function complete(
  parts: ChatPart[],
  language?: string,
): Promise<{ segments: TextSegment[]; generated: Completed | null }> {
  const segments: TextSegment[] = [];
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
    onSegment: (segment) => segments.push(segment),
  });
  return { generated: await generation.done, segments };
}

const segmentsOf = async (parts: ChatPart[], language?: string) => (await complete(parts, language)).segments;

describe('the segments of a completion', () => {
  const parts: ChatPart[] = ['It is ₹1,2', '5,0', '00 for D', 'r. Rao.'].map((text) => ({ type: 'text', text }));
  const original = 'It is ₹1,25,000 for Dr. Rao.';

  it('are in words in the language of the voice', async () => {
    const spoken = 'It is one lakh twenty five thousand rupees for Doctor Rao.';
    expect(await segmentsOf(parts, 'en-IN')).toMatchObject([{ spoken, original }]);
  });

  it('are as written without a language', async () => {
    expect(await segmentsOf(parts)).toEqual([{ spoken: original, original }]);
  });
});

it('tool calls beyond the limit are ignored, and the text is still spoken', async () => {
  const calls = Array.from({ length: 1_000 }, (_, at): ChatPart => {
    return { type: 'tool_call', call: { id: `c${at}`, name: 'find_table', arguments: '{}' } };
  });
  const { generated, segments } = await complete([...calls, { type: 'text', text: 'One moment.' }]);
  expect(generated!.toolCalls).toHaveLength(MAX_TOOL_CALLS);
  expect(segments).toHaveLength(1);
});
