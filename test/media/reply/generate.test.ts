import { describe, expect, it } from 'vitest';
import type { Piece } from '../../../media/playout/heard.ts';
import { generate } from '../../../media/reply/generate.ts';
import type { ChatPart, LanguageModel } from '../../../shared/llm/language-model.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

async function piecesOf(parts: ChatPart[], language?: string): Promise<Piece[]> {
  const pieces: Piece[] = [];
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
    onPiece: (piece) => pieces.push(piece),
  });
  await generation.done;
  return pieces;
}

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
