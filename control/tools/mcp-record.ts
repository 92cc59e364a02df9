import { z } from 'zod';
import { mcpServerSchema } from '../../shared/agent.ts';

export const mcpListBody = z.object({
  server: mcpServerSchema.describe("an agent's `mcp_servers[]`"),
  agent_id: z
    .string()
    .max(64)
    .optional()
    .describe("header values sent as `***` are those of this agent's saved server of the same name"),
});

export const mcpListRecord = z
  .object({
    server_name: z.string().describe('as the server calls itself; empty when it did not answer'),
    protocol: z.string().describe('revision of the protocol, such as `2025-11-25`; empty when it did not answer'),
    latency_ms: z.int().describe('milliseconds to connect and to list'),
    tools: z
      .array(
        z.object({
          name: z.string().describe('as the server calls it'),
          called: z.string().describe('as the model would call it; empty for a tool that it does not get'),
          description: z.string().describe('cut to 1,000 characters'),
          parameters: z.record(z.string(), z.unknown()).describe('JSON Schema of the arguments'),
          problem: z.string().describe('why the model does not get it; empty when it does'),
        }),
      )
      .describe('what the server has'),
    error: z.string().describe('why there is no list; empty when there is one'),
  })
  .meta({ id: 'McpToolList' });
