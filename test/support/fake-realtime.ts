import { MULAW_8K } from '../../media/audio/format.ts';
import type {
  RealtimeItem,
  RealtimeListener,
  RealtimeModel,
  RealtimePrompt,
  RealtimeReplyRequest,
} from '../../media/realtime/realtime-model.ts';
import { createSpeechSegmenter } from '../../media/reply/speech-segmenter.ts';
import type { Synthesizer, SynthesizerEvent } from '../../media/tts/synthesizer.ts';
import { type ChatMessage, type LanguageModel, LanguageModelError } from '../../shared/llm/language-model.ts';

/**
 * A speech-to-speech model made of a fake language model and a fake synthesizer, with a history of its own: what the language model is
 * asked is what that history holds, so that a test sees what the model believes was said.
 */

type Item =
  | { id: string; role: 'user' | 'assistant' | 'system'; text: string; replyId?: string; cutMs?: number }
  | Exclude<RealtimeItem, { type: 'message' }>;

interface Reply {
  request: RealtimeReplyRequest;
  abort: AbortController;
  /** What happens when its audio is over. */
  finish: (() => void) | null;
  spoken: boolean;
}

export interface FakeRealtimeOptions {
  model: LanguageModel;
  synthesizer: Synthesizer;
  /** Milliseconds of a character in the audio of this context. */
  msPerCharacter(contextId: string): number;
}

export function createFakeRealtime({ model, synthesizer, msPerCharacter }: FakeRealtimeOptions) {
  let items: Item[] = [];
  const replies = new Map<string, Reply>();
  let listener: RealtimeListener = () => {};
  let prompt: RealtimePrompt = { instructions: '', tools: [] };

  function create(first: RealtimePrompt, onEvent: RealtimeListener): RealtimeModel {
    prompt = first;
    listener = onEvent;
    items = [];
    return {
      ...{ provider: 'test', model: 'test', input: MULAW_8K, output: MULAW_8K },
      capabilities: { edits: true, textOutput: true, maxSessionMs: 3_600_000 },
      open: async () => {},
      startSpeech() {},
      audio() {},
      commit: (id) => void items.push({ id, role: 'user', text: '' }),
      instruct: (given) => {
        prompt = given;
      },
      add(item, afterId) {
        const at = afterId === null ? items.length : items.findLastIndex(({ id }) => id === afterId) + 1;
        items.splice(at, 0, item.type === 'message' ? { id: item.id, role: item.role, text: item.text } : item);
      },
      remove(itemId) {
        items = items.filter(({ id }) => id !== itemId);
      },
      truncate(itemId, ms) {
        const item = items.find(({ id }) => id === itemId);
        if (item && 'role' in item) item.cutMs = ms;
      },
      reply: (request) => void run(request),
      cancel(replyId) {
        const reply = replies.get(replyId);
        replies.delete(replyId);
        reply?.abort.abort();
        if (reply?.spoken) synthesizer.cancel(replyId);
      },
      close: async () => {
        for (const { abort } of replies.values()) abort.abort();
        replies.clear();
      },
    };
  }

  /** As the language model gets it. */
  function messages(): ChatMessage[] {
    const all: ChatMessage[] = [{ role: 'system', content: prompt.instructions }];
    for (const item of items) {
      const last = all.at(-1)!;
      if (!('role' in item)) {
        if (item.type === 'tool_result') {
          all.push({ role: 'tool', tool_call_id: item.callId, name: item.name, content: item.result });
        } else if (last.role === 'assistant') last.tool_calls = [...(last.tool_calls ?? []), item.call];
        else all.push({ role: 'assistant', content: '', tool_calls: [item.call] });
      } else if (item.text === '') continue;
      else if (item.role === 'user' && last.role === 'user') last.content = `${last.content} ${item.text}`;
      else all.push({ role: item.role, content: wordsOf(item) });
    }
    return all;
  }

  function wordsOf({ text, cutMs, replyId }: Extract<Item, { role: string }>): string {
    if (cutMs === undefined) return text.trim();
    const characters = Math.floor(cutMs / msPerCharacter(replyId!));
    return `${text
      .slice(0, characters + 1)
      .replace(/\S*$/u, '')
      .trim()} —`;
  }

  async function run(request: RealtimeReplyRequest): Promise<void> {
    const { replyId, mayCallTools, maxTokens } = request;
    const reply: Reply = { request, abort: new AbortController(), finish: null, spoken: false };
    replies.set(replyId, reply);
    const isLive = () => replies.get(replyId) === reply;
    const segmenter = createSpeechSegmenter({ language: 'en' });
    let item: Extract<Item, { role: string }> | null = null;
    const say = (segments: { spoken: string }[]) => {
      for (const { spoken } of segments) {
        if (!/[\p{L}\p{N}]/u.test(spoken)) continue;
        reply.spoken = true;
        synthesizer.speak(replyId, spoken);
      }
    };
    const over = (failure: { kind: LanguageModelError['kind']; message: string } | null) => {
      const finish = () => {
        if (!isLive()) return;
        replies.delete(replyId);
        listener({ type: 'reply_ended', replyId, failure });
      };
      if (!reply.spoken) {
        finish();
        return;
      }
      reply.finish = finish;
      synthesizer.end(replyId);
    };
    const asked = {
      ...{ messages: messages(), tools: prompt.tools, temperature: 0.4, max_tokens: maxTokens },
      ...(mayCallTools ? {} : { tool_choice: 'none' as const }),
    };
    try {
      for await (const part of model.stream(asked, reply.abort.signal)) {
        if (!isLive()) return;
        if (part.type === 'text') {
          if (!item) {
            item = { id: `${replyId} words`, role: 'assistant', text: '', replyId };
            items.push(item);
            listener({ type: 'item', replyId, itemId: item.id });
          }
          item.text += part.text;
          listener({ type: 'text', replyId, itemId: item.id, text: part.text });
          if (isLive()) say(segmenter.push(part.text));
        } else if (part.type === 'tool_call') {
          const id = `${replyId} ${part.call.id}`;
          items.push({ id, type: 'tool_call', call: part.call });
          listener({ type: 'tool_call', replyId, itemId: id, call: part.call });
        }
      }
      if (!isLive()) return;
      say(segmenter.flush());
      over(null);
    } catch (error) {
      const { kind, message } =
        error instanceof LanguageModelError ? error : { kind: 'unavailable' as const, message: String(error) };
      if (isLive()) say(segmenter.flush());
      over({ kind, message });
    }
  }

  return {
    create,
    /** Takes an event of the synthesizer; false when it belongs to no reply of the model. */
    onSynthesizerEvent(event: SynthesizerEvent): boolean {
      const replyId = event.contextId ?? '';
      const reply = replies.get(replyId);
      if (!reply) return replyId.includes('#');
      if (event.type === 'audio') listener({ type: 'audio', replyId, itemId: `${replyId} words`, bytes: event.bytes });
      else if (event.type === 'done') reply.finish?.();
      return true;
    },
  };
}
