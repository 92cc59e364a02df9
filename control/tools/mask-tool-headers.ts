import type { AgentConfig, AgentTool } from '../../shared/agent.ts';
import { validationError } from '../http/errors.ts';
import { isSealedHeader, type WithHeaders, withHeaderLists, withHeaderValues } from './seal-tool-headers.ts';

/** Stands for the value of a tool header, which may be a credential. */
const MASK = '***';

type Headers = AgentTool['headers'];

/** The tools with `***` for each header value. */
export const maskHeaderValues = <Tool extends WithHeaders>(tools: readonly Tool[]): Tool[] =>
  withHeaderValues(tools, () => MASK);

/** The tools as they may be shown: with `***` for what may not be seen, and for what no key opens. */
export function shownTools<Tool extends WithHeaders>(tools: readonly Tool[], mayEdit: boolean): Tool[] {
  return withHeaderValues(tools, (value) => (mayEdit && !isSealedHeader(value) ? value : MASK));
}

type HeaderLists = Pick<AgentConfig, 'tools' | 'mcp_servers'>;

/** Replaces each `***` that was sent back by the saved value. Tools are matched by name, and MCP servers. */
export function restoreHeaderValues<Config extends HeaderLists>(sent: Config, saved: HeaderLists): Config {
  return withHeaderLists(sent, (items, field) => {
    const before = new Map<string, Headers>(saved[field].map(({ name, headers }) => [name, headers]));
    return items.map((item, index) => {
      const { name } = sent[field][index]!;
      return { ...item, headers: restoredHeaders(item.headers, before.get(name) ?? {}, [field, index, 'headers']) };
    });
  });
}

/** The same for the headers of one tool; `path` is their place in the body, for the 422 of a value that is not saved. */
export function restoredHeaders(sent: Headers, saved: Headers, path: (string | number)[], hint = ''): Headers {
  const entries = Object.entries(sent).map(([name, value]) => {
    if (value !== MASK) return [name, value] as const;
    const before = Object.hasOwn(saved, name) ? saved[name] : undefined;
    if (before === undefined) {
      throw validationError(`no value is saved for the header ${name}${hint}`, [...path, name], MASK);
    }
    return [name, before] as const;
  });
  return Object.fromEntries(entries);
}
