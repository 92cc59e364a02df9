import { describe, expect, it } from 'vitest';
import { type MediaEvent, parseMediaEvent } from '../../../../control/calls/events/media-event.ts';
import type { CallEvent } from '../../../../shared/bus/messages.ts';
import { mediaEvent } from '../call-fixture.ts';

const AT = Date.UTC(2026, 10, 23);

const parse = (more: Partial<CallEvent> = {}, type = 'error') =>
  parseMediaEvent(mediaEvent('c1', 1, type, { at_ms: AT, ...more }));

/** The end as an engine reported it, with other data where `data` is given. */
const end = (ending: Partial<CallEvent['ending'] & object> = {}, data: unknown = {}) =>
  (
    parse(
      {
        data_json: JSON.stringify(data),
        ending: {
          ...{ hangup_by: 'caller', hangup_reason: 'caller hung up', duration_seconds: 5, recorded: true },
          ...ending,
        },
      },
      'call.ended',
    ) as MediaEvent
  ).ending!;

const line = (more = {}) => ({ role: 'user' as const, text: 'Hi', at_ms: AT + 0.6, interrupted: true, ...more });

describe('an event of an engine', () => {
  it('is what the timeline needs', () => {
    expect(parse({ seq: 7, message: 'a\0b', latency_ms: 210.5, data_json: '{"a":[1]}', transcript: [line()] })).toEqual(
      {
        ...{
          type: 'error',
          source_seq: 7,
          engine_id: 'engine-1',
          at_ms: AT,
          level: 'info',
          message: 'ab',
          latency_ms: 211,
        },
        ...{ data: { a: [1] }, ending: null },
        transcript: [{ role: 'user', text: 'Hi', at: AT + 1, interrupted: true }],
      },
    );
  });

  it('without data or latency has none', () => {
    expect(parse({ data_json: '' })).toMatchObject({ data: {}, latency_ms: null });
  });

  it.each([
    [-1, 0],
    [Number.NaN, 0],
    [2 ** 40, 2 ** 31 - 1],
  ])('with a latency of %d has one of %d', (latency_ms, stored) => {
    expect(parse({ latency_ms })).toMatchObject({ latency_ms: stored });
  });

  it.each<[string, Partial<CallEvent>]>([
    ['unknown level loud', { level: 'loud' as never }],
    [`unknown level ${'x'.repeat(40)}`, { level: 'x'.repeat(50) as never }],
    ['seq out of range', { seq: 0 }],
    ['seq out of range', { seq: 2 ** 31 }],
    ['at_ms out of range', { at_ms: Date.UTC(2000, 0) }],
    ['at_ms out of range', { at_ms: Date.UTC(2100, 0) }],
    ['data_json is not an object', { data_json: '[]' }],
    ['data_json is not an object', { data_json: 'null' }],
    ['data_json is not an object', { data_json: '"text"' }],
    ['a transcript line has an unknown role', { transcript: [line({ role: 'tool' })] }],
    ['at_ms of a transcript line out of range', { transcript: [line({ at_ms: 0 })] }],
  ])('is refused: %s', (reason, more) => {
    expect(parse(more)).toBe(reason);
  });

  it('may have the last number and lines of the agent', () => {
    expect(parse({ seq: 2 ** 31 - 1, transcript: [line({ role: 'agent' })] })).toMatchObject({
      ...{ source_seq: 2 ** 31 - 1, transcript: [{ role: 'agent' }] },
    });
  });

  it('other than the end has no end', () => {
    expect(
      parse({ ending: { hangup_by: 'agent', hangup_reason: 'caller hung up', duration_seconds: 1, recorded: true } }),
    ).toMatchObject({
      ...{ ending: null, data: {} },
    });
  });
});

