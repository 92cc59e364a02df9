import { type AgentConfig, END_CALL_TOOL } from '../../shared/agent.ts';
import { type Clock, pause } from '../../shared/clock.ts';
import { withPassages } from '../../shared/llm/knowledge-prompt.ts';
import {
  type ChatMessage,
  type LanguageModel,
  LanguageModelError,
  type ToolCall,
} from '../../shared/llm/language-model.ts';
import { type HistoryLine, toolRoundMessages, turnMessages } from '../../shared/llm/prompt.ts';
import { complete } from '../../shared/reply/complete.ts';
import type { Findings, Knowledge } from '../../shared/reply/knowledge.ts';
import { createMarkupReader } from '../../shared/reply/markup.ts';
import { afterAnswer, afterFailure, askForWords, mustAnswer } from '../../shared/reply/next-step.ts';
import { repromptText } from '../../shared/reply/reprompt-text.ts';
import { type ToolRunner, toolDefinitions } from '../../shared/reply/tools.ts';
import { parseTransferRequest, type TransferRequest } from '../../shared/reply/transfer-tool.ts';
import { TRANSFER_TOOL } from '../../shared/transfer.ts';
import { fillVariables } from '../../shared/variables.ts';

/** The agent of a call without audio: it makes its replies of the same messages, tools and rules. */

export interface TextAgentOptions {
  agent: AgentConfig;
  values: Record<string, string | number | boolean>;
  model: LanguageModel;
  knowledge: Knowledge;
  tools: ToolRunner;
  clock: Clock;
  signal: AbortSignal;
}

export interface TextAgentListener {
  onSaid(text: string): void;
  onTool(name: string, args: Record<string, unknown>, result: string): void;
}

export interface TextReply {
  /** The model ended the call, or asks for this transfer, after these words. */
  ends: boolean;
  transfer: TransferRequest | null;
  /** Nothing was said. */
  isEmpty: boolean;
}

export interface TextAgent {
  /** Replies to what the caller said last, and adds the reply to `history`. @throws LanguageModelError */
  reply(history: HistoryLine[]): Promise<TextReply>;
}

