import { z } from 'zod';
import type { AgentConfig } from '../../shared/agent.ts';
import { time } from '../http/times.ts';
import type { Verdict } from './judge.ts';
import { RUN_STATUSES, type RunStatus, type ScenarioInput } from './scenario-record.ts';
import type { TestItem } from './test-transcript.ts';
import { type RunRequest, type VoiceFigures, type VoiceRequest, voiceFigures } from './voice-run.ts';

const spokenItem = z.object({
  role: z.enum(['user', 'agent']).describe('`user` is the simulated caller'),
  text: z.string().describe('what was said'),
  at: time('when it was said'),
  interrupted: z.boolean().describe('the agent was talked over, and the text is what was played; always false in text'),
  transcribed: z
    .string()
    .optional()
    .describe("of the caller, aloud: what the agent's transcriber wrote; empty where it wrote nothing"),
});

const toolItem = z.object({
  role: z.literal('tool').describe('a tool that the agent called'),
  name: z.string().describe('of the tool'),
  args: z.record(z.string(), z.unknown()).describe('as the model wrote them'),
  result: z.string().describe('what the model received; empty for `end_call`'),
  at: time('when it was called'),
});

export const runRecord = z
  .object({
    id: z.string().describe('32 hex characters'),
    scenario_id: z.string().describe('the scenario, which may be removed since'),
    agent_id: z.string().describe('the agent that is tested'),
    scenario_name: z.string().describe('as when the run was queued'),
    agent_version: z.int().describe("the agent's saved version that is tested"),
    status: z.enum(RUN_STATUSES).describe('`queued`, then `running`, then `passed`, `failed` or `error`'),
    transcript: z
      .array(z.union([spokenItem, toolItem]))
      .describe('what was said and done, in order; empty before the end'),
    mode: z.enum(['text', 'voice']).describe('as it was asked for'),
    voice: voiceFigures.nullable().describe('what was measured aloud; null in text, before the end and after an error'),
    recording_url: z
      .string()
      .nullable()
      .describe('path of the recording, for a year: stereo WAV, caller left, agent right; null where there is none'),
    criteria: z
      .array(
        z.object({
          text: z.string().describe('the criterion'),
          passed: z.boolean().describe('whether it was met'),
          reason: z.string().describe('why, in one sentence'),
          quote: z.string().describe('words of the transcript that decide it; empty where none can'),
        }),
      )
      .describe('as the judge decided them; empty before the end and after an error'),
    error: z.string().describe('why there is no result; empty unless the status is `error`'),
    usage: z
      .object({
        llm_input_tokens: z.int().describe('of the agent, the caller and the judge together'),
        llm_output_tokens: z.int().describe('of the agent, the caller and the judge together'),
        llm_calls: z.int().describe('requests to language models'),
      })
      .describe('what it took'),
    cost_paise: z.int().describe('charged at the end; 0 after an error'),
    currency: z.enum(['INR', 'USD']).describe('the billing currency of the workspace'),
    started_by: z.string().describe('a person or the label of a key'),
    queued_at: time('when it was asked for'),
    started_at: time('when it was begun').nullable(),
    finished_at: time('when it was over').nullable(),
  })
  .meta({ id: 'TestRun' });

export type RunRecord = z.output<typeof runRecord>;

export interface RunUsage {
  llm_input_tokens: number;
  llm_output_tokens: number;
  llm_calls: number;
}

/** A row of `agent_test_runs`. */
export interface RunRow {
  workspace_id: string;
  id: string;
  scenario_id: string;
  agent_id: string;
  agent_version: number;
  scenario: ScenarioInput;
  agent: AgentConfig | null;
  mode: RunRequest['mode'];
  voice_request: VoiceRequest | null;
  voice: VoiceFigures | null;
  recorded: boolean;
  status: RunStatus;
  transcript: TestItem[];
  criteria: Verdict[];
  error: string;
  usage: RunUsage;
  cost_paise: number;
  currency: 'INR' | 'USD';
  started_by: string;
  queued_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

export function runRecordOf(row: RunRow): RunRecord {
  const { workspace_id, scenario, agent, transcript, voice_request, recorded, ...rest } = row;
  return {
    ...rest,
    recording_url: recorded && row.finished_at !== null ? `/api/v1/test-runs/${row.id}/recording` : null,
    scenario_name: scenario.name,
    // Times are milliseconds in the database, and written in the zone of the request.
    transcript: transcript.map(({ at_ms, ...item }) => ({ ...item, at: new Date(at_ms) })),
  };
}
