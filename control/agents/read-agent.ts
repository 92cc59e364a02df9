import { createBatchedLookup } from '../db/batched-lookup.ts';
import type { Sql } from '../db/connect.ts';
import { createResponseCache } from '../http/response-cache.ts';
import { type SerializedResponse, serialized, serializeResponse } from '../http/serialize-response.ts';
import { agentRecord, recordOf } from './agent-record.ts';
import { findAgentRowVersions, findAgents } from './store.ts';

/** Some thousands of usual agents. */
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;

export interface ReadAgentRequest {
  workspace_id: string;
  agent_id: string;
  zone: string;
  may_edit: boolean;
}

/**
 * The most frequent read of all: programs ask for their agents again and again. What was written is kept, but every request asks
 * the database whether it would be written the same now, by a mark that every change of the row moves (see `findAgentMarks`).
 *
 * @returns null when there is no such agent.
 */
export function createAgentReader(sql: Sql): (reading: ReadAgentRequest) => Promise<SerializedResponse | null> {
  const readMark = createBatchedLookup((names) => findAgentRowVersions(sql, names));
  const readAgent = createBatchedLookup((names) => findAgents(sql, names));
  const kept = createResponseCache(MAX_CACHED_CHARACTERS);

  return async ({ workspace_id, agent_id, zone, may_edit }) => {
    const agent = `${workspace_id} ${agent_id}`;
    // What the answer is made of beside the row: the zone its times are in, and who may see values of tool headers.
    const name = `${agent} ${zone} ${may_edit}`;
    if (kept.has(name)) {
      const mark = await readMark(agent);
      if (mark === null) return null;
      const json = kept.get(name, mark);
      if (json !== null) return serialized(json);
    }
    const found = await readAgent(agent);
    if (!found) return null;
    const json = serializeResponse(zone, agentRecord, recordOf(found.row, may_edit));
    kept.set(name, found.mark, json);
    return serialized(json);
  };
}
