import { expect, it } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { ProviderError } from '../../../media/provider/provider-error.ts';
import type {
  ItemPlace,
  RealtimeItem,
  RealtimeListener,
  RealtimeLlm,
  RealtimeModel,
} from '../../../media/realtime/realtime-model.ts';
import { createRealtimeSession } from '../../../media/realtime/realtime-session.ts';
import { createFallbackTranscriber } from '../../../media/stt/fallback-transcriber.ts';
import type { TranscriberEvent } from '../../../media/stt/transcriber.ts';
import type { SynthesizerEvent } from '../../../media/tts/synthesizer.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import type { ChatMessage, ChatPart } from '../../../shared/llm/language-model.ts';
import { UNTRANSCRIBED } from '../../../shared/llm/prompt.ts';
import { createLogger } from '../../../shared/log.ts';
import { createFakeSynthesizer } from '../../support/fake-synthesizer.ts';
import { unlimitedPermits } from '../../support/memory-permits.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

/** The sessions of one call on the virtual clock; what the provider does is said by the test. */

const log = createLogger('test', 'silent');
const agent = agentConfigSchema.parse({ name: 'A', llm: { provider: 'openai', model: 'gpt-realtime' } });
const HOUR_MS = 3_600_000;
const FRAME = new Uint8Array(160);
/** A second of audio. */
const SECOND = new Uint8Array(8_000);

interface Session {
  emit: RealtimeListener;
  did: string[];
  items: (RealtimeItem & { place: ItemPlace })[];
  audioBytes: number;
  closed: boolean;
}

function openCall(over: Partial<RealtimeLlm['realtime']> = {}) {
  const clock = createVirtualClock();
  const sessions: Session[] = [];
  const provider = { refuses: false };
  const events: TranscriberEvent[] = [];
  const spoken: SynthesizerEvent[] = [];
  const texts: string[] = [];
  const fake = createFakeSynthesizer(clock, [], {}, (event) => session.onVoiceEvent(event));
  const voice = {
    ...fake.synthesizer,
    speak(contextId: string, text: string) {
      texts.push(text);
      fake.synthesizer.speak(contextId, text);
    },
  };
  const llm = { ...agent.llm, realtime: { ...agent.llm.realtime!, ...over } };
  const session = createRealtimeSession({
    ...{ llm, voice, agentFormat: MULAW_8K, clock, log },
    prompt: () => ({ instructions: 'Be brief.', tools: [] }),
    onSynthesizer: (event) => spoken.push(event.type === 'audio' ? { ...event, bytes: event.bytes.slice() } : event),
    onUsage() {},
    onReply() {},
    create(_prompt, emit): RealtimeModel {
      if (provider.refuses) throw new ProviderError('openai', 'unavailable', 'not configured');
      const one: Session = { emit, did: [], items: [], audioBytes: 0, closed: false };
      sessions.push(one);
      const note = (what: string) => void one.did.push(what);
      return {
        ...{ provider: 'openai', model: 'gpt-realtime', input: MULAW_8K, output: MULAW_8K },
        capabilities: { edits: true, textOutput: true, maxSessionMs: HOUR_MS },
        open: async () => {},
        startSpeech() {},
        audio: (chunk) => {
          one.audioBytes += chunk.length;
        },
        commit: (id) => note(`commit ${id}`),
        instruct: () => note('instruct'),
        add: (item, place) => void one.items.push({ ...item, place }),
        remove: (id) => note(`remove ${id}`),
        truncate: (id, ms) => note(`cut ${id} at ${ms}`),
        reply: ({ replyId }) => note(`reply ${replyId}`),
        cancel: (replyId) => note(`cancel ${replyId}`),
        close: async () => {
          one.closed = true;
        },
      };
    },
  });
  const transcriber = createFallbackTranscriber({
    ...{ clock, log, inputFormat: MULAW_8K, permits: unlimitedPermits(), listener: (event) => events.push(event) },
    choices: [
      {
        name: { provider: 'openai', model: 'gpt-realtime', language: '' },
        ...{ account: '', decidesTurns: false, create: session.transcriber },
      },
    ],
    watch() {},
    onFallback() {},
    onCapacity() {},
    onActive() {},
  });
  const call = {
    ...{ clock, provider, sessions, events, spoken, texts, session, transcriber },
    current: () => sessions.at(-1)!,
    async says(seconds = 1) {
      transcriber.speech(true);
      for (let frame = 0; frame < seconds * 50; frame++) transcriber.audio(FRAME);
      transcriber.speech(false);
      transcriber.finalize();
      await clock.advance(1);
    },
    /** Asks for a reply to these messages; its parts so far. */
    ask(messages: ChatMessage[], reply_id = 'r1') {
      const parts: ChatPart[] = [];
      const abort = new AbortController();
      const failed: unknown[] = [];
      const request = { messages: [{ role: 'system' as const, content: 'Be brief.' }, ...messages], tools: [] };
      void (async () => {
        try {
          const more = { temperature: 0, max_tokens: 100, reply_id };
          for await (const part of session.model.stream({ ...request, ...more }, abort.signal)) parts.push(part);
        } catch (error) {
          failed.push(error);
        }
      })();
      return { parts, abort, failed };
    },
  };
  return call;
}

