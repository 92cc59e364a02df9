import type { ChatMessage, ToolCall } from '../../shared/llm/language-model.ts';
import { CUT_MARK, UNTRANSCRIBED } from '../../shared/llm/prompt.ts';
import type { RealtimeItem, RealtimeModel } from './realtime-model.ts';

/**
 * What a realtime model has in its history, and how it is brought to what the conversation says was said. Before every reply the
 * messages of the conversation, in which an agent's line holds the words that were played out, are compared with the items: what is
 * in both stays as it is, as audio; the rest is removed or added as text. So a new session gets all of the call, and whatever was
 * said by another voice, typed as keys or found by a tool has its place.
 */
export interface RealtimeHistory {
  /** Another session, which knows nothing, takes over. */
  reset(model: RealtimeModel): void;
  /** The caller's speech was committed as this item. */
  addSpeech(itemId: string): void;
  /** What was said in it; null when it could not be transcribed. */
  setTranscript(itemId: string, text: string | null): void;
  beginReply(replyId: string): void;
  addReplyItem(replyId: string, itemId: string): void;
  addReplyText(replyId: string, text: string): void;
  addReplyAudio(replyId: string, itemId: string, ms: number): void;
  addReplyCall(replyId: string, itemId: string, callId: string): void;
  /** The reply was generated to its end. */
  endReply(replyId: string): void;
  /** So much of the reply's audio was played out, and no more will be: the model's history ends there too. */
  playedOut(replyId: string, ms: number): void;
  /** Brings the model's history to these messages, without the instructions at their beginning. */
  reconcile(messages: readonly ChatMessage[]): void;
}

interface Reply {
  kind: 'reply';
  id: string;
  text: string;
  items: { id: string; audioMs: number }[];
  calls: { itemId: string; callId: string }[];
  complete: boolean;
  /** The caller did not hear all of it. */
  cut: boolean;
  /** The model was told in words how much of it was heard, where its items cannot be cut. */
  noted: boolean;
}

type Entry =
  | { kind: 'speech'; id: string; text: string | null }
  | { kind: 'message'; id: string; role: 'user' | 'assistant' | 'system'; text: string }
  | { kind: 'call'; id: string; callId: string }
  | { kind: 'result'; id: string; callId: string }
  | Reply;

/** Audio that is cut this short of its end counts as played: a model that is cut at the very end says it again. */
const END_MS = 20;

