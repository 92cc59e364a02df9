import type { AgentConfig } from '../../shared/agent.ts';
import type { Clock, Timer } from '../../shared/clock.ts';
import { boundedResult, invalidArgumentsText, readArguments } from '../../shared/http-tool.ts';
import { shapedResult } from '../../shared/reply/shaped-result.ts';
import type { CallOutcome, CallTool } from '../../shared/reply/tools.ts';
import type { Leg, PageToolResult } from '../leg/leg.ts';

/** The agent's tools of kind `client`, which the page of a browser call runs. */
export interface PageTools {
  callTool: CallTool;
  onResult(result: PageToolResult): void;
  close(): void;
}

/** The agent without tools that nobody on this line can run; the model is not offered them. */
export function withoutPageTools(agent: AgentConfig): AgentConfig {
  return { ...agent, tools: agent.tools.filter(({ kind }) => kind !== 'client') };
}

/** One call's. Each call of a tool has its answer, or none within the tool's time-out. */
export function createPageTools({ leg, clock }: { leg: Pick<Leg, 'callTool'>; clock: Clock }): PageTools {
  const waiting = new Map<string, (result: PageToolResult | 'timeout' | 'aborted') => void>();
  let calls = 0;

  return {
    async callTool({ name, parameters, timeout_seconds, results }, args, signal): Promise<CallOutcome> {
      const read = readArguments(parameters, args);
      if ('problem' in read) {
        return { status: 0, latency_ms: 0, result: invalidArgumentsText(read.problem), error: 'invalid arguments' };
      }
      const id = `tool-${++calls}`;
      const timeoutMs = timeout_seconds * 1_000;
      const startedMs = clock.now();
      let timer: Timer | null = null;
      const abort = () => waiting.get(id)?.('aborted');
      const answer = await new Promise<PageToolResult | 'timeout' | 'aborted'>((resolve) => {
        waiting.set(id, resolve);
        timer = clock.after(timeoutMs, () => resolve('timeout'));
        signal.addEventListener('abort', abort, { once: true });
        leg.callTool?.({ id, name, arguments: read.args, timeoutMs });
      });
      waiting.delete(id);
      (timer as Timer | null)?.cancel();
      signal.removeEventListener('abort', abort);
      const latency_ms = Math.round(clock.now() - startedMs);
      if (typeof answer === 'string')
        return { status: 0, latency_ms, result: noAnswer(answer, timeout_seconds), error: answer };
      if (answer.failed) {
        const result = boundedResult(`The page could not do it: ${answer.result}`);
        return { status: 500, latency_ms, result, error: 'failed' };
      }
      const text = boundedResult(answer.result.trim() || 'The page did it and answered nothing.');
      return { status: 200, latency_ms, error: null, ...shapedResult(results, answer.result, text) };
    },
    onResult: (result) => waiting.get(result.id)?.(result),
    close() {
      for (const settle of waiting.values()) settle('aborted');
    },
  };
}

const noAnswer = (why: 'timeout' | 'aborted', seconds: number): string =>
  why === 'timeout'
    ? `The caller's page did not answer within ${seconds} seconds. Whether it did its work is not known.`
    : "The tool was stopped before the caller's page answered. Whether it did its work is not known.";
