import type { McpServer } from '../agent.ts';
import type { ListedTool } from './mcp-client.ts';

/** Which of the tools that MCP servers list the model gets, under which names. Pure. */

/** The first of a server; a model with more of them chooses badly. */
export const MAX_TOOLS_OF_SERVER = 64;
const MAX_DESCRIPTION_CHARS = 1_000;
const MAX_SCHEMA_CHARS = 16_000;
const MAX_SCHEMA_DEPTH = 12;
/** Of all models (`agentToolSchema`). */
const MAX_NAME_CHARS = 64;

export interface ServerTools {
  server: McpServer;
  listed: readonly ListedTool[];
}

export interface NamedTool {
  /** As the model calls it. */
  name: string;
  server: McpServer;
  /** As the server calls it. */
  tool: ListedTool;
}

/**
 * The tools that the model gets: those of the allow-lists whose schemas a model's provider can take, in the order of the servers. A name that
 * another tool has is preceded by the server's; what no model takes in a name becomes `_`.
 *
 * @param taken names of the agent's other tools
 */
export function namedTools(servers: readonly ServerTools[], taken: readonly string[]): NamedTool[] {
  const names = new Set(taken);
  const named: NamedTool[] = [];
  for (const { server, listed } of servers) {
    for (const tool of listed.filter(({ name }) => isAllowed(server, name)).slice(0, MAX_TOOLS_OF_SERVER)) {
      if (schemaProblem(tool) !== null) continue;
      const name = freeName(tool.name, server.name, names);
      names.add(name);
      named.push({ name, server, tool: { ...tool, ...described(tool) } });
    }
  }
  return named;
}

export const isAllowed = ({ tools }: McpServer, name: string): boolean => tools.length === 0 || tools.includes(name);

/** Why no model gets the tool; null when it can be had. */
export function schemaProblem({ parameters }: ListedTool): string | null {
  if (parameters.type !== 'object') return 'its arguments are not an object';
  if (JSON.stringify(parameters).length > MAX_SCHEMA_CHARS) {
    return `the schema of its arguments has more than ${MAX_SCHEMA_CHARS} characters`;
  }
  if (depthOf(parameters) > MAX_SCHEMA_DEPTH)
    return `the schema of its arguments is more than ${MAX_SCHEMA_DEPTH} deep`;
  const { properties = {} } = parameters;
  const isTable = typeof properties === 'object' && properties !== null && !Array.isArray(properties);
  return isTable ? null : 'the schema of its arguments has no table of properties';
}

function described({ description, parameters, name }: ListedTool): Pick<ListedTool, 'description' | 'parameters'> {
  const { $schema: _, ...rest } = parameters;
  return {
    description: description.trim().slice(0, MAX_DESCRIPTION_CHARS).toWellFormed() || name,
    parameters: { ...rest, properties: parameters.properties ?? {} },
  };
}

function freeName(name: string, server: string, taken: ReadonlySet<string>): string {
  const plain = name.replace(/[^a-zA-Z0-9_]/g, '_').replace(/^(?=\d)/, '_');
  const short = plain.slice(0, MAX_NAME_CHARS);
  if (!taken.has(short)) return short;
  const prefixed = `${server}_${plain}`.slice(0, MAX_NAME_CHARS);
  for (let number = 2, free = prefixed; ; number++) {
    if (!taken.has(free)) return free;
    free = `${prefixed.slice(0, MAX_NAME_CHARS - 4)}_${number}`;
  }
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((deepest, each) => Math.max(deepest, depthOf(each)), 0);
}
