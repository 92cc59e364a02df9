import type { ChatRequest } from './language-model.ts';

/** An estimate where the provider reports none: four characters per token, rounded up. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/**
 * An estimate of a text's tokens that is rather too high, for what has to fit. ASCII has about four characters a token in words and
 * three in JSON; Devanagari about two with recent tokenizers (o200k 2.7 tokens a word, Llama 3 3.7) and one with older ones.
 * Source: a benchmark of 17 tokenizers on Nepali and English, siddhantskarki.com/case-studies/nepali-tokenizer.
 */
export function estimateTextTokens(text: string): number {
  let thirds = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // A surrogate is half of a character such as an emoji, of two tokens.
    thirds += code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
  }
  return Math.ceil(thirds / 3);
}

/** Characters of a request: messages, tool calls and tool definitions. */
export function requestCharacters(request: Pick<ChatRequest, 'messages' | 'tools'>): number {
  let characters = 0;
  for (const message of request.messages) {
    characters += message.content.length;
    if (message.role !== 'assistant') continue;
    for (const call of message.tool_calls ?? []) characters += call.name.length + call.arguments.length;
  }
  for (const tool of request.tools) {
    characters += tool.name.length + tool.description.length + JSON.stringify(tool.parameters).length;
  }
  return characters;
}

/** Added to the token limit of models whose thinking cannot be disabled, because it counts against the limit. */
export const THINKING_TOKENS = 1_024;
