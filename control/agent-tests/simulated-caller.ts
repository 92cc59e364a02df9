import type { Clock } from '../../shared/clock.ts';
import {
  type ChatMessage,
  type LanguageModel,
  LanguageModelError,
  type ToolDefinition,
} from '../../shared/llm/language-model.ts';
import type { HistoryLine } from '../../shared/llm/prompt.ts';
import { complete } from '../../shared/reply/complete.ts';

/** The caller of an agent test: a language model that plays the persona of the scenario. */

export interface CallerOptions {
  model: LanguageModel;
  persona: string;
  /** A language tag. */
  language: string;
  clock: Clock;
  signal: AbortSignal;
}

export interface CallerTurn {
  text: string;
  hangsUp: boolean;
}

export interface SimulatedCaller {
  /** What the caller says next. @throws LanguageModelError */
  next(history: readonly HistoryLine[]): Promise<CallerTurn>;
  /** What the caller says into the agent's answer to its last words; empty when it has nothing to add. @throws LanguageModelError */
  interruption(history: readonly HistoryLine[]): Promise<string>;
}

const HANG_UP: ToolDefinition = {
  name: 'hang_up',
  description: 'Hangs up. Use it when you have what you called for, or want nothing more from this call.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
};
const MAX_TOKENS = 300;
const TEMPERATURE = 0.7;
const MAX_TRIES = 2;
const MAX_CHARACTERS = 1_000;
/** The agent answers, and its words are not known yet. */
const INTERRUPT =
  '(The agent has begun to answer, and you talk over it. Write one sentence of at most eight words that repeats or adds to what you just said, and contradicts nothing.)';
const SILENCE = '(You are connected. Nobody has said anything yet: you speak first.)';

export function createSimulatedCaller({ model, persona, language, clock, signal }: CallerOptions): SimulatedCaller {
  const system: ChatMessage = { role: 'system', content: instructionsFor(persona, language) };

  async function ask(messages: ChatMessage[]): Promise<CallerTurn> {
    let text = '';
    const completion = complete({
      ...{ model, messages, tools: [HANG_UP], temperature: TEMPERATURE, maxTokens: MAX_TOKENS, clock },
      onText: (part) => {
        text += part;
      },
    });
    const stop = () => completion.cancel();
    signal.addEventListener('abort', stop);
    try {
      const completed = await completion.done;
      signal.throwIfAborted();
      const hangsUp = completed?.toolCalls.some(({ name }) => name === HANG_UP.name) ?? true;
      return { text: text.trim().slice(0, MAX_CHARACTERS).toWellFormed(), hangsUp };
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async function askTwice(messages: ChatMessage[]): Promise<CallerTurn> {
    for (let tried = 1; ; tried++) {
      try {
        const turn = await ask(messages);
        if (turn.text !== '' || turn.hangsUp) return turn;
        // A caller who has nothing to say any more hangs up.
        if (tried === MAX_TRIES) return { text: '', hangsUp: true };
      } catch (error) {
        const final = !(error instanceof LanguageModelError) || ['auth', 'bad_request'].includes(error.kind);
        if (final || tried === MAX_TRIES) throw error;
      }
    }
  }

  return {
    next: (history) => askTwice([system, ...asHeardBy(history)]),
    async interruption(history) {
      return (await askTwice([system, ...asHeardBy(history), { role: 'user', content: INTERRUPT }])).text;
    },
  };
}

/** The conversation from the caller's end of the line: tools are not heard. */
function asHeardBy(history: readonly HistoryLine[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  for (const { role, text } of history) {
    if (text === '') continue;
    const last = messages.at(-1);
    const as = role === 'agent' ? 'user' : 'assistant';
    if (last?.role === as) last.content = `${last.content} ${text}`;
    else messages.push({ role: as, content: text });
  }
  if (messages[0]?.role !== 'user') messages.unshift({ role: 'user', content: SILENCE });
  return messages;
}

const instructionsFor = (
  persona: string,
  language: string,
) => `You play a person on a phone call with a business, to test its voice agent. What the agent says reaches you as the other side's messages; you write what the person says, and nothing else.

Who you are and what you want:
${persona}

- Speak ${languageName(language)}, the way people talk on the phone: one or two short sentences, no markup, no stage directions.
- Stay this person. Never say that you are a test or a model, never play the agent, and do not help it with its task.
- Tell what you know when you are asked for it, not all at once. Facts that are not given to you, make up once and keep to them.
- When you have what you called for, or the agent cannot help you, say a short goodbye and call hang_up in the same answer.`;

function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
