import { type AgentConfig, type AgentTool, END_CALL_TOOL } from '../agent.ts';
import type { Clock } from '../clock.ts';
import {
  callHttpTool,
  type HttpToolCall,
  type HttpToolOutcome,
  readArguments,
  type ToolArguments,
  urlWithoutCredentials,
} from '../http-tool.ts';
import type { ToolCall, ToolDefinition } from '../llm/language-model.ts';
import { endCallTool } from '../llm/prompt.ts';
import { errorText, type Logger } from '../log.ts';
import {
  isRecordingTool,
  PAUSE_RECORDING_TOOL,
  type PauseRecording,
  type RecordingPauseSettings,
  recordingPauseResult,
  recordingPauseTools,
} from '../recording-pause.ts';
import { RESCHEDULE_TOOL } from '../reschedule.ts';
import { fillVariables } from '../variables.ts';
import { type HandoffSettings, handoffTool } from './handoff-tool.ts';
import { type BookCallback, type RescheduleSettings, rescheduleTool, runRescheduleTool } from './reschedule-tool.ts';
import { type CallVariables, shapedResult } from './shaped-result.ts';
import { type TransferSettings, transferTool } from './transfer-tool.ts';

/** What is known about a tool call before it runs. */
export interface ToolAnnouncement {
  name: string;
  /** Empty when the model's arguments are invalid. */
  args: ToolArguments;
  /** As saved, without user name and password; null when there is no such tool. */
  url: string | null;
  /** Said while the tool runs; empty when nothing is to be said or nothing will run. */
  pre_call_message: string;
}

export interface ToolRun extends ToolAnnouncement {
  call: ToolCall;
  /** 0 when there was no response. */
  status: number;
  /** Duration of the request; 0 when none was sent. */
  latency_ms: number;
  /** Text for the model; never empty. */
  result: string;
  /** `warning` unless the status is 2xx. */
  level: 'info' | 'warning';
  /** Values that the call's variables got of the result; left out without any. */
  variables?: CallVariables;
  /** Said in place of an answer of the model; left out where the model answers. */
  said?: string;
}

/** `error`: why there was no result; null for a response of any status. */
export type CallOutcome = Pick<HttpToolOutcome, 'status' | 'latency_ms' | 'result'> & {
  error: string | null;
  /** What variables of the call get of the result. */
  variables?: CallVariables;
};

/** Calls an HTTP tool with the arguments as the model wrote them. */
export type CallTool = (tool: AgentTool, args: string, signal: AbortSignal) => Promise<CallOutcome>;

/** Sends the request. */
export function httpToolCaller(options: Omit<HttpToolCall, 'signal'>): CallTool {
  return async (tool, args, signal) => {
    const { status, latency_ms, result, content, error } = await callHttpTool(tool, args, { ...options, signal });
    return { status, latency_ms, error, ...shapedResult(tool.results, content, result) };
  };
}

/** Tools that are not the agent's own, and are known only once their server has listed them. */
export interface RemoteTools {
  /** What the model gets now. */
  definitions(): ToolDefinition[];
  /** Undefined when there is none of this name. */
  find(name: string): Pick<AgentTool, 'parameters' | 'url'> | undefined;
  /** Calls one that was found, with the arguments as the model wrote them. Never rejects. */
  call(name: string, args: string, signal: AbortSignal): Promise<CallOutcome>;
  close(): void;
}

export interface ToolRunnerOptions {
  agent: Pick<AgentConfig, 'tools'>;
  /** Values of the call's `{variables}`, to which those of results are added. */
  values: CallVariables;
  callTool: CallTool;
  /** Missing where the agent has none. */
  remote?: RemoteTools | undefined;
  /** Missing where the agent books no callbacks. */
  bookCallback?: BookCallback | undefined;
  /** Missing where the agent may not pause the recording. */
  pauseRecording?: PauseRecording | undefined;
  clock: Clock;
  log: Logger;
}

/** The model may call tools in this many rounds, one after another, before it has to answer without them. */
export const MAX_TOOL_ROUNDS = 5;

export interface ToolRunner {
  /** Tools besides those of `toolDefinitions`, as far as they are known now. */
  remoteDefinitions(): ToolDefinition[];
  announce(call: ToolCall): ToolAnnouncement;
  /**
   * Runs a tool within its own timeout. The same call (id, name and arguments) runs once; a repetition returns the first run,
   * and only the first `signal` counts. Never rejects. Does not run `end_call`.
   */
  run(call: ToolCall, signal?: AbortSignal): Promise<ToolRun>;
  /** Number of active runs. */
  running(): number;
  /** Aborts active runs and refuses later ones. */
  closeAll(): void;
}

