import { HttpError } from '@oazapfts/runtime';
import { QueryCache, QueryClient } from '@tanstack/preact-query';

/** What was read is shown at once when it is asked for again, and read again after this time. */
const FRESH_MS = 10_000;
const RETRIES = 2;

const statusOf = (error: unknown): number => (error instanceof HttpError ? error.status : 0);

/** Reads the API for the pages: keeps what was read, tries again what may pass, and reports the end of the session. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (statusOf(error) === 401) onSignedOut();
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // 4xx is an answer; asking again would not change it.
        retry: (failures, error) => failures < RETRIES && (statusOf(error) === 0 || statusOf(error) >= 500),
      },
    },
  });
}
