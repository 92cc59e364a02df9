import { createBatchedLookup } from '../db/batched-lookup.ts';
import type { Sql } from '../db/connect.ts';
import { createResponseCache } from '../http/response-cache.ts';
import { type SerializedResponse, serialized, serializeResponse } from '../http/serialize-response.ts';
import { type ToolHeaders, withHeaderLists } from '../tools/seal-tool-headers.ts';
import { agentRecord, recordOf } from './agent-record.ts';
import { findAgentRowVersions, findAgents } from './store.ts';

/** Holds some thousands of usual agents. */
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;

export interface ReadAgentRequest {
  workspace_id: string;
  agent_id: string;
  zone: string;
  may_edit: boolean;
}

/**
 * Reads agents through a cache of serialized responses, because programs read their agents again and again. Every request
 * still asks the database for the row's version (`findAgentRowVersions`), and a cached response is used only when it is the
 * same.
 *
 * @returns null when there is no such agent.
 */
export function createAgentReader(
  sql: Sql,
  toolHeaders: Pick<ToolHeaders, 'open'>,
): (request: ReadAgentRequest) => Promise<SerializedResponse | null> {
  const readVersion = createBatchedLookup((names) => findAgentRowVersions(sql, names));
  const readAgent = createBatchedLookup((names) => findAgents(sql, names));
  const cache = createResponseCache(MAX_CACHED_CHARACTERS);

  return async ({ workspace_id, agent_id, zone, may_edit }) => {
    const agent = `${workspace_id} ${agent_id}`;
    // Besides the row, the response depends on the time zone and on the permission to see header values.
    const name = `${agent} ${zone} ${may_edit}`;
    if (cache.has(name)) {
      const version = await readVersion(agent);
      if (version === null) return null;
      const json = cache.get(name, version);
      if (json !== null) return serialized(json);
    }
    const found = await readAgent(agent);
    if (!found) return null;
    const { row } = found;
    const opened = may_edit ? withHeaderLists(row, (items) => toolHeaders.open(workspace_id, items)) : row;
    const json = serializeResponse(zone, agentRecord, recordOf(opened, may_edit));
    cache.set(name, found.version, json);
    return serialized(json);
  };
}
