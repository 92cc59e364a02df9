import { z } from 'zod';
import { userDataInput } from '../calls/call-record.ts';
import { time } from '../http/times.ts';

/** A scenario as clients send it and as the API returns it. */

export const RUN_STATUSES = ['queued', 'running', 'passed', 'failed', 'error'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

const MAX_TOOL_RESULTS = 50;
const MAX_TOOL_RESULT_CHARACTERS = 3_000;

const scenarioFields = {
  name: z.string().trim().min(1).max(120).describe('for display'),
  persona: z.string().trim().min(1).max(4_000).describe('who the caller is and what they want'),
  first_message: z.string().max(500).default('').describe('what the caller says first; empty: the caller waits'),
  user_data: userDataInput.default({}),
  criteria: z
    .array(z.string().trim().min(3).max(500))
    .min(1)
    .max(10)
    .describe('what must be true of the conversation; the run passes when all are'),
  max_turns: z.int().min(2).max(40).default(12).describe('the conversation ends after so many turns of the caller'),
  language: z
    .string()
    .regex(/^$|^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8}){0,2}$/)
    .default('')
    .describe("language the caller speaks, a tag such as `hi` or `en-IN`; empty: the agent's"),
  tool_results: z
    .record(z.string().min(1).max(64), z.string().max(MAX_TOOL_RESULT_CHARACTERS))
    .refine((results) => Object.keys(results).length <= MAX_TOOL_RESULTS, `at most ${MAX_TOOL_RESULTS} tools`)
    .default({})
    .describe(
      'tool name → text the model receives; a tool without an entry answers `ok`, and no request is sent. With an entry for `transfer_call` the caller comes back to the agent with this text',
    ),
};

export const scenarioBody = z.object(scenarioFields);

/** What a caller is like and what is expected of the agent. */
export type ScenarioInput = z.output<typeof scenarioBody>;

export const scenarioDraft = z
  .object(scenarioFields)
  .describe('a scenario that is not saved')
  .meta({ id: 'TestScenarioDraft' });

export const scenarioRecord = z
  .object({
    id: z.string().describe('32 hex characters'),
    agent_id: z.string().describe('the agent that is tested'),
    ...scenarioFields,
    last_run: z
      .object({
        id: z.string().describe('the id of the run'),
        status: z.enum(RUN_STATUSES).describe('`passed`, `failed` and `error` are final'),
        finished_at: time('when it was over').nullable(),
      })
      .nullable()
      .describe('the run that was queued last; null while there is none'),
    created_by: z.string().describe('a person or the label of a key'),
    created_at: time(),
    updated_at: time(),
  })
  .meta({ id: 'TestScenario' });

export type ScenarioRecord = z.output<typeof scenarioRecord>;

/** A row of `agent_test_scenarios` with its last run. */
export interface ScenarioRow extends ScenarioInput {
  id: string;
  agent_id: string;
  created_by: string;
  created_at: Date;
  updated_at: Date;
  last_run_id: string | null;
  last_run_status: RunStatus | null;
  last_run_finished_at: Date | null;
}

export function recordOf(row: ScenarioRow): ScenarioRecord {
  const { last_run_id: id, last_run_status: status, last_run_finished_at: finished_at, ...scenario } = row;
  return { ...scenario, last_run: id === null || status === null ? null : { id, status, finished_at } };
}
