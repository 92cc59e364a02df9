import type { z } from 'zod';
import type { AgentTool } from '../../shared/agent.ts';
import type { Clock } from '../../shared/clock.ts';
import { callHttpTool } from '../../shared/http-tool.ts';
import { ID_PATTERN } from '../../shared/ids.ts';
import { schemaProblems } from '../../shared/json-schema.ts';
import { shapedResult } from '../../shared/reply/shaped-result.ts';
import type { SafeFetch } from '../../shared/safe-fetch.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { Sql } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { createConcurrencyLimiter } from '../http/concurrency-limiter.ts';
import { HttpError, notFound, validationError } from '../http/errors.ts';
import { restoredHeaders } from './mask-tool-headers.ts';
import { openedTools, type ToolHeaders } from './seal-tool-headers.ts';
import { findTool } from './store.ts';
import type { testBody, testRecord } from './tool-record.ts';

/** Per workspace, in this process. */
const MAX_CONCURRENT_TESTS = 3;
const MAX_ARGUMENTS_CHARS = 100_000;
const MAX_RESPONSE_HEADERS = 100;
const MAX_HEADER_CHARS = 1_000;

export interface TestToolDeps {
  sql: Sql;
  clock: Clock;
  /** Reaches the public internet only. */
  safeFetch: SafeFetch;
  toolHeaders: ToolHeaders;
}

/** Sends one request as a call would, and returns what was sent, what came back and what the model would receive. */
export function createToolTest({ sql, clock, safeFetch, toolHeaders }: TestToolDeps) {
  const enter = createConcurrencyLimiter(MAX_CONCURRENT_TESTS, 'tools are tested');

  return async (
    workspaceId: string,
    actor: Actor,
    sent: z.output<typeof testBody>,
  ): Promise<z.output<typeof testRecord>> => {
    const tool = await toolOf(workspaceId, sent);
    requireFittingArguments(tool, sent.arguments);
    const leave = enter(workspaceId);
    try {
      const outcome = await callHttpTool(tool, sent.arguments, { safeFetch, values: {}, clock });
      const { status, latency_ms, request, error } = outcome;
      const { result, variables } = shapedResult(tool.results, outcome.content, outcome.result);
      if (request === null) throw validationError(result, ['arguments']);
      const target = { kind: 'tool', id: sent.tool_id ?? '', name: tool.name };
      const event = { workspace_id: workspaceId, actor, action: 'tool.tested' as const, target, data: { status } };
      await writeAudit(sql, { ...event, at_ms: clock.wall() });
      return {
        status,
        latency_ms,
        request,
        response_headers: bounded(outcome.response_headers),
        ...{ result, variables },
        error: error ?? '',
      };
    } finally {
      leave();
    }
  };

  async function toolOf(workspaceId: string, { tool, tool_id }: z.output<typeof testBody>): Promise<AgentTool> {
    const path = ['tool', 'headers'];
    if (tool_id === undefined) {
      const headers = restoredHeaders(
        tool!.headers,
        {},
        path,
        ': send the value itself, or the tool_id of a saved tool',
      );
      return { ...tool!, headers };
    }
    const saved = ID_PATTERN.test(tool_id) ? await findTool(sql, workspaceId, tool_id) : null;
    if (!saved) throw notFound('tool');
    const [readable] = openedTools(toolHeaders, workspaceId, [saved]);
    return tool ? { ...tool, headers: restoredHeaders(tool.headers, readable!.headers, path) } : readable!;
  }
}

function requireFittingArguments({ parameters }: AgentTool, args: Record<string, unknown>): void {
  const size = JSON.stringify(args).length;
  if (size > MAX_ARGUMENTS_CHARS) {
    throw validationError(`the arguments have more than ${MAX_ARGUMENTS_CHARS} characters`, ['arguments']);
  }
  const problems = schemaProblems(parameters, args);
  if (problems.length === 0) return;
  const loc = ['body', 'arguments'];
  throw new HttpError(
    422,
    problems.map((msg) => ({ type: 'value_error', loc, msg, input: null })),
  );
}

function bounded(headers: Record<string, string>): Record<string, string> {
  const entries = Object.entries(headers).slice(0, MAX_RESPONSE_HEADERS);
  return Object.fromEntries(entries.map(([name, value]) => [name, value.slice(0, MAX_HEADER_CHARS)]));
}