export function createRealtimeHistory(first: RealtimeModel): RealtimeHistory {
  let model = first;
  let entries: Entry[] = [];
  let items = 0;
  /** While messages are compared: the entry that is looked at next. */
  let next = 0;

  const reply = (replyId: string) =>
    entries.find((entry): entry is Reply => entry.kind === 'reply' && entry.id === replyId);

  function removeItems(entry: Entry): void {
    if (!model.capabilities.edits) return;
    if (entry.kind !== 'reply') model.remove(entry.id);
    else for (const id of itemIds(entry)) model.remove(id);
  }

  /** Entries before `index` are in no message: the model forgets them, but for speech whose words are not known yet. */
  function skipTo(index: number): void {
    const unsaid = entries.slice(next, index);
    if (!model.capabilities.edits) {
      for (const entry of unsaid) if (entry.kind === 'reply') noteHeard(entry, '');
      next = index;
      return;
    }
    const kept = unsaid.filter((entry) => entry.kind === 'speech' && entry.text === null);
    for (const entry of unsaid) if (!kept.includes(entry)) removeItems(entry);
    entries.splice(next, unsaid.length, ...kept);
    next += kept.length;
  }

  function take(index: number): Entry {
    skipTo(index);
    return entries[next++]!;
  }

  function insert(item: RealtimeItem, entry: Entry): void {
    const before = entries[next - 1];
    if (next >= entries.length) model.add(item, 'last');
    else model.add(item, before === undefined ? 'first' : { after: itemIds(before).at(-1)! });
    entries.splice(next++, 0, entry);
  }

  const newId = () => `i${++items}`;

  function insertMessage(role: 'user' | 'assistant' | 'system', text: string): void {
    if (text.trim() === '') return;
    const id = newId();
    insert({ id, type: 'message', role, text: text.trim() }, { kind: 'message', id, role, text: text.trim() });
  }

  function insertCall(call: ToolCall): void {
    const id = newId();
    insert({ id, type: 'tool_call', call }, { kind: 'call', id, callId: call.id });
  }

  function indexFrom(from: number, matches: (entry: Entry) => boolean, to = entries.length): number {
    for (let index = from; index < to; index++) if (matches(entries[index]!)) return index;
    return -1;
  }

  /** The caller's words: as items of speech where they were spoken, before the reply that follows them. */
  function takeUser(content: string, following: Entry | undefined): void {
    let rest = content.trim();
    while (rest !== '') {
      const until = following ? entries.indexOf(following) : entries.length;
      const index = indexFrom(next, (entry) => isUsers(entry) && rest.includes(wordsOf(entry)), until);
      if (index < 0) break;
      const entry = entries[index]!;
      const at = rest.indexOf(wordsOf(entry));
      insertMessage('user', rest.slice(0, at));
      take(entries.indexOf(entry));
      rest = rest.slice(at + wordsOf(entry).length).trim();
    }
    insertMessage('user', rest);
  }

  function takeAssistant(message: Extract<ChatMessage, { role: 'assistant' }>): void {
    const calls = message.tool_calls ?? [];
    const index = indexFrom(next, (entry) => isSameReply(entry, message));
    if (index < 0) {
      insertMessage('assistant', message.content);
      for (const call of calls) insertCall(call);
      return;
    }
    const entry = take(index);
    if (entry.kind === 'reply') settle(entry, message.content);
    const known = entry.kind === 'reply' ? entry.calls.map(({ callId }) => callId) : [];
    for (const call of calls) {
      if (known.includes(call.id)) continue;
      const made = indexFrom(next, (one) => one.kind === 'call' && one.callId === call.id);
      if (made < 0) insertCall(call);
      else take(made);
    }
  }

  /** The model's own words against what the caller heard of them. */
  function settle(entry: Reply, content: string): void {
    const heard = letters(content);
    const said = letters(entry.text);
    if (!model.capabilities.edits) {
      if (entry.cut && heard !== said) noteHeard(entry, content);
      return;
    }
    const spoken = entry.items.some(({ audioMs }) => audioMs > 0);
    if (spoken || heard === said) {
      // What another voice added, while a tool ran.
      const added = content.startsWith(entry.text.trim()) ? content.slice(entry.text.trim().length) : '';
      if (!entry.cut && letters(added) !== '') insertMessage('assistant', added);
      return;
    }
    // Written words cannot be cut, only replaced.
    for (const { id } of entry.items) model.remove(id);
    entry.items = [];
    entry.text = content;
    next--;
    if (entry.calls.length === 0) entries.splice(next, 1);
    insertMessage('assistant', content);
    if (entry.calls.length > 0) next++;
  }

  function noteHeard(entry: Reply, content: string): void {
    if (entry.noted || entry.text.trim() === '') return;
    entry.noted = true;
    const heard = content.replace(CUT_MARK, '').trim();
    const text =
      heard === '' ? '[The caller heard nothing of your last answer.]' : `[The caller heard only: "${heard}"]`;
    const id = newId();
    model.add({ id, type: 'message', role: 'system', text }, 'last');
  }

  return {
    reset(other) {
      model = other;
      entries = [];
    },
    addSpeech: (id) => void entries.push({ kind: 'speech', id, text: null }),
    setTranscript(itemId, text) {
      const entry = entries.find(({ kind, id }) => kind === 'speech' && id === itemId);
      if (entry?.kind === 'speech' && text !== null) entry.text = text.trim();
    },
    beginReply(id) {
      const none = { text: '', items: [], calls: [], complete: false, cut: false, noted: false };
      entries.push({ kind: 'reply', id, ...none });
    },
    addReplyItem(replyId, id) {
      const entry = reply(replyId);
      if (entry && !entry.items.some((item) => item.id === id)) entry.items.push({ id, audioMs: 0 });
    },
    addReplyText(replyId, text) {
      const entry = reply(replyId);
      if (entry) entry.text += text;
    },
    addReplyAudio(replyId, itemId, ms) {
      const item = reply(replyId)?.items.find(({ id }) => id === itemId);
      if (item) item.audioMs += ms;
    },
    addReplyCall(replyId, itemId, callId) {
      const entry = reply(replyId);
      if (!entry) return;
      entry.items = entry.items.filter(({ id }) => id !== itemId);
      entry.calls.push({ itemId, callId });
    },
    endReply(replyId) {
      const entry = reply(replyId);
      if (entry) entry.complete = true;
    },
    playedOut(replyId, ms) {
      const entry = reply(replyId);
      if (!entry || entry.cut) return;
      const receivedMs = entry.items.reduce((sum, { audioMs }) => sum + audioMs, 0);
      if (entry.complete && ms >= receivedMs - END_MS) return;
      entry.cut = true;
      if (!model.capabilities.edits) return;
      let leftMs = ms;
      const kept: Reply['items'] = [];
      for (const item of entry.items) {
        const playedMs = Math.min(leftMs, item.audioMs);
        leftMs -= playedMs;
        if (playedMs <= 0) {
          model.remove(item.id);
          continue;
        }
        kept.push(item);
        const isLast = item === entry.items.at(-1);
        if (playedMs < item.audioMs || (isLast && !entry.complete)) model.truncate(item.id, playedMs);
      }
      entry.items = kept;
      if (kept.length === 0 && entry.calls.length === 0) entries.splice(entries.indexOf(entry), 1);
    },
    reconcile(messages) {
      next = 0;
      for (const [index, message] of messages.entries()) {
        switch (message.role) {
          case 'user':
            takeUser(message.content, nextReply(messages, index));
            break;
          case 'assistant':
            takeAssistant(message);
            break;
          case 'tool': {
            const { tool_call_id: callId, name, content: result } = message;
            const at = indexFrom(next, (entry) => entry.kind === 'result' && entry.callId === callId);
            if (at >= 0) take(at);
            else {
              const id = newId();
              insert({ id, type: 'tool_result', callId, name, result }, { kind: 'result', id, callId });
            }
            break;
          }
          case 'system': {
            const { content } = message;
            const isSame = (entry: Entry) =>
              entry.kind === 'message' && entry.role === 'system' && entry.text === content.trim();
            const at = indexFrom(next, isSame);
            if (at >= 0) take(at);
            else insertMessage('system', content);
          }
        }
      }
      skipTo(entries.length);
    },
  };

  /** The entry that is the agent's next line after this message: the caller's words lie before it. */
  function nextReply(messages: readonly ChatMessage[], index: number): Entry | undefined {
    const following = messages.slice(index + 1).find((message) => message.role === 'assistant');
    return following && entries.slice(next).find((entry) => isSameReply(entry, following));
  }
}

const isUsers = (entry: Entry) =>
  (entry.kind === 'speech' && entry.text !== '') || (entry.kind === 'message' && entry.role === 'user');

function wordsOf(entry: Entry): string {
  return entry.kind === 'speech' || entry.kind === 'message' ? (entry.text ?? UNTRANSCRIBED) : '';
}

function itemIds(entry: Entry): string[] {
  if (entry.kind !== 'reply') return [entry.id];
  return [...entry.items.map(({ id }) => id), ...entry.calls.map(({ itemId }) => itemId)];
}

function isSameReply(entry: Entry, message: Extract<ChatMessage, { role: 'assistant' }>): boolean {
  const { tool_calls: calls = [], content } = message;
  if (entry.kind === 'message') return entry.role === 'assistant' && entry.text === content.trim() && entry.text !== '';
  if (entry.kind !== 'reply') return false;
  if (calls.some((call) => entry.calls.some(({ callId }) => callId === call.id))) return true;
  const heard = letters(content);
  const said = letters(entry.text);
  return heard !== '' && said !== '' && (said.startsWith(heard) || heard.startsWith(said));
}

const letters = (text: string) => text.replace(/[^\p{L}\p{M}\p{N}]/gu, '').toLowerCase();
