import { LLM_PROVIDERS } from '../../shared/providers/registry.ts';
import type { AnySql, Fragment } from '../db/connect.ts';

/** Language models that replace the agents' own when those fail; set by the operator. */

export const MAX_MODEL_FALLBACKS = 3;

/** Parses `provider/model`, where the model's name may hold slashes; returns an error text otherwise. */
export function parseModelName(text: string): { provider: string; model: string } | string {
  const slash = text.indexOf('/');
  const provider = text.slice(0, slash);
  const model = text.slice(slash + 1);
  if (slash < 1 || !(LLM_PROVIDERS as readonly string[]).includes(provider) || !/^[\w.:/-]{1,100}$/.test(model)) {
    return `"${text}" is no model: write provider/model, the provider one of ${LLM_PROVIDERS.join(', ')}`;
  }
  return { provider, model };
}

/** Replaces the list. @returns an error, or null. */
export async function setModelFallbacks(
  sql: AnySql,
  workspaceId: string,
  names: readonly string[],
): Promise<string | null> {
  if (names.length > MAX_MODEL_FALLBACKS) return `at most ${MAX_MODEL_FALLBACKS} models`;
  for (const name of names) {
    const read = parseModelName(name);
    if (typeof read === 'string') return read;
  }
  await sql`update workspaces set llm_fallbacks = ${[...names]} where id = ${workspaceId}`;
  return null;
}

/** The list as a part of a statement. */
export const modelFallbacks = (sql: AnySql, workspaceId: Fragment) => sql`(
    select llm_fallbacks from workspaces where workspaces.id = ${workspaceId}
  )`;

export async function modelFallbacksOf(sql: AnySql, workspaceId: string): Promise<string[]> {
  const [row] = await sql<
    { llm_fallbacks: string[] }[]
  >`select llm_fallbacks from workspaces where id = ${workspaceId}`;
  return row?.llm_fallbacks ?? [];
}
