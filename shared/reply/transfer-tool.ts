import type { AgentConfig } from '../agent.ts';
import { readArguments } from '../http-tool.ts';
import type { ToolCall, ToolDefinition } from '../llm/language-model.ts';
import { TRANSFER_TOOL } from '../transfer.ts';

export type TransferSettings = Pick<AgentConfig['call'], 'transfer_enabled' | 'transfer_targets'>;

export interface TransferRequest {
  call: ToolCall;
  name: string;
  /** E.164 */
  number: string;
  /** Why, in the model's words; may be empty. */
  reason: string;
}

const MAX_REASON_CHARACTERS = 300;

/** Returns the tool with which the model transfers the caller; empty where the agent does not transfer. */
export function transferTool({ transfer_enabled, transfer_targets }: TransferSettings): ToolDefinition[] {
  if (!transfer_enabled || transfer_targets.length === 0) return [];
  const targets = transfer_targets.map(({ name, description }) =>
    description.trim() === '' ? `- ${name}` : `- ${name}: ${description.trim()}`,
  );
  return [
    {
      name: TRANSFER_TOOL,
      description: `Hands the caller over to a person. The caller is told and waits; when nobody can take the call you go on. Targets:\n${targets.join('\n')}`,
      parameters: parametersFor(transfer_targets.map(({ name }) => name)),
    },
  ];
}

/** Returns the requested transfer, or the reason for the model why it is invalid. */
export function parseTransferRequest(call: ToolCall, { transfer_targets }: TransferSettings): TransferRequest | string {
  const names = transfer_targets.map(({ name }) => name);
  const read = readArguments(parametersFor(names), call.arguments);
  const requested = 'args' in read ? read.args.target : undefined;
  const target = transfer_targets.find(({ name }) => name === requested);
  if (!('args' in read) || !target) return `There is no such target. The targets are: ${names.join(', ')}.`;
  const reason = typeof read.args.reason === 'string' ? read.args.reason.trim().slice(0, MAX_REASON_CHARACTERS) : '';
  return { call, name: target.name, number: target.number, reason };
}

const parametersFor = (names: string[]) => ({
  type: 'object',
  properties: {
    target: { type: 'string', enum: names, description: 'who is to take the call' },
    reason: { type: 'string', description: 'why the caller needs this person, in one sentence' },
  },
  required: ['target', 'reason'],
});
