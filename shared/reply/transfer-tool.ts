import type { AgentConfig } from '../agent.ts';
import type { ToolCall, ToolDefinition } from '../llm/language-model.ts';
import { TRANSFER_TOOL } from '../transfer.ts';
import { readTarget, targetLines, targetParameters } from './named-target.ts';

export type TransferSettings = Pick<AgentConfig['call'], 'transfer_enabled' | 'transfer_targets'>;

export interface TransferRequest {
  call: ToolCall;
  name: string;
  /** E.164 */
  number: string;
  /** Why, in the model's words; may be empty. */
  reason: string;
}

/** Returns the tool with which the model transfers the caller; empty where the agent does not transfer. */
export function transferTool({ transfer_enabled, transfer_targets }: TransferSettings): ToolDefinition[] {
  if (!transfer_enabled || transfer_targets.length === 0) return [];
  return [
    {
      name: TRANSFER_TOOL,
      description: `Hands the caller over to a person. The caller is told and waits; when nobody can take the call you go on. ${targetLines(transfer_targets)}`,
      parameters: targetParameters(
        transfer_targets,
        'who is to take the call',
        'why the caller needs this person, in one sentence',
      ),
    },
  ];
}

/** Returns the requested transfer, or the reason for the model why it is invalid. */
export function parseTransferRequest(call: ToolCall, { transfer_targets }: TransferSettings): TransferRequest | string {
  const read = readTarget(call, transfer_targets);
  if (typeof read === 'string') return read;
  const { name, number } = read.target;
  return { call, name, number, reason: read.reason };
}
