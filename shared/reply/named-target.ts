import { readArguments } from '../http-tool.ts';
import type { ToolCall } from '../llm/language-model.ts';

/** Somebody the model may give the call to, as it knows them. */
export interface NamedTarget {
  name: string;
  /** When the call is given to them; may be empty. */
  description: string;
}

const MAX_REASON_CHARACTERS = 300;

/** Returns the targets as lines of a tool's description. */
export function targetLines(targets: readonly NamedTarget[]): string {
  const lines = targets.map(({ name, description }) => `- ${name}: ${description.trim()}`.replace(/: $/, ''));
  return `Targets:\n${lines.join('\n')}`;
}

/** Returns the JSON schema of a tool's arguments: one target of these by its name, and why. */
export const targetParameters = (targets: readonly NamedTarget[], who: string, why: string) => ({
  type: 'object',
  properties: {
    target: { type: 'string', enum: targets.map(({ name }) => name), description: who },
    reason: { type: 'string', description: why },
  },
  required: ['target', 'reason'],
});

/** Returns the target and the reason, which may be empty, or for the model why there is no such target. */
export function readTarget<Target extends NamedTarget>(
  call: ToolCall,
  targets: readonly Target[],
): { target: Target; reason: string } | string {
  const read = readArguments(targetParameters(targets, '', ''), call.arguments);
  const requested = 'args' in read ? read.args.target : undefined;
  const target = targets.find(({ name }) => name === requested);
  if (!('args' in read) || !target) {
    return `There is no such target. The targets are: ${targets.map(({ name }) => name).join(', ')}.`;
  }
  const reason = typeof read.args.reason === 'string' ? read.args.reason.trim().slice(0, MAX_REASON_CHARACTERS) : '';
  return { target, reason };
}
