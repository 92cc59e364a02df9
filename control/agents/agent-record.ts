import { z } from 'zod';
import { type AgentConfig, agentFields } from '../../shared/agent.ts';
import { variablesOf } from '../../shared/variables.ts';
import { time } from '../http/times.ts';
import { shownTools } from '../tools/mask-tool-headers.ts';
import { withHeaderLists } from '../tools/seal-tool-headers.ts';
import type { Warning } from './check-providers.ts';

/** The API's Agent: its configuration and its state. */
export const agentRecord = z
  .object({
    id: z.string().describe('32 hex characters'),
    ...agentFields.shape,
    phone_number: z.string().describe('number that answers for this agent'),
    status: z.enum(['active', 'paused', 'frozen']).describe('a frozen agent takes and places no calls'),
    version: z.int().describe('increases with every saved change'),
    updated_by: z.string().describe('who made the last change'),
    created_at: time(),
    updated_at: time(),
    frozen_at: time().nullable(),
    frozen_reason: z.string().describe('the rule that was broken; set when frozen'),
    frozen_incident_id: z.string().describe('the incident that froze it; empty otherwise'),
    frozen_from: z.string().describe('the status before'),
    variables: z.array(z.string()).describe('every `{variable}` used by the welcome message and prompt, in order'),
  })
  .meta({ id: 'Agent' });

/** The agent as the answer to saving it. */
export const savedAgentRecord = agentRecord
  .extend({
    warnings: z
      .array(
        z.object({
          loc: z.array(z.union([z.string(), z.int()])).describe('the field, as in a 422'),
          msg: z.string().describe('what is saved instead, or has no effect'),
        }),
      )
      .optional()
      .describe('settings that its providers take in part or not at all; left out when there are none'),
  })
  .meta({ id: 'SavedAgent' });

export type AgentRecord = z.output<typeof agentRecord>;

/** A row of `agents` with the agent's number; the values of its tools' headers are sealed. */
export type AgentRow = Omit<AgentConfig, 'status'> & {
  id: string;
  status: 'active' | 'paused' | 'frozen';
  phone_number: string;
  version: number;
  updated_by: string;
  created_at: Date;
  updated_at: Date;
  frozen_at: Date | null;
  frozen_reason: string;
  frozen_incident_id: string;
  frozen_from: string;
};

/** Values of tool headers are shown only with the permission to edit agents. */
export function recordOf(row: AgentRow, mayEdit: boolean): AgentRecord {
  return {
    ...withHeaderLists(row, (items) => shownTools(items, mayEdit)),
    variables: variablesOf(row.welcome_message, row.system_prompt),
  };
}

/** What was saved, with what its providers take in part or not at all. */
export interface Saved {
  row: AgentRow;
  warnings: Warning[];
}

export function savedRecordOf({ row, warnings }: Saved, mayEdit: boolean): z.output<typeof savedAgentRecord> {
  return { ...recordOf(row, mayEdit), ...(warnings.length > 0 && { warnings }) };
}

/** `If-Match` of a change that must not overwrite another change. */
export const ifMatch = z.object({
  'if-match': z
    .string()
    .regex(/^"?\d{1,9}"?$/)
    .transform((text) => Number(text.replaceAll('"', '')))
    .optional()
    .describe('the version the change was made from; another one answers 409'),
});