describe('the end of a call', () => {
  it('is as the engine reports it', () => {
    const parts = [{ component: 'llm', provider: 'openai', model: 'gpt', llm_input_tokens: 5, llm_output_tokens: 0 }];
    const more = {
      avg_first_audio_ms: 300.4,
      answered_by: 'human',
      provider_usage_json: JSON.stringify(parts),
    } as const;
    expect(end(more, { usage: { stt_seconds: 1.5, llm_calls: 2 } })).toEqual({
      ...{ hangup_by: 'caller', hangup_reason: 'caller hung up', ended_at_ms: AT, duration_seconds: 5 },
      ...{ avg_first_audio_ms: 300, recorded: true, answered_by: 'human' },
      usage: { stt_seconds: 1.5, tts_characters: 0, llm_input_tokens: 0, llm_output_tokens: 0, llm_calls: 2 },
      provider_usage: [{ component: 'llm', provider: 'openai', model: 'gpt', llm_input_tokens: 5 }],
    });
  });

  it('without a report is a failure of the service', () => {
    const event = parse({}, 'call.ended') as MediaEvent;
    expect(event.data).toEqual({ hangup_by: 'service' });
    expect(event.ending).toMatchObject({
      ...{ hangup_by: 'service', hangup_reason: 'error: media', duration_seconds: 0, avg_first_audio_ms: null },
      ...{ recorded: false, provider_usage: [], answered_by: null },
    });
  });

  it.each(['caller', 'agent', 'member', 'carrier', 'service'] as const)('may be by the %s', (hangup_by) => {
    expect(end({ hangup_by })).toMatchObject({ hangup_by });
  });

  it('by anybody else is by the service', () => {
    expect(end({ hangup_by: 'stranger' as never })).toMatchObject({ hangup_by: 'service' });
  });

  it('has a reason of 200 characters at most', () => {
    expect(end({ hangup_reason: `error: ${'x'.repeat(300)}` }).hangup_reason).toHaveLength(200);
  });

  it.each([
    ['caller', 'caller hung up'],
    ['agent', 'agent ended the call'],
    ['member', 'hung up by a member'],
    ['carrier', 'carrier failed'],
    ['service', 'error: media'],
  ] as const)('by the %s with a reason that is not on the list has "%s"', (hangup_by, expected) => {
    for (const hangup_reason of ['', 'lost interest', 'error: ', 'dial refused: ']) {
      expect(end({ hangup_by, hangup_reason: hangup_reason as never }).hangup_reason).toBe(expected);
    }
  });

  it.each([
    [-3, 0],
    [Number.NaN, 0],
    [1e12, 2 ** 31 - 1],
  ])('after %d seconds is one after %d', (duration_seconds, stored) => {
    expect(end({ duration_seconds }).duration_seconds).toBe(stored);
  });

  it.each([[null], [[]], ['text'], [{ stt_seconds: -1, tts_characters: 'many', llm_calls: null }]])(
    'with the usage %j used nothing',
    (usage) => {
      expect(Object.values(end({}, { usage }).usage)).toEqual([0, 0, 0, 0, 0]);
    },
  );
});

describe('what each provider consumed', () => {
  const read = (provider_usage_json: string) => end({ provider_usage_json }).provider_usage;

  it.each(['', '{', '{}', 'null', '[1, null, "a", []]', '[{"component":"phone"}]'])('is nothing in %s', (json) => {
    expect(read(json)).toEqual([]);
  });

  it('has only counts above 0, and names that can be stored', () => {
    const part = {
      component: 'voice',
      provider: 'x'.repeat(200),
      model: 5,
      tts_characters: 3,
      stt_seconds: -1,
      llm_input_tokens: '9',
    };
    expect(read(JSON.stringify([part, { component: 'transcriber', provider: 'a\0', model: 'b' }]))).toEqual([
      { component: 'voice', provider: 'x'.repeat(100), model: '', tts_characters: 3 },
      { component: 'transcriber', provider: 'a', model: 'b' },
    ]);
  });

  it('is of fifty providers at most', () => {
    expect(read(JSON.stringify(Array(51).fill({ component: 'llm' })))).toHaveLength(50);
  });
});
