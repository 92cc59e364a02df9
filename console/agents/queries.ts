import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { getAgents, getCatalog } from '../generated/api.ts';

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
