import type { AgentTool } from '../agent.ts';
import { boundedResult } from '../http-tool.ts';
import { valueAtPath } from '../json-path.ts';

export type CallVariables = Record<string, string | number | boolean>;

export interface ShapedResult {
  /** For the model. */
  result: string;
  variables: CallVariables;
}

const MAX_VALUE_CHARS = 1_000;

/**
 * What a tool's `results` make of a successful response: what the model gets of it, and the values of the call's variables. A text
 * that is no JSON, and a path that leads nowhere, change nothing.
 *
 * @param text the whole response, before it is cut for the model
 */
export function shapedResult({ path, variables }: AgentTool['results'], text: string, result: string): ShapedResult {
  if (path === '' && Object.keys(variables).length === 0) return { result, variables: {} };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { result, variables: {} };
  }
  const found = path === '' ? undefined : valueAtPath(json, path);
  const taken = Object.entries(variables).flatMap(([name, place]) => {
    const value = valueAtPath(json, place);
    return value === undefined || value === null ? [] : [[name, simple(value)] as const];
  });
  return {
    result: found === undefined ? result : boundedResult(typeof found === 'string' ? found : JSON.stringify(found)),
    variables: Object.fromEntries(taken),
  };
}

/** Variables are texts, numbers and booleans. */
function simple(value: unknown): string | number | boolean {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.slice(0, MAX_VALUE_CHARS).toWellFormed();
}
