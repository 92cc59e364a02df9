import type { ChatRequest } from './language-model.ts';

/** An estimate where the provider reports none: four characters per token, rounded up. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4);
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
