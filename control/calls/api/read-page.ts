import { createSharedLookup } from '../../db/batched-lookup.ts';
import type { Sql } from '../../db/connect.ts';
import { createResponseCache } from '../../http/response-cache.ts';
import { type SerializedResponse, serialized } from '../../http/serialize-response.ts';
import { type CallFilters, type CallPage, hasVersion, listCalls, type PageStart, versionOfPage } from './list-calls.ts';

/** Holds about a thousand pages of twenty calls. */
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;
/** After it, what was erased is no longer in memory either. */
const MAX_AGE_MS = 60_000;

export interface PageQuery extends CallFilters, PageStart {
  limit: number;
}

export interface PageRequest {
  workspace_id: string;
  /** In which the times are written. */
  zone: string;
  query: PageQuery;
}

/**
 * Reads pages of calls through a cache of serialized responses, because the first ones are asked for again and again, and mostly by
 * several clients. Every request still asks the database for the version of the page (`versionOfPage`), and a cached response is used
 * only when it is the same. Requests for the same page that come in one turn of the event loop share their statements, which
 * begin after all of them, so each sees every change that was committed before it.
 */
export function createPageReader(
  sql: Sql,
  serialize: (request: PageRequest, page: CallPage) => Promise<string>,
): (request: PageRequest) => Promise<SerializedResponse> {
  const cache = createResponseCache(MAX_CACHED_CHARACTERS, { maxAgeMs: MAX_AGE_MS });
  const inTurn = createSharedLookup<string>();

  async function read(name: string, request: PageRequest): Promise<string> {
    const { workspace_id, query } = request;
    const { limit, skip, after, ...filters } = query;
    const start = { after, skip };
    if (hasVersion(filters, start) && cache.has(name)) {
      const json = cache.get(name, await versionOfPage(sql, workspace_id, filters, limit));
      if (json !== null) return json;
    }
    const page = await listCalls(sql, workspace_id, filters, limit, start);
    const json = await serialize(request, page);
    // A queued call's position changes with other calls.
    const isStored = page.version !== undefined && page.items.every(({ status }) => status !== 'queued');
    if (isStored) cache.set(name, page.version!, json);
    return json;
  }

  return async (request) => {
    const { workspace_id, zone, query } = request;
    const name = `${workspace_id} ${zone} ${JSON.stringify(query)}`;
    return serialized(await inTurn(name, () => read(name, request)));
  };
}
