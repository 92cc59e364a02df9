import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PCM_8K } from '../../../media/audio/format.ts';
import type { CallOptions } from '../../../media/call/call.ts';
import { createCaptureEntries } from '../../../media/call/capture-entries.ts';
import { captureCall } from '../../../media/call/captured-call.ts';
import { captureProviderFactory } from '../../../media/call/captured-provider-factory.ts';
import type { ProviderFactory } from '../../../media/call/provider-factory.ts';
import { ProviderError } from '../../../media/provider/provider-error.ts';
import type { CallCapture } from '../../../media/report/call-capture.ts';
import { type ChatPart, type LanguageModel, LanguageModelError } from '../../../shared/llm/language-model.ts';
import { createLogger } from '../../../shared/log.ts';
import { SafeFetchError } from '../../../shared/safe-fetch.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

/** What is written of a call's providers, and of everything else that it is given. */

// biome-ignore lint/suspicious/noExplicitAny: parts of a call that do only what a test needs of them.
type Part = any;

let clock: VirtualClock;
let entries: Record<string, unknown>[];
beforeEach(async () => {
  clock = createVirtualClock();
  await clock.advance(5_000);
  entries = [];
});

function captured(factory: Part): ProviderFactory {
  const capture = { add: (entry: Part) => void entries.push(entry) } as unknown as CallCapture;
  return captureProviderFactory(factory, createCaptureEntries(capture, clock));
}

const of = (kind: string) => entries.filter(({ k }) => k === kind);
const LOST = new ProviderError('p', 'unavailable', 'lost');
const FAILURE = { provider: 'p', kind: 'unavailable', message: 'lost' };

describe('of a transcriber', () => {
  test('its events are written and passed on, and the rest is left to it', async () => {
    const emitted: unknown[] = [];
    let emit: Part;
    const own = {
      ...{ provider: 'p', model: 'm', input: PCM_8K, decidesTurns: true, received: 0 },
      open: () => clock.advance(30),
      audio(chunk: Uint8Array) {
        this.received += chunk.length;
      },
    };
    const factory = captured({
      transcriber: (_agent: Part, _input: Part, listener: Part) => {
        emit = listener;
        return own;
      },
    });
    const transcriber = factory.transcriber({} as Part, PCM_8K, (event) => emitted.push(event));
    await transcriber.open();
    transcriber.audio(new Uint8Array(7));
    const final = { type: 'final', turn: 0, text: 'hello' };
    emit(final);
    emit({ type: 'failed', error: LOST });
    factory.transcriber({} as Part, PCM_8K, () => {});
    expect([own.received, transcriber.decidesTurns, emitted]).toEqual([
      7,
      true,
      [final, { type: 'failed', error: LOST }],
    ]);
    expect(of('created')).toMatchObject([
      { t: 0, component: 'transcriber', n: 0, provider: 'p', model: 'm', format: PCM_8K, decides_turns: true },
      { t: 30, n: 1 },
    ]);
    expect(of('opened')).toEqual([{ t: 30, k: 'opened', component: 'transcriber', n: 0, after: 30, failure: null }]);
    expect(of('transcriber_event').map(({ event }) => event)).toEqual([final, { type: 'failed', failure: FAILURE }]);
  });

  test('that cannot be opened the reason is', async () => {
    const own = { provider: 'p', open: () => Promise.reject(LOST) };
    const transcriber = captured({ transcriber: () => own }).transcriber({} as Part, PCM_8K, () => {});
    await expect(transcriber.open()).rejects.toBe(LOST);
    expect(of('opened')).toMatchObject([{ failure: FAILURE }]);
  });
});

test('of a synthesizer every event is written with its context and the time since its first text', async () => {
  const emitted: Part[] = [];
  const spoken: string[] = [];
  let emit: Part;
  const factory = captured({
    synthesizer: (_agent: Part, _output: Part, listener: Part) => {
      emit = listener;
      return { provider: 'p', model: 'm', output: PCM_8K, speak: (id: string) => spoken.push(id) };
    },
  });
  const synthesizer = factory.synthesizer({} as Part, PCM_8K, (event) => emitted.push(event.type));
  synthesizer.speak('a', 'One.');
  await clock.advance(10);
  synthesizer.speak('a', 'Two.');
  synthesizer.speak('b', 'Three.');
  await clock.advance(10);
  emit({ type: 'audio', contextId: 'a', bytes: new Uint8Array(320) });
  emit({ type: 'timing', contextId: 'b', text: 'Th', startMs: [0, 5] });
  emit({ type: 'done', contextId: 'unknown' });
  emit({ type: 'done', contextId: 'b' });
  emit({ type: 'failed', contextId: 'a', error: LOST });
  emit({ type: 'failed', contextId: null, error: LOST });
  expect([spoken.join(''), emitted.length]).toEqual(['aab', 6]);
  expect(of('created')).toMatchObject([{ component: 'synthesizer', n: 0, decides_turns: false }]);
  expect(of('synthesizer_event').map(({ c, after, event }) => [c, after, event])).toEqual([
    [0, 20, { type: 'audio', bytes: 320 }],
    [1, 10, { type: 'timing', text: 'Th', startMs: [0, 5] }],
    [1, 10, { type: 'done' }],
    [0, 20, { type: 'failed', failure: FAILURE }],
  ]);
  expect(of('synthesizer_failed')).toMatchObject([{ n: 0, failure: FAILURE }]);
});

