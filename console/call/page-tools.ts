import type { ToBrowser } from '../../shared/web-signalling.ts';

/**
 * Runs a tool of the agent in the page and returns what the model gets: a text, or anything that JSON can hold. What it throws, or rejects with, is
 * told to the model as a failure.
 */
export type OnToolCall = (name: string, args: Record<string, unknown>) => unknown;

/** `MAX_TOOL_RESULT_CHARS` of the signalling, whose schemas do not belong into a page. */
const MAX_RESULT_CHARS = 10_000;

export interface ToolAnswer {
  tool_call_id: string;
  result: string;
  failed: boolean;
}

/** Answers the engine's tool calls: each id runs once, also when it comes again after a reconnect. Never rejects. */
export function createToolAnswers(run: OnToolCall | undefined) {
  const answers = new Map<string, Promise<ToolAnswer>>();

  async function answer({ tool_call_id, name, arguments: args }: ToolCall): Promise<ToolAnswer> {
    try {
      if (!run) throw new Error('this page runs no tools');
      const value = await run(name, args);
      const result = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
      return { tool_call_id, result: result.slice(0, MAX_RESULT_CHARS), failed: false };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { tool_call_id, result: why.slice(0, 500), failed: true };
    }
  }

  return (call: ToolCall): Promise<ToolAnswer> => {
    const known = answers.get(call.tool_call_id) ?? answer(call);
    answers.set(call.tool_call_id, known);
    return known;
  };
}

type ToolCall = Extract<ToBrowser, { type: 'tool_call' }>;
