import { batchLookups } from '../db/batched-lookup.ts';
import type { Sql } from '../db/connect.ts';
import { createKeptAnswers } from '../http/kept-answers.ts';
import { writeAnswer } from '../http/write-answer.ts';
import { type WrittenAnswer, written } from '../http/written-answer.ts';
import { agentRecord, recordOf } from './record.ts';
import { findAgentMarks, findAgents } from './store.ts';

/** Some thousands of usual agents. */
const KEPT_CHARACTERS = 16 * 1024 * 1024;

export interface AgentReading {
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
export function createAgentReader(sql: Sql): (reading: AgentReading) => Promise<WrittenAnswer | null> {
  const readMark = batchLookups((names) => findAgentMarks(sql, names));
  const readAgent = batchLookups((names) => findAgents(sql, names));
  const kept = createKeptAnswers(KEPT_CHARACTERS);

  return async ({ workspace_id, agent_id, zone, may_edit }) => {
    const agent = `${workspace_id} ${agent_id}`;
    // What the answer is made of beside the row: the zone its times are in, and who may see values of tool headers.
    const name = `${agent} ${zone} ${may_edit}`;
    if (kept.has(name)) {
      const mark = await readMark(agent);
      if (mark === null) return null;
      const json = kept.find(name, mark);
      if (json !== null) return written(json);
    }
    const found = await readAgent(agent);
    if (!found) return null;
    const json = writeAnswer(zone, agentRecord, recordOf(found.row, may_edit));
    kept.keep(name, found.mark, json);
    return written(json);
  };
}
