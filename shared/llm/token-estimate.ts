import type { ChatRequest } from './language-model.ts';

/** Where no provider counts for us: four characters make a token, rounded up. */
export function estimateTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

/** Characters of everything a request sends to the model: lines, tool calls and tool definitions. */
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

/** Thoughts count against the limit of an answer; so many tokens are added for models that cannot keep from thinking. */
export const THINKING_TOKENS = 1_024;
