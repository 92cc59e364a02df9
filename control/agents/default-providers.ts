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

function withProviders(sent: unknown, defaults: DefaultProviders): unknown {
  if (!isObject(sent)) return sent;
  const filled: Record<string, unknown> = { ...sent };
  for (const [part, provider] of Object.entries(defaults)) {
    const section = sent[part] ?? {};
    // What has the wrong type is left to the validation.
    if (sent[part] === null || !isObject(section)) continue;
    const { fallbacks } = section;
    filled[part] = {
      ...withProvider(section, provider),
      ...(Array.isArray(fallbacks) && {
        fallbacks: fallbacks.map((each) => (isObject(each) ? withProvider(each, provider) : each)),
      }),
    };
  }
  return filled;
}

const withProvider = (section: Record<string, unknown>, provider: string) =>
  section.provider === undefined ? { ...section, provider } : section;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
