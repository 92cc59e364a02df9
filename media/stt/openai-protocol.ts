import type { Clock } from '../../shared/clock.ts';
import type { ProviderFailure } from '../provider/provider-error.ts';
import { createRequestedFinals, MAX_TEXT_CHARS } from './requested-finals.ts';
import type { TranscriberConnection, TranscriberProtocol } from './streaming-transcriber.ts';

/** The provider's 99th percentile is more than a second and a half. */
const FINAL_WITHIN_MS = 2_400;
/** Audio without words is committed this often, so that an item stays short. */
const MAX_OPEN_MS = 20_000;
const MAX_ITEMS = 50;
const TRANSCRIPTION = 'conversation.item.input_audio_transcription.';

/** A commit and its answer, both null until they are known. */
interface Commit {
  item: string | null;
  text: string | null;
  language?: unknown;
}

/**
 * The messages of OpenAI's transcriber: words are appended to an item while the caller speaks, a commit ends the item, and its
 * whole text follows. Items may be completed in another order than they were committed in; they are put in order here. A commit
 * of less than 0.1 s of audio is refused with an error that ends nothing.
 */
export function createOpenAiProtocol(
  connection: TranscriberConnection,
  session: object,
  clock: Clock,
): TranscriberProtocol {
  /** Words of the items that are not complete, in order. */
  const items = new Map<string, string>();
  let commits: Commit[] = [];
  let isReady = false;
  let committedMs = 0;
  const request = () => {
    committedMs = connection.sentMs;
    commits.push({ item: null, text: null });
    connection.send('{"type":"input_audio_buffer.commit"}');
  };
  const finals = createRequestedFinals({ connection, clock, finalWithinMs: FINAL_WITHIN_MS, request });

  function onDelta(item: string, delta: unknown): void {
    if (typeof delta !== 'string') return;
    if (!items.has(item) && items.size >= MAX_ITEMS) return;
    items.set(item, ((items.get(item) ?? '') + delta).slice(0, MAX_TEXT_CHARS));
    emitPartial();
  }

  function emitPartial(): void {
    finals.partial([...items.values()].map((text) => text.trim()).join(' '));
  }

  /** The oldest commit whose item is not known yet; the provider answers commits in their order. */
  const unanswered = () => commits.find(({ item, text }) => item === null && text === null);

  function onCommitted(item: string): void {
    const commit = unanswered();
    if (commit) commit.item = item;
    else if (commits.length < MAX_ITEMS) commits.push({ item, text: null });
  }

  function onCompleted(item: string, text: string, language?: unknown): void {
    const commit = commits.find((each) => each.item === item && each.text === null);
    if (!commit) {
      connection.ignore('an item that was not committed');
      return;
    }
    commit.text = text;
    commit.language = language;
    emitCompleted();
  }

  function emitCompleted(): void {
    while (commits[0] && commits[0].text !== null) {
      const { item, text, language } = commits.shift()!;
      if (item !== null) items.delete(item);
      finals.final(text!, language);
    }
    emitPartial();
  }

  function onError(error: Record<string, unknown>): void {
    const code = typeof error.code === 'string' ? error.code.slice(0, 80) : '';
    const commit = code === 'input_audio_buffer_commit_empty' ? unanswered() : undefined;
    if (commit) {
      commit.text = '';
      emitCompleted();
      return;
    }
    const kind =
      openAiFailure(code) ?? (isReady ? null : error.type === 'server_error' ? 'unavailable' : 'bad_request');
    if (kind) connection.fail(kind, `the transcriber reported ${code || 'an error'}`);
    // The session goes on after any other.
    else connection.ignore(`error ${code}`);
  }

  return {
    inSpeech: () => finals.inSpeech,
    onOpen: () => connection.send(JSON.stringify({ type: 'session.update', session })),
    onMessage(message) {
      const { type, item_id } = message;
      if (type === 'session.updated') {
        isReady = true;
        connection.completeHandshake();
      } else if (type === 'error') {
        onError(typeof message.error === 'object' && message.error !== null ? { ...message.error } : {});
      } else if (typeof item_id !== 'string') {
        return;
      } else if (type === 'input_audio_buffer.committed') onCommitted(item_id);
      else if (type === `${TRANSCRIPTION}delta`) onDelta(item_id, message.delta);
      else if (type === `${TRANSCRIPTION}completed`) {
        const [language] = Array.isArray(message.languages) ? (message.languages as unknown[]) : [];
        onCompleted(item_id, typeof message.transcript === 'string' ? message.transcript : '', language);
        // What is known of it is all there will be.
      } else if (type === `${TRANSCRIPTION}failed`) onCompleted(item_id, items.get(item_id) ?? '');
    },
    encodeAudio(chunk) {
      if (!finals.inSpeech && connection.sentMs - committedMs > MAX_OPEN_MS) finals.settle();
      const audio = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('base64');
      return `{"type":"input_audio_buffer.append","audio":"${audio}"}`;
    },
    finalize() {
      request();
      finals.requested();
    },
    stop() {
      commits = [];
      finals.stop();
    },
  };
}

/** What the code of an error means that ends the session; undefined for the others. */
function openAiFailure(code: string): ProviderFailure | undefined {
  if (/api_key|quota|permission|auth/.test(code)) return 'auth';
  if (/rate_limit|overloaded/.test(code)) return 'capacity';
  if (/session_expired/.test(code)) return 'unavailable';
  return undefined;
}
