import type { ModelRun } from '../../../control/analysis/analyst.ts';
import type { ChatRequest, LanguageModel, LanguageModelError } from '../../../shared/llm/language-model.ts';

/** What a scripted model answers: words, tools, or a failure. */
export type ScriptedTurn = string | LanguageModelError | { text?: string; calls: [name: string, args?: object][] };

export const CALLER_PROMPT = 'You play a person on a phone call';
export const JUDGE_PROMPT = 'The call was a test of the agent.';

/** Answers in order, and records what it was asked; asked too often it says "Yes." */
export function scriptedModel(...turns: ScriptedTurn[]): LanguageModel & { requests: ChatRequest[] } {
  const requests: ChatRequest[] = [];
  return {
    provider: 'openai',
    model: 'scripted',
    requests,
    warm: async () => {},
    async *stream(request) {
      requests.push(structuredClone(request));
      const turn = turns.shift() ?? 'Yes.';
      if (turn instanceof Error) throw turn;
      const { text = '', calls } = typeof turn === 'string' ? { text: turn, calls: [] } : turn;
      if (text !== '') yield { type: 'text', text };
      for (const [index, [name, args = {}]] of calls.entries()) {
        yield { type: 'tool_call', call: { id: `c${index}`, name, arguments: JSON.stringify(args) } };
      }
      yield { type: 'usage', input_tokens: 100, output_tokens: 10 };
      yield { type: 'finish', reason: 'stop' };
    },
  };
}

/** The caller's lines; one that ends with `#` is followed by hanging up. */
export function callerLines(lines: readonly string[]): ScriptedTurn[] {
  return lines.map((line) => (line.endsWith('#') ? { text: line.slice(0, -1).trim(), calls: [['hang_up']] } : line));
}

/**
 * Judges by rule, for criteria of these forms: `agent says X`, `agent never says X`, `tool X runs`, `tool X never runs`,
 * `the call ends: X`.
 */
export function judgeByRule(instructions: string, data: string): string {
  const criteria = [...instructions.matchAll(/^\d+\. (".*")$/gm)].map((match) => JSON.parse(match[1]!) as string);
  const lines = [...data.matchAll(/^(user|agent|tool): (".*?")(?: \(interrupted\))?$/gm)].map((match) => ({
    role: match[1]!,
    text: JSON.parse(match[2]!) as string,
  }));
  const ending = /How the call ended: (.*)\./.exec(data)?.[1];
  const verdicts = criteria.map((text, index) => {
    const found = (role: string, words: string) =>
      lines.find((line) => line.role === role && line.text.toLowerCase().includes(words.toLowerCase()));
    const [, who, never, words = ''] = /^(agent|tool) (never )?(?:says )?(.*?)(?: runs| never runs)?$/.exec(text) ?? [];
    if (who === undefined) {
      const passed = text === `the call ends: ${ending}`;
      return { criterion: index + 1, passed, reason: `It ended: ${ending}.`, quote: '' };
    }
    const hit = found(who, words);
    const denied = never !== undefined || text.endsWith(' never runs');
    return { criterion: index + 1, passed: denied !== Boolean(hit), reason: 'By rule.', quote: hit?.text ?? '' };
  });
  return JSON.stringify({ verdicts });
}

/** A run whose model answers with what `answer` returns. */
export function runOf(answer: (instructions: string, data: string) => string): ModelRun & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    tokensUsed: () => [],
    async ask({ instructions, data, parse }) {
      asked.push(instructions);
      const value = parse(answer(instructions, data));
      return value === null ? { failed: 'the answer does not have the requested shape' } : { value };
    },
  };
}
