import { z } from 'zod';
import { type AgentTool, agentToolSchema, END_CALL_TOOL } from '../../shared/agent.ts';
import { time } from '../http/times.ts';
import { shownTools } from './mask-tool-headers.ts';

/** What a client sends: a tool by the rules of an agent's `tools[]`. */
export const toolBody = agentToolSchema
  .refine(({ name }) => name !== END_CALL_TOOL, {
    path: ['name'],
    message: `the tool ${END_CALL_TOOL} is built in`,
  })
  .refine(({ url }) => url !== '', { path: ['url'], message: 'an HTTP tool needs a url' })
  .refine(({ kind }) => kind === 'http', { path: ['kind'], message: 'a tool of the page belongs to its agent only' });

/** The API's tool library entry. */
export const toolRecord = z
  .object({
    id: z.string().describe('32 hex characters'),
    ...agentToolSchema.shape,
    name: agentToolSchema.shape.name.describe('unique in the workspace; what the model and the timeline call it'),
    used_by_agents: z.int().describe('agents with a tool of this name and url'),
    created_by: z.string().describe('a name'),
    created_at: time(),
    updated_at: time(),
  })
  .meta({ id: 'Tool' });

export type ToolRecord = z.output<typeof toolRecord>;

/** A row of `tools`; the header values are sealed. */
export interface ToolRow extends AgentTool {
  id: string;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

/** Header values are shown only with the permission to edit agents. */
export function recordOf(row: ToolRow, usedByAgents: number, mayEdit: boolean): ToolRecord {
  return { ...shownTools([row], mayEdit)[0]!, used_by_agents: usedByAgents };
}

export const testBody = z
  .object({
    tool: toolBody.optional().describe('the tool to test; left out: the saved one'),
    tool_id: z.string().max(64).optional().describe('a saved tool; header values sent as `***` are taken from it'),
    arguments: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('as the model would give them; checked against `parameters`; at most 100,000 characters of JSON'),
  })
  .refine(({ tool, tool_id }) => tool !== undefined || tool_id !== undefined, {
    path: ['tool'],
    message: 'tool or tool_id is needed',
  });

export const testRecord = z
  .object({
    status: z.int().describe('HTTP status of the response; 0 when there was none'),
    latency_ms: z.int().describe('milliseconds from the request to the end of the response'),
    request: z
      .object({
        method: z.enum(['GET', 'POST']).describe('as the tool says'),
        url: z.string().describe('with the query, without user name and password'),
        headers: z.record(z.string(), z.string()).describe("values of the tool's own headers are `***`"),
        body: z.string().nullable().describe('the JSON that was sent; null for GET'),
      })
      .describe('what was sent'),
    response_headers: z
      .record(z.string(), z.string())
      .describe('names in lower case; 100 at most, values cut to 1,000 characters; empty without a response'),
    result: z.string().describe('what the model would receive, cut to 3,000 characters'),
    variables: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .describe('what variables of the call would get of it'),
    error: z.string().describe('why there was no response, like `timeout`; empty for a response of any status'),
  })
  .meta({ id: 'ToolTest' });