/** Returns the tools of the model: `end_call` first, so that the prompt's beginning is the same for every agent and cached. */
export function toolDefinitions(
  agent: Pick<AgentConfig, 'tools'> & {
    call?: TransferSettings & Partial<RescheduleSettings & RecordingPauseSettings & HandoffSettings>;
  },
): ToolDefinition[] {
  const builtIn = agent.call
    ? [
        ...transferTool(agent.call),
        ...handoffTool(agent.call.handoffs ?? []),
        ...rescheduleTool(agent.call),
        ...recordingPauseTools(agent.call),
      ]
    : [];
  return [endCallTool, ...builtIn, ...agent.tools.map(definitionOf)];
}

/** Providers require an object schema with properties, even for a tool without arguments. */
function definitionOf({ name, description, parameters }: AgentTool): ToolDefinition {
  return { name, description, parameters: { properties: {}, ...parameters, type: 'object' } };
}

export function createToolRunner(options: ToolRunnerOptions): ToolRunner {
  const { agent, values, callTool, remote, bookCallback, pauseRecording, clock, log } = options;
  const tools = new Map(agent.tools.map((tool) => [tool.name, tool]));
  const runs = new Map<string, Promise<ToolRun>>();
  const closing = new AbortController();
  let running = 0;

  const remoteDefinitions = () => remote?.definitions() ?? [];

  function announce(call: ToolCall): ToolAnnouncement {
    const own = tools.get(call.name);
    const tool = own ?? remote?.find(call.name);
    if (tool === undefined) return { name: call.name, args: objectOf(call.arguments), url: null, pre_call_message: '' };
    const read = readArguments(tool.parameters, call.arguments);
    const usable = 'args' in read;
    return {
      name: call.name,
      args: usable ? read.args : objectOf(call.arguments),
      url: tool.url === '' ? null : urlWithoutCredentials(tool.url),
      pre_call_message: usable && own ? fillVariables(own.pre_call_message, values).trim() : '',
    };
  }

  async function start(call: ToolCall, signal?: AbortSignal): Promise<ToolRun> {
    const known = announce(call);
    if (bookCallback && call.name === RESCHEDULE_TOOL) return bookCallBack(call, known, bookCallback);
    if (pauseRecording && isRecordingTool(call.name)) {
      const paused = call.name === PAUSE_RECORDING_TOOL;
      const done = pauseRecording(paused);
      const result = recordingPauseResult(paused, done);
      return { ...known, call, status: done ? 200 : 409, latency_ms: 0, result, level: done ? 'info' : 'warning' };
    }
    const tool = tools.get(call.name);
    const isRemote = tool === undefined && remote?.find(call.name) !== undefined;
    if (tool === undefined && !isRemote) {
      log.warn('model called an unknown tool');
      const listed = remoteDefinitions().map(({ name }) => name);
      const others = [END_CALL_TOOL, ...(bookCallback ? [RESCHEDULE_TOOL] : []), ...tools.keys(), ...listed].join(', ');
      const result = `There is no tool called ${call.name.slice(0, 64)}. The tools are: ${others}.`;
      return { ...known, call, status: 0, latency_ms: 0, result, level: 'warning' };
    }
    running++;
    try {
      const stop = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      const outcome = tool
        ? await callTool(tool, call.arguments, stop)
        : await remote!.call(call.name, call.arguments, stop);
      const { status, latency_ms, result, error } = outcome;
      const level = status >= 200 && status < 300 ? 'info' : 'warning';
      log[level === 'info' ? 'info' : 'warn']({ tool: call.name, status, latency_ms, error }, 'tool ran');
      const { variables = {} } = outcome;
      Object.assign(values, variables);
      const message = level === 'info' && tool ? fillVariables(tool.results.message, values).trim() : '';
      return {
        ...{ ...known, call, status, latency_ms, result, level },
        ...(Object.keys(variables).length > 0 && { variables }),
        ...(message !== '' && { said: message }),
      };
    } catch (error) {
      log.error({ tool: call.name, error: errorText(error) }, 'tool failed');
      return { ...known, call, status: 0, latency_ms: 0, result: 'The tool could not be called.', level: 'warning' };
    } finally {
      running--;
    }
  }

  async function bookCallBack(call: ToolCall, known: ToolAnnouncement, book: BookCallback): Promise<ToolRun> {
    const startedMs = clock.now();
    running++;
    const { status, result } = await runRescheduleTool(call, book);
    running--;
    const latency_ms = Math.round(clock.now() - startedMs);
    log.info({ tool: call.name, status, latency_ms }, 'tool ran');
    return { ...known, call, status, latency_ms, result, level: status === 200 ? 'info' : 'warning' };
  }

  return {
    remoteDefinitions,
    announce,
    run(call, signal) {
      // Some model servers restart their ids in every response, so the id alone does not identify the call.
      const key = JSON.stringify([call.id, call.name, call.arguments]);
      const run = runs.get(key) ?? start(call, signal);
      runs.set(key, run);
      return run;
    },
    running: () => running,
    closeAll() {
      closing.abort();
      remote?.close();
    },
  };
}

/** Returns the model's arguments for the timeline, {} when they are not an object. */
function objectOf(text: string): ToolArguments {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? (parsed as ToolArguments) : {};
  } catch {
    return {};
  }
}