const user = (content: string): ChatMessage => ({ role: 'user', content });

it('a text that the agent’s own voice began before there was a session is played out', async () => {
  const { clock, session, spoken, transcriber } = openCall();
  await session.synthesizer.open();
  session.synthesizer.speak('welcome', 'Good morning.');
  session.synthesizer.end('welcome');
  await transcriber.open();
  await clock.advance(2_000);
  expect(new Set(spoken.map(({ type }) => type))).toEqual(new Set(['audio', 'done']));
});

it('a turn can be answered before its words are known, and they are emitted when they come', async () => {
  const { events, says, current, transcriber } = openCall();
  await transcriber.open();
  await says();
  expect(events).toEqual([{ type: 'untranscribed', turn: 0, text: '' }]);
  current().emit({ type: 'transcript', itemId: 'u1', text: 'book a table' });
  expect(events.at(-1)).toEqual({ type: 'final', turn: 0, text: 'book a table' });
});

it('a moment of speech is not answered without words', async () => {
  const { events, says, transcriber } = openCall();
  await transcriber.open();
  await says(0.3);
  expect(events).toEqual([]);
});

it('what was said before the caller’s first speech lies before it in the history', async () => {
  const { says, ask, current, transcriber, clock } = openCall();
  await transcriber.open();
  await says();
  current().emit({ type: 'transcript', itemId: 'u1', text: 'book a table' });
  ask([{ role: 'assistant', content: 'Good morning.' }, user('book a table')]);
  await clock.advance(1);
  expect(current().items).toMatchObject([{ role: 'assistant', text: 'Good morning.', place: 'first' }]);
});

it('speech stays speech in the history, with its words or without', async () => {
  const { says, ask, current, transcriber, clock } = openCall();
  await transcriber.open();
  await says();
  current().emit({ type: 'transcript', itemId: 'u1', text: 'book a table' });
  await says();
  ask([user(`book a table ${UNTRANSCRIBED}`)]);
  await clock.advance(1);
  expect(current().items).toEqual([]);
  expect(current().did).toEqual(['commit u1', 'commit u2', 'reply r1#1']);
});

it('what was not replied to and is in no message leaves the history', async () => {
  const { says, ask, current, transcriber, clock } = openCall();
  await transcriber.open();
  await says();
  current().emit({ type: 'transcript', itemId: 'u1', text: 'mm-hm' });
  await says();
  current().emit({ type: 'transcript', itemId: 'u2', text: 'book a table' });
  ask([user('[pressed 1] book a table')]);
  await clock.advance(1);
  expect(current().did).toContain('remove u1');
  expect(current().items).toMatchObject([{ type: 'message', role: 'user', text: '[pressed 1]', place: 'first' }]);
});

it('each item of a reply ends where it was played out to', async () => {
  const { ask, current, transcriber, session, clock } = openCall();
  await transcriber.open();
  ask([user('book a table')]);
  await clock.advance(1);
  const { emit } = current();
  for (const itemId of ['a', 'b']) {
    emit({ type: 'item', replyId: 'r1#1', itemId });
    emit({ type: 'text', replyId: 'r1#1', itemId, text: 'some words ' });
    emit({ type: 'audio', replyId: 'r1#1', itemId, bytes: SECOND });
  }
  emit({ type: 'reply_ended', replyId: 'r1#1', failure: null });
  session.synthesizer.playedOut!('r1', 400);
  expect(current().did.slice(-2)).toEqual(['cut a at 400', 'remove b']);
});

it('a reply that was played to its end is not cut', async () => {
  const { ask, current, transcriber, session, clock } = openCall();
  await transcriber.open();
  ask([user('book a table')]);
  await clock.advance(1);
  current().emit({ type: 'item', replyId: 'r1#1', itemId: 'a' });
  current().emit({ type: 'audio', replyId: 'r1#1', itemId: 'a', bytes: SECOND });
  current().emit({ type: 'reply_ended', replyId: 'r1#1', failure: null });
  session.synthesizer.playedOut!('r1', 1_000);
  expect(current().did.at(-1)).toBe('reply r1#1');
});

