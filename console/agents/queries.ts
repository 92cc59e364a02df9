import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { getAgents, getCatalog, getVoices, type Voice } from '../generated/api.ts';

/** The catalogue changes with the operator's settings only. */
const CATALOG_FRESH_MS = 300_000;

export const useAgents = () =>
  useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => ok(getAgents({}, { signal })) });

/** Models with their prices, and languages. */
export const useCatalog = () =>
  useQuery({
    queryKey: ['catalog'],
    queryFn: ({ signal }) => ok(getCatalog({}, { signal })),
    staleTime: CATALOG_FRESH_MS,
  });

/** The voices that a provider has for its model. */
export const useVoices = (provider: Voice['provider'], model: string, enabled = true) =>
  useQuery({
    queryKey: ['voices', provider, model],
    queryFn: ({ signal }) => ok(getVoices({ provider, ...(model && { model }) }, { signal })),
    staleTime: CATALOG_FRESH_MS,
    enabled,
  });
