import type { AgentConfig } from '../agent.ts';
import { HANDOFF_TOOL } from '../handoff.ts';
import type { ToolCall, ToolDefinition } from '../llm/language-model.ts';
import { type NamedTarget, readTarget, targetLines, targetParameters } from './named-target.ts';

export type HandoffSettings = Pick<AgentConfig['call'], 'handoffs'>;
export type Handoff = HandoffSettings['handoffs'][number];

/**
 * Returns the one tool with which the model lets another agent go on with the call; empty without targets. One with the targets as an
 * enum, like transfers, and not one for each: a single name is reserved, and names of targets need not be names of tools.
 */
export function handoffTool(handoffs: readonly NamedTarget[]): ToolDefinition[] {
  if (handoffs.length === 0) return [];
  return [
    {
      name: HANDOFF_TOOL,
      description: `Lets another agent go on with this call. The caller stays connected and the other agent speaks at once: say nothing about it. ${targetLines(handoffs)}`,
      parameters: targetParameters(
        handoffs,
        'which agent goes on',
        'why, and what the caller wants of it, in one sentence',
      ),
    },
  ];
}

export interface HandoffRequest {
  call: ToolCall;
  handoff: Handoff;
  /** Why, in the model's words; may be empty. */
  reason: string;
}

/** Returns the requested handoff, or the reason for the model why it is invalid. */
export function parseHandoffRequest(call: ToolCall, { handoffs }: HandoffSettings): HandoffRequest | string {
  const read = readTarget(call, handoffs);
  return typeof read === 'string' ? read : { call, handoff: read.target, reason: read.reason };
}