it('another session takes over before the time of one is up, while nobody speaks, and knows the call', async () => {
  const { sessions, says, ask, current, transcriber, clock } = openCall();
  await transcriber.open();
  transcriber.speech(true);
  await clock.advance(HOUR_MS);
  expect(sessions).toHaveLength(2);
  expect(sessions[0]!.closed).toBe(false);
  transcriber.speech(false);
  transcriber.audio(SECOND);
  transcriber.finalize();
  sessions[0]!.emit({ type: 'transcript', itemId: 'u1', text: 'book a table' });
  expect(sessions[0]!.closed).toBe(true);
  await says();
  ask([user('hello'), { role: 'assistant', content: 'How can I help?' }, user('book a table')]);
  await clock.advance(1);
  expect(current().items.map((item) => (item.type === 'message' ? `${item.role}: ${item.text}` : ''))).toEqual([
    'user: hello',
    'assistant: How can I help?',
    'user: book a table',
  ]);
});

it('words that never come do not keep the next session waiting', async () => {
  const { sessions, says, transcriber, clock } = openCall();
  await transcriber.open();
  await says();
  await clock.advance(HOUR_MS - 60_000);
  expect(sessions.map(({ closed }) => closed)).toEqual([true, false]);
});

it('a session that is lost before it takes over is followed by another', async () => {
  const { sessions, transcriber, clock } = openCall();
  await transcriber.open();
  transcriber.speech(true);
  await clock.advance(HOUR_MS - 4 * 60_000);
  sessions[1]!.emit({ type: 'failed', error: new ProviderError('openai', 'unavailable', 'gone') });
  await clock.advance(20_000);
  expect(sessions).toHaveLength(3);
});

it('a session that cannot be created when it is to follow is tried again', async () => {
  const { sessions, provider, transcriber, clock } = openCall();
  await transcriber.open();
  provider.refuses = true;
  await clock.advance(HOUR_MS - 4 * 60_000);
  expect(sessions).toHaveLength(1);
  provider.refuses = false;
  await clock.advance(20_000);
  expect(sessions.map(({ closed }) => closed)).toEqual([true, false]);
});

it('a session that is opened again gets the half second before the caller’s next speech', async () => {
  const { sessions, says, transcriber, clock } = openCall();
  await transcriber.open();
  await clock.advance(60_000);
  await says(3);
  sessions[0]!.emit({ type: 'transcript', itemId: 'u1', text: 'book a table' });
  sessions[0]!.emit({ type: 'failed', error: new ProviderError('openai', 'unavailable', 'gone') });
  await clock.advance(50);
  for (let frame = 0; frame < 50; frame++) transcriber.audio(FRAME);
  transcriber.speech(true);
  expect(sessions[1]!.audioBytes).toBe(SECOND.length / 2);
});

it('a session that is lost while the caller speaks loses no word', async () => {
  const { sessions, says, events, transcriber, clock } = openCall();
  await transcriber.open();
  await clock.advance(60_000);
  await says(2);
  const error = new ProviderError('openai', 'unavailable', 'closed by the provider with code 1001');
  sessions[0]!.emit({ type: 'failed', error });
  await clock.advance(50);
  expect(sessions).toHaveLength(2);
  expect(sessions[1]!.audioBytes).toBeGreaterThanOrEqual(2 * SECOND.length);
  sessions[1]!.emit({ type: 'transcript', itemId: 'u2', text: 'book a table' });
  expect(events.at(-1)).toMatchObject({ type: 'final', text: 'book a table' });
});

it('a session that is lost before a word of its reply is opened again and asked once more', async () => {
  const { sessions, ask, transcriber, clock } = openCall();
  await transcriber.open();
  await clock.advance(60_000);
  const { parts, failed } = ask([user('book a table')]);
  await clock.advance(1);
  sessions[0]!.emit({ type: 'failed', error: new ProviderError('openai', 'unavailable', 'gone') });
  await clock.advance(50);
  expect(sessions[1]!.did).toContain('reply r1#2');
  sessions[1]!.emit({ type: 'text', replyId: 'r1#2', itemId: 'a', text: 'Certainly.' });
  sessions[1]!.emit({ type: 'reply_ended', replyId: 'r1#2', failure: null });
  await clock.advance(1);
  expect(failed).toEqual([]);
  expect(parts[0]).toEqual({ type: 'text', text: 'Certainly.', voiced: true });
});

