import type { AgentTool } from '../../shared/agent.ts';
import { validationError } from '../http/errors.ts';

/** Stands for the value of a tool header, which may be a credential. */
const MASK = '***';

export function maskHeaderValues(tools: readonly AgentTool[]): AgentTool[] {
  return tools.map((tool) => ({
    ...tool,
    headers: Object.fromEntries(Object.keys(tool.headers).map((name) => [name, MASK])),
  }));
}

/** Replaces each `***` that was sent back by the saved value. Tools are matched by name. */
export function restoreHeaderValues(sent: readonly AgentTool[], saved: readonly AgentTool[]): AgentTool[] {
  return sent.map((tool, index) => {
    const before = saved.find(({ name }) => name === tool.name)?.headers ?? {};
    const headers = Object.entries(tool.headers).map(([name, value]) => {
      if (value !== MASK) return [name, value] as const;
      const saved = Object.hasOwn(before, name) ? before[name] : undefined;
      if (saved === undefined) {
        const msg = `no value is saved for the header ${name}`;
        throw validationError(msg, ['tools', index, 'headers', name], MASK);
      }
      return [name, saved] as const;
    });
    return { ...tool, headers: Object.fromEntries(headers) };
  });
}