export function createTextAgent(options: TextAgentOptions, listener: TextAgentListener): TextAgent {
  const { agent, values, model, knowledge, tools, clock, signal } = options;
  const definitions = toolDefinitions(agent);
  let replies = 0;

  async function ask(messages: ChatMessage[], mayCallTools: boolean) {
    let written = '';
    const { temperature, max_tokens: maxTokens } = agent.llm;
    const completion = complete({
      ...{ model, messages, tools: definitions, mayCallTools, temperature, maxTokens, clock },
      onText: (text) => {
        written += text;
      },
    });
    const stop = () => completion.cancel();
    signal.addEventListener('abort', stop);
    try {
      const completed = await completion.done;
      if (completed === null || signal.aborted) throw new LanguageModelError('timeout', 'aborted');
      return { written, toolCalls: completed.toolCalls, error: null };
    } catch (error) {
      return { written, toolCalls: [], error: error as LanguageModelError };
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  function lookUp(history: readonly HistoryLine[]): Promise<Findings | null> {
    return new Promise((resolve) => {
      if (!knowledge.lookUp(history, resolve)) resolve(null);
    });
  }

  /**
   * Runs a round of tools and adds it to the history; the words before it, with those said while they run, are its text. `said`: in place of an
   * answer of the model; null where it answers.
   */
  async function runTools(
    id: string,
    calls: ToolCall[],
    words: string,
    history: HistoryLine[],
  ): Promise<{ line: HistoryLine; said: string | null }> {
    const announced = calls.map((call) => tools.announce(call));
    const asides = announced.map(({ pre_call_message }) => pre_call_message);
    const text = asides.reduce(
      (all, aside) => (aside === '' || all.includes(aside) ? all : `${all} ${aside}`.trim()),
      words,
    );
    if (text !== '') listener.onSaid(text);
    const runs = await Promise.all(
      calls.map(async (call, index) => {
        const { result, said = null } = isTransfer(call)
          ? { result: transferRefusal(call) }
          : await tools.run({ ...call, id: `${id} ${call.id}` }, signal);
        listener.onTool(call.name, announced[index]!.args, result);
        return { call, result, said };
      }),
    );
    const tool_runs = runs.map(({ call, result }) => ({ call, result }));
    const answers = runs.flatMap(({ said }) => (said === null ? [] : [said]));
    const line: HistoryLine = { role: 'agent', text, interrupted: false, tool_runs };
    history.push(line);
    return { line, said: answers.length === runs.length ? answers.join(' ') : null };
  }

  const isTransfer = ({ name }: ToolCall) => name === TRANSFER_TOOL && agent.call.transfer_enabled;

  function transferRefusal(call: ToolCall): string {
    const request = parseTransferRequest(call, agent.call);
    return typeof request === 'string' ? request : 'One transfer at a time.';
  }

  /** The first transfer among these calls that is possible. */
  function transferAmong(calls: ToolCall[]): TransferRequest | null {
    const call = calls.find(isTransfer);
    const request = call && parseTransferRequest(call, agent.call);
    return typeof request === 'object' ? request : null;
  }

  function say(text: string, history: HistoryLine[]): void {
    if (text === '') return;
    listener.onSaid(text);
    history.push({ role: 'agent', text, interrupted: false });
  }

  return {
    async reply(history) {
      const id = `r${++replies}`;
      const found = await lookUp(history);
      const base = { agent, values, history, wallMs: clock.wall(), knowledge: knowledge.inline };
      let messages = withPassages(turnMessages(base), found?.passages ?? []);
      let rounds = 0;
      let retries = 0;
      let sinceMs = clock.now();
      let saidBefore = '';

      /** The caller is asked to say it again. */
      function endUnanswered(words: string): TextReply {
        const lastSaid = history.findLast(({ role, text }) => role === 'agent' && text !== '')?.text ?? '';
        const reprompt = repromptText(agent.voice.language, words || saidBefore || lastSaid);
        say(`${words} ${reprompt}`.trim(), history);
        return { ends: false, transfer: null, isEmpty: false };
      }

      for (;;) {
        const answer = await ask(messages, !mustAnswer({ rounds }));
        signal.throwIfAborted();
        const { text, isSpeakable } = spoken(answer.written);
        const words = isSpeakable ? text : '';
        if (answer.error) {
          const said = { inReply: saidBefore !== '' || text !== '', inAnswer: text !== '', isSpeakable };
          const next = afterFailure({ rounds, retries }, clock.now() - sinceMs, said, answer.error.kind);
          if (next.fatal) throw answer.error;
          if (next.step === 'ask again') {
            retries++;
            await pause(clock, next.afterMs);
            signal.throwIfAborted();
            continue;
          }
          if (next.step === 'unanswered') return endUnanswered(words);
          say(words, history);
          return { ends: false, transfer: null, isEmpty: false };
        }
        const next = afterAnswer({ rounds, retries }, isSpeakable, answer.toolCalls);
        if (next.step === 'ask again') {
          messages = askForWords(messages, answer.written);
          retries++;
          continue;
        }
        if (next.step === 'unanswered') return endUnanswered(words);
        const { calls } = next;
        const ends = calls.some(({ name }) => name === END_CALL_TOOL);
        if (ends) listener.onTool(END_CALL_TOOL, {}, '');
        const transfer = transferAmong(calls);
        const goodbye = transfer ? fillVariables(agent.call.transfer_message, values).trim() : '';
        const others = calls.filter((call) => call.name !== END_CALL_TOOL && call !== transfer?.call);
        if (others.length === 0) {
          const all = goodbye === '' || words.includes(goodbye) ? words : `${words} ${goodbye}`.trim();
          say(all, history);
          return { ends: ends && !transfer, transfer, isEmpty: all === '' && saidBefore === '' };
        }
        const { line, said } = await runTools(id, others, words, history);
        signal.throwIfAborted();
        saidBefore = `${saidBefore} ${line.text}`.trim();
        if (ends || transfer || said !== null) {
          say(`${said ?? ''} ${goodbye}`.trim(), history);
          return { ends: ends && !transfer, transfer, isEmpty: saidBefore === '' && goodbye === '' && said === null };
        }
        rounds++;
        retries = 0;
        sinceMs = clock.now();
        messages = [...messages, ...toolRoundMessages(line.text, line.tool_runs ?? [])];
      }
    },
  };
}

/** The text as a transcript has it: without code, which is not spoken. */
function spoken(written: string): { text: string; isSpeakable: boolean } {
  const reader = createMarkupReader();
  const units = [...reader.push(written), ...reader.end()].filter(({ code }) => code === undefined);
  const text = units
    .map(({ original }) => original)
    .join('')
    .trim();
  return { text, isSpeakable: units.some((unit) => /[\p{L}\p{N}]/u.test(unit.spoken)) };
}
