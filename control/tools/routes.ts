import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { pathId } from '../http/query.ts';
import { route } from '../http/route.ts';
import type { createMcpList } from './list-mcp-tools.ts';
import type { createTools } from './manage-tools.ts';
import { mcpListBody, mcpListRecord } from './mcp-record.ts';
import type { createToolTest } from './test-tool.ts';
import { testBody, testRecord, toolBody, toolRecord } from './tool-record.ts';

const TAG = 'Tools';
const params = z.object({ tool_id: pathId('tool') });

export interface ToolRoutesDeps {
  listMcpTools: ReturnType<typeof createMcpList>;
  tools: ReturnType<typeof createTools>;
  testTool: ReturnType<typeof createToolTest>;
}

export function toolRoutes(app: FastifyInstance, { tools, testTool, listMcpTools }: ToolRoutesDeps): void {
  route(app, {
    method: 'GET',
    path: '/api/v1/tools',
    tag: TAG,
    summary: "The workspace's saved tools, newest first",
    credential: 'key',
    permission: 'agents.view',
    schema: { response: z.array(toolRecord) },
    success: 200,
    handler: async (_input, { workspace_id, may }) => tools.list(workspace_id, may('agents.edit')),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/tools',
    tag: TAG,
    summary: 'Save a tool; adding it to an agent copies it',
    credential: 'key',
    permission: 'agents.edit',
    schema: { body: toolBody, response: toolRecord },
    success: 201,
    errors: [409],
    handler: async ({ body }, { workspace_id, actor }) => tools.create(workspace_id, actor, body),
  });

  route(app, {
    method: 'PUT',
    path: '/api/v1/tools/{tool_id}',
    tag: TAG,
    summary: 'Replace a saved tool; agents that copied it stay as they are',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params, body: toolBody, response: toolRecord },
    success: 200,
    errors: [404, 409],
    handler: async ({ params, body }, { workspace_id, actor }) =>
      tools.update(workspace_id, params.tool_id, actor, body),
  });

  route(app, {
    method: 'DELETE',
    path: '/api/v1/tools/{tool_id}',
    tag: TAG,
    summary: 'Remove a saved tool; agents that copied it stay as they are',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params },
    success: 204,
    errors: [404],
    handler: async ({ params }, { workspace_id, actor }) => tools.remove(workspace_id, params.tool_id, actor),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/tools/test',
    tag: TAG,
    summary: 'Send one request of a tool and see what the model would receive; 200 also when the endpoint failed',
    credential: 'key',
    permission: 'agents.edit',
    schema: { body: testBody, response: testRecord },
    success: 200,
    errors: [404, 409],
    handler: async ({ body }, { workspace_id, actor }) => testTool(workspace_id, actor, body),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/tools/mcp',
    tag: TAG,
    summary:
      'List the tools of an MCP server and see which the model would get; 200 also when the server does not answer',
    credential: 'key',
    permission: 'agents.edit',
    schema: { body: mcpListBody, response: mcpListRecord },
    success: 200,
    errors: [409],
    handler: async ({ body }, { workspace_id, actor }) => listMcpTools(workspace_id, actor, body),
  });
}