it('the words of a reply whose session is lost are said by the agent’s own voice', async () => {
  const { sessions, ask, texts, spoken, session, transcriber, clock } = openCall();
  await transcriber.open();
  ask([user('book a table')]);
  await clock.advance(1);
  const { emit } = sessions[0]!;
  emit({ type: 'item', replyId: 'r1#1', itemId: 'a' });
  emit({ type: 'text', replyId: 'r1#1', itemId: 'a', text: 'A table for two, tomorrow at seven.' });
  emit({ type: 'audio', replyId: 'r1#1', itemId: 'a', bytes: SECOND });
  emit({ type: 'failed', error: new ProviderError('openai', 'unavailable', 'gone') });
  session.synthesizer.end('r1');
  await clock.advance(5_000);
  // A second is fifteen characters, the last word of which was cut.
  expect(texts).toEqual(['two, tomorrow at seven.']);
  expect(spoken.at(-1)).toEqual({ type: 'done', contextId: 'r1' });
});

it('the words of a reply whose session is closed are said by the agent’s own voice', async () => {
  const { sessions, ask, texts, spoken, session, transcriber, clock } = openCall();
  await transcriber.open();
  const { failed } = ask([user('book a table')]);
  await clock.advance(1);
  const { emit } = sessions[0]!;
  emit({ type: 'text', replyId: 'r1#1', itemId: 'a', text: 'A table for two, tomorrow at seven.' });
  emit({ type: 'audio', replyId: 'r1#1', itemId: 'a', bytes: SECOND });
  await transcriber.close();
  session.synthesizer.end('r1');
  await clock.advance(5_000);
  expect(failed).toHaveLength(1);
  expect(texts).toEqual(['two, tomorrow at seven.']);
  expect(spoken.at(-1)).toEqual({ type: 'done', contextId: 'r1' });
});

it('words that have no audio are said by the agent’s own voice', async () => {
  const { sessions, ask, spoken, transcriber, clock } = openCall();
  await transcriber.open();
  ask([user('book a table')]);
  await clock.advance(1);
  sessions[0]!.emit({ type: 'text', replyId: 'r1#1', itemId: 'a', text: 'Certainly.' });
  sessions[0]!.emit({ type: 'reply_ended', replyId: 'r1#1', failure: null });
  expect(spoken).toMatchObject([{ type: 'failed', contextId: 'r1' }]);
});

it('a tool’s message in the middle of a reply is said between the two', async () => {
  const { sessions, ask, spoken, session, transcriber, clock } = openCall();
  await transcriber.open();
  ask([user('book a table')]);
  await clock.advance(1);
  sessions[0]!.emit({ type: 'audio', replyId: 'r1#1', itemId: 'a', bytes: FRAME });
  sessions[0]!.emit({ type: 'reply_ended', replyId: 'r1#1', failure: null });
  session.synthesizer.speak('r1', 'One moment.');
  ask([user('book a table')]);
  await clock.advance(1);
  sessions[0]!.emit({ type: 'audio', replyId: 'r1#2', itemId: 'b', bytes: SECOND });
  sessions[0]!.emit({ type: 'reply_ended', replyId: 'r1#2', failure: null });
  session.synthesizer.end('r1');
  await clock.advance(3_000);
  const sizes = spoken.flatMap((event) => (event.type === 'audio' ? event.bytes.length : []));
  expect(sizes[0]).toBe(FRAME.length);
  expect(sizes.at(-1)).toBe(SECOND.length);
  expect(sizes).toHaveLength(3);
  expect(spoken.at(-1)).toEqual({ type: 'done', contextId: 'r1' });
});

it('with text as its output the agent’s own voice gets the words, and what was cut is written anew', async () => {
  const { sessions, ask, current, transcriber, clock } = openCall({ output: 'text' });
  await transcriber.open();
  const { parts } = ask([user('book a table')]);
  await clock.advance(1);
  sessions[0]!.emit({ type: 'item', replyId: 'r1#1', itemId: 'a' });
  sessions[0]!.emit({ type: 'text', replyId: 'r1#1', itemId: 'a', text: 'Certainly, for how many?' });
  sessions[0]!.emit({ type: 'reply_ended', replyId: 'r1#1', failure: null });
  await clock.advance(1);
  expect(parts[0]).toMatchObject({ type: 'text', voiced: false });
  ask([user('book a table'), { role: 'assistant', content: 'Certainly, —' }, user('for two')], 'r2');
  await clock.advance(1);
  expect(current().did).toContain('remove a');
  const added = current().items.map((item) => (item.type === 'message' ? item.text : ''));
  expect(added).toEqual(['book a table', 'Certainly, —', 'for two']);
});
