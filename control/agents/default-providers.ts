import { z } from 'zod';
import { agentConfigSchema, agentDraftSchema } from '../../shared/agent.ts';
import type { DefaultProviders } from '../catalog/available-providers.ts';

/**
 * The schemas of an agent as it is sent, where a provider that is left out is the first that this service has credentials for.
 * In stored configurations every provider is named.
 */
export function agentSchemasWith(defaults: DefaultProviders) {
  const fill = (sent: unknown) => withProviders(sent, defaults);
  return { agent: z.preprocess(fill, agentConfigSchema), draft: z.preprocess(fill, agentDraftSchema) };
}

export type AgentSchemas = ReturnType<typeof agentSchemasWith>;

/** Their items name a provider of their own. */
const LISTS = ['fallbacks', 'by_language'] as const;

function withProviders(sent: unknown, defaults: DefaultProviders): unknown {
  if (!isObject(sent)) return sent;
  const filled: Record<string, unknown> = { ...sent };
  for (const [part, provider] of Object.entries(defaults)) {
    const section = sent[part] ?? {};
    // What has the wrong type is left to the validation.
    if (sent[part] === null || !isObject(section)) continue;
    const lists = LISTS.flatMap((name) => {
      const list = section[name];
      return Array.isArray(list)
        ? [[name, list.map((each) => (isObject(each) ? withProvider(each, provider) : each))]]
        : [];
    });
    filled[part] = { ...withProvider(section, provider), ...Object.fromEntries(lists) };
  }
  return filled;
}

const withProvider = (section: Record<string, unknown>, provider: string) =>
  section.provider === undefined ? { ...section, provider } : section;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
