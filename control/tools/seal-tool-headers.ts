import type { AgentTool } from '../../shared/agent.ts';
import type { SecretBox } from '../db/secret-box.ts';

/**
 * Values of tools' headers are sealed in the database, in saved tools, agents and their versions alike, because they may be
 * credentials. They are sealed for their workspace, so that a copy within it stays readable.
 */

/** Begins a sealed value. No header has it: its values are Latin-1 (`agentToolSchema`). */
const MARK = '🔒';

type Headers = AgentTool['headers'];
export interface WithHeaders {
  headers: Headers;
}

export const isSealedHeader = (value: string): boolean => value.startsWith(MARK);
export const bytesOfSealedHeader = (value: string): Buffer => Buffer.from(value.slice(MARK.length), 'base64');
export const sealedHeaderOf = (bytes: Buffer): string => MARK + bytes.toString('base64');
export const ownerOfToolHeaders = (workspaceId: string): string => `tool headers of ${workspaceId}`;

export interface ToolHeaders {
  /** What is sealed already stays as it is. */
  seal<Tool extends WithHeaders>(workspaceId: string, tools: readonly Tool[]): Tool[];
  /** What no key opens stays sealed. */
  open<Tool extends WithHeaders>(workspaceId: string, tools: readonly Tool[]): Tool[];
}

/** A configuration's lists with headers; one of an earlier version of the schema has no MCP servers. */
export interface WithHeaderLists {
  tools: readonly WithHeaders[];
  mcp_servers?: readonly WithHeaders[];
}

/** The configuration with what `change` makes of its tools and of its MCP servers. */
export function withHeaderLists<Config extends WithHeaderLists>(
  config: Config,
  change: <Item extends WithHeaders>(items: readonly Item[], field: 'tools' | 'mcp_servers') => Item[],
): Config {
  const servers = config.mcp_servers && { mcp_servers: change(config.mcp_servers, 'mcp_servers') };
  return { ...config, tools: change(config.tools, 'tools'), ...servers };
}

/** Seals and opens the header values of tools; an empty value stays as it is. */
export function createToolHeaders(box: SecretBox): ToolHeaders {
  return {
    seal: (workspaceId, tools) =>
      withHeaderValues(tools, (value) =>
        value === '' || isSealedHeader(value)
          ? value
          : sealedHeaderOf(box.seal(value, ownerOfToolHeaders(workspaceId))),
      ),
    open: (workspaceId, tools) =>
      withHeaderValues(tools, (value) =>
        isSealedHeader(value)
          ? (box.open(bytesOfSealedHeader(value), ownerOfToolHeaders(workspaceId)) ?? value)
          : value,
      ),
  };
}

/** Tools with what `change` makes of each header value. */
export function withHeaderValues<Tool extends WithHeaders>(
  tools: readonly Tool[],
  change: (value: string) => string,
): Tool[] {
  return tools.map((tool) => ({
    ...tool,
    headers: Object.fromEntries(Object.entries(tool.headers).map(([name, value]) => [name, change(value)])),
  }));
}

/**
 * The tools as their requests are sent: a header that no key opens has no value.
 *
 * @param onUnreadable called for each of these
 */
export function openedTools<Tool extends WithHeaders>(
  toolHeaders: Pick<ToolHeaders, 'open'>,
  workspaceId: string,
  tools: readonly Tool[],
  onUnreadable: () => void = () => {},
): Tool[] {
  return withHeaderValues(toolHeaders.open(workspaceId, tools), (value) => {
    if (!isSealedHeader(value)) return value;
    onUnreadable();
    return '';
  });
}
