import { HANDOFF_IN_TEST, HANDOFF_TOOL } from '../handoff.ts';
import { invalidArgumentsText, readArguments } from '../http-tool.ts';
import { RESCHEDULE_TOOL } from '../reschedule.ts';
import { shapedResult } from './shaped-result.ts';
import { type CallTool, createToolRunner, type ToolRunner, type ToolRunnerOptions } from './tools.ts';

/** Tool name → the text that the model receives; a tool without an entry, or with an empty one, answers `ok`. */
export type ToolResults = Readonly<Record<string, string>>;

export interface ScriptedToolsOptions extends Omit<ToolRunnerOptions, 'callTool'> {
  results: ToolResults;
}

/** The result that a test gives for this tool; null where it gives none. */
export const scriptedResult = (results: ToolResults, name: string): string | null =>
  Object.hasOwn(results, name) ? results[name]! || 'ok' : null;

/** An agent's tools in a test: arguments are checked as in a call, no request is sent, and the results are given. */
export function createScriptedTools({ results, ...options }: ScriptedToolsOptions): ToolRunner {
  const callTool: CallTool = async (tool, args) => {
    const read = readArguments(tool.parameters, args);
    if ('problem' in read) {
      return { status: 0, latency_ms: 0, result: invalidArgumentsText(read.problem), error: 'invalid arguments' };
    }
    const text = scriptedResult(results, tool.name) ?? 'ok';
    return { status: 200, latency_ms: 0, error: null, ...shapedResult(tool.results, text, text) };
  };
  const runner = createToolRunner({ ...options, callTool });
  return {
    ...runner,
    async run(call, signal) {
      const run = await runner.run(call, signal);
      if (call.name === HANDOFF_TOOL)
        return { ...run, result: scriptedResult(results, HANDOFF_TOOL) ?? HANDOFF_IN_TEST };
      const booking = call.name === RESCHEDULE_TOOL && options.bookCallback !== undefined;
      const scripted = booking ? scriptedResult(results, RESCHEDULE_TOOL) : null;
      return scripted === null ? run : { ...run, result: scripted };
    },
  };
}