test('of a session that hears and speaks what belongs to a reply has its number, and audio its length', async () => {
  const asked: string[] = [];
  let emit: Part;
  const own = {
    ...{ provider: 'p', model: 'm', input: PCM_8K, output: PCM_8K },
    capabilities: { edits: true, textOutput: false, maxSessionMs: 9 },
    open: () => clock.advance(30),
    reply: ({ replyId }: Part) => void asked.push(replyId),
  };
  const factory = captured({
    realtime: () => (options: Part) => {
      emit = options.listener;
      return own;
    },
  });
  const heard: string[] = [];
  const session = factory.realtime({} as Part)({ listener: ({ type }: Part) => heard.push(type) } as Part);
  await session.open();
  session.reply({ replyId: 'a', maxTokens: 1, mayCallTools: true });
  session.reply({ replyId: 'b', maxTokens: 1, mayCallTools: true });
  await clock.advance(10);
  emit({ type: 'transcript', itemId: 'u1', text: 'yes' });
  emit({ type: 'audio', replyId: 'b', itemId: 'i', bytes: new Uint8Array(320) });
  emit({ type: 'failed', error: LOST });
  expect([asked.join(''), heard.join(' ')]).toEqual(['ab', 'transcript audio failed']);
  expect(of('session_created')).toMatchObject([{ n: 0, edits: true, text_output: false, max_session_ms: 9 }]);
  expect(of('opened')).toMatchObject([{ component: 'realtime', after: 30, failure: null }]);
  expect(of('session_event').map(({ c, after, event }) => [c, after, event])).toEqual([
    [null, 0, { type: 'transcript', itemId: 'u1', text: 'yes' }],
    [1, 10, { type: 'audio', itemId: 'i', bytes: 320 }],
    [null, 0, { type: 'failed', failure: FAILURE }],
  ]);
});

test('of a language model every part is, and how it failed; one model is wrapped once', async () => {
  const refused = new LanguageModelError('capacity', 'full', 429, 2_000);
  const own = {
    ...{ provider: 'p', model: 'm', contextTokens: 9 },
    async *stream(): AsyncIterable<ChatPart> {
      await clock.advance(5);
      yield { type: 'text', text: 'Hello' };
      throw refused;
    },
  };
  const other = { provider: 'q', model: 'm' };
  const factory = captured({ model: ({ llm }: Part) => (llm === 'own' ? own : other) });
  const modelOf = (llm: string) => factory.model({ llm } as Part);
  const model: LanguageModel = modelOf('own');
  expect([modelOf('own') === model, modelOf('other') === model]).toEqual([true, false]);
  expect([model.contextTokens, 'contextTokens' in modelOf('other')]).toEqual([9, false]);
  const parts: unknown[] = [];
  const reading = async () => {
    for await (const part of model.stream({} as Part, new AbortController().signal)) parts.push(part);
  };
  await expect(reading()).rejects.toBe(refused);
  expect(parts).toEqual([{ type: 'text', text: 'Hello' }]);
  expect(of('llm_request')).toMatchObject([{ n: 0 }]);
  expect(of('llm_part').map(({ after, part, failure }) => [after, part, failure])).toEqual([
    [5, { type: 'text', text: 'Hello' }, null],
    [5, null, { provider: '', kind: 'capacity', message: 'full', status: 429, retry_after_ms: 2_000 }],
  ]);
});

