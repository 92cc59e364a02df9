import { z } from 'zod';

/** How the agent's tools of kind `client` are run at the other end of a call: the messages of a browser's call and of a client's stream. */

/**
 * The other end is to run a tool and to answer with `tool_result` within `timeout_ms`. It comes again after a reconnect: each
 * `tool_call_id` is run once.
 */
export interface ToolCallMessage {
  type: 'tool_call';
  tool_call_id: string;
  name: string;
  arguments: Record<string, unknown>;
  timeout_ms: number;
}

/** Within a message of 64 KiB in any script, escapes included. */
export const MAX_TOOL_RESULT_CHARS = 10_000;

/** What a `tool_call` brought: a text for the model, JSON for instance; with `failed`, why it could not be run. */
export const toolResultFields = {
  tool_call_id: z.string().max(64),
  result: z.string().max(MAX_TOOL_RESULT_CHARS),
  failed: z.boolean().default(false),
};
