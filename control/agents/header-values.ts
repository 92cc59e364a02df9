import type { AgentTool } from '../../shared/agent.ts';
import { validationError } from '../http/errors.ts';

/** Tool headers carry credentials: `***` stands for a value that is not shown. */
const MASK = '***';

export function maskHeaderValues(tools: readonly AgentTool[]): AgentTool[] {
  return tools.map((tool) => ({
    ...tool,
    headers: Object.fromEntries(Object.keys(tool.headers).map((name) => [name, MASK])),
  }));
}

/** Puts the saved value where `***` was sent back. Tools are recognised by their name. */
export function restoreHeaderValues(sent: readonly AgentTool[], saved: readonly AgentTool[]): AgentTool[] {
  return sent.map((tool, index) => {
    const before = saved.find(({ name }) => name === tool.name)?.headers ?? {};
    const headers = Object.entries(tool.headers).map(([name, value]) => {
      if (value !== MASK) return [name, value] as const;
      const kept = Object.hasOwn(before, name) ? before[name] : undefined;
      if (kept === undefined) {
        const msg = `no value is saved for the header ${name}`;
        throw validationError(msg, ['tools', index, 'headers', name], MASK);
      }
      return [name, kept] as const;
    });
    return { ...tool, headers: Object.fromEntries(headers) };
  });
}