test("of a tool's response only the type is kept of its headers, and of a failure its kind", async () => {
  const outcomes: Part[] = [
    { status: 200, headers: { 'content-type': 'text/plain', 'set-cookie': 'secret' }, body: 'x' },
    { status: 204, headers: {}, body: '' },
    new SafeFetchError('timeout'),
    new Error('defect'),
  ];
  const { safeFetch } = captured({
    safeFetch: async () => {
      const outcome = outcomes.shift();
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  });
  for (let request = 0; request < 4; request++) await safeFetch('https://x', {} as Part).catch(() => {});
  expect(of('tool_response').map(({ n, response, failure }) => [n, response, failure])).toEqual([
    [0, { status: 200, headers: { 'content-type': 'text/plain' }, body: 'x' }, null],
    [1, { status: 204, headers: { 'content-type': '' }, body: '' }, null],
    [2, null, { provider: '', kind: 'timeout', message: 'timeout' }],
    [3, null, { provider: '', kind: '', message: 'defect' }],
  ]);
});

test('of a turn detector every prediction is; there may be none', () => {
  const pushed: number[] = [];
  let answer: Part;
  const detector = {
    open: () => ({
      push: (samples: Int16Array) => pushed.push(samples.length),
      predict: (_: Part, give: Part) => (answer = give),
    }),
  };
  const stream = captured({ turnDetector: detector }).turnDetector!.open();
  const given: number[] = [];
  stream.push(new Int16Array(3), 0);
  stream.predict(0, (p) => given.push(p));
  answer(0.75);
  expect([pushed, given, of('turn_prediction')]).toMatchObject([[3], [0.75], [{ n: 0, after: 0, p: 0.75 }]]);
  expect(captured({ turnDetector: null }).turnDetector).toBeNull();
});

describe('of a call', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'antiphon-captured-call-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("control's replies and commands, permits, voice activity, health and the timeline are written and passed on", async () => {
    const passedOn: unknown[] = [];
    let command: Part;
    let outcome: Part;
    let window: Part;
    const permits = [{ release() {} }, null, null];
    const options: Part = {
      session: { call_id: 'c', direction: 'inbound', channel: 'phone', agent_json: '{}', user_data_json: '{}' },
      leg: { carrier: 'test', format: PCM_8K, callerFormat: PCM_8K },
      bus: {
        startTransfer: async () => ({ accepted: true, message: '' }),
        searchKnowledge: () => Promise.reject(new Error('no answer')),
        bookCallback: async () => ({}),
        serveCommands: (_id: string, handle: Part) => (command = handle),
        serveTransferOutcomes: (_id: string, handle: Part) => (outcome = handle),
      },
      permits: { tryAcquire: () => permits.shift(), acquire: async () => permits.shift() },
      vad: { open: (listener: Part) => (window = listener) },
      health: { unhealthyReason: (key: string) => (key === 'bad' ? 'down' : null) },
      reporter: { report: (...given: unknown[]) => passedOn.push(given) },
      providerFactory: { turnDetector: null },
      ...{ clock, log: createLogger('test', 'silent') },
    };
    const { options: wrapped, close } = captureCall(options as CallOptions, folder);
    const call: Part = wrapped;
    expect(wrapped.ofParticipants?.vad, 'a replay has no people').toBe(options.vad);
    await call.bus.startTransfer({}, 1);
    await expect(call.bus.searchKnowledge({}, 1)).rejects.toThrow('no answer');
    call.bus.serveCommands('c', (given: unknown) => passedOn.push(given));
    call.bus.serveTransferOutcomes('c', (given: unknown) => passedOn.push(given));
    command({ hangup_by: 'member' });
    outcome({ status: 'busy' });
    expect([call.permits.tryAcquire('a') === null, call.permits.tryAcquire('a')]).toEqual([false, null]);
    expect(await call.permits.acquire('a', 1)).toBeNull();
    call.vad.open((...given: unknown[]) => passedOn.push(given));
    window(0.123_456_78, 5_032, 0.5);
    expect(['bad', 'good'].map((key) => call.health.unhealthyReason(key))).toEqual(['down', null]);
    call.reporter.report('error', 'a message', { level: 'warning', data: { n: 1 } });
    call.reporter.report('welcome', 'hello');
    await close();
    expect(passedOn).toEqual([
      { hangup_by: 'member' },
      { status: 'busy' },
      [0.123_456_78, 5_032, 0.5],
      ['error', 'a message', { level: 'warning', data: { n: 1 } }],
      ['welcome', 'hello', {}],
    ]);
    const lines = gunzipSync(readFileSync(join(folder, 'c.capture.gz')))
      .toString()
      .trimEnd()
      .split('\n');
    const [head, ...written] = lines.map((line) => JSON.parse(line));
    expect(head).toMatchObject({
      ...{ k: 'header', redacted: false, session: { capped_by_credits: false, knowledge: null } },
    });
    expect(written.map(({ t: _t, ...entry }) => entry)).toEqual([
      { k: 'bus_reply', request: 'transfer', n: 0, after: 0, reply: { accepted: true, message: '' }, failure: null },
      { k: 'bus_reply', request: 'knowledge', n: 1, after: 0, reply: null, failure: 'no answer' },
      { k: 'command', command: { hangup_by: 'member' } },
      { k: 'transfer_outcome', outcome: { status: 'busy' } },
      { k: 'permit', account: 'a', n: 0, after: 0, granted: true },
      { k: 'permit', account: 'a', n: 1, after: 0, granted: false },
      { k: 'permit', account: 'a', n: 2, after: 0, granted: false },
      { k: 'vad', p: 0.123457, end: 32, periodicity: 0.5 },
      { k: 'health', key: 'bad', healthy: false, reason: 'down' },
      { k: 'health', key: 'good', healthy: true, reason: '' },
      { k: 'timeline_event', type: 'error', level: 'warning', message: 'a message', latency_ms: null, data: { n: 1 } },
      { k: 'timeline_event', type: 'welcome', level: 'info', message: 'hello', latency_ms: null, data: {} },
    ]);
  });
});
