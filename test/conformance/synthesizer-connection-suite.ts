import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProviderError } from '../../media/provider/provider-error.ts';
import type { Synthesizer, SynthesizerEvent } from '../../media/tts/synthesizer.ts';
import { patientClock } from '../support/patient-clock.ts';
import { pause, until } from '../support/until.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import type { RemoteProvider, SynthesizerUnderTest } from './synthesizer-suite.ts';

/** Messages that no provider sends, at least not in this form. */
const UNEXPECTED_MESSAGES = [
  '',
  '{',
  'null',
  '7',
  '"text"',
  '[]',
  '{}',
  '{"type":"unknown_type","data":{"a":1}}',
  '{"type":"audio"}',
  '{"type":"audio","data":7}',
  '{"type":"audio","data":{"audio":9,"content_type":[]}}',
  '{"type":"event","data":null}',
  '{"type":"event","data":{"event_type":"final"}}',
  '{"type":"chunk","context_id":"unknown","data":"AAAA"}',
  '{"type":"timestamps","context_id":"unknown","word_timestamps":{}}',
  '{"type":"done","context_id":"unknown","done":true}',
  '{"audio":"AAAA"}',
  '{"audio":"AAAA","contextId":"unknown","alignment":{"chars":3}}',
  '{"isFinal":true,"contextId":"unknown"}',
];

/** Tests what every synthesizer with a connection does when its provider fails. Over HTTP there are no messages and no pings. */
export function synthesizerConnectionConformance(
  name: string,
  setUp: () => Promise<SynthesizerUnderTest>,
  { overHttp = false }: { overHttp?: boolean } = {},
): void {
  describe(`synthesizer connection: ${name}`, () => {
    let subject: SynthesizerUnderTest;
    let provider: RemoteProvider;
    let events: SynthesizerEvent[];
    let synthesizer: Synthesizer;

    beforeEach(async () => {
      subject = await setUp();
      provider = subject.remote!;
      events = [];
      synthesizer = subject.create(record, patientClock);
    });
    afterEach(async () => {
      await synthesizer.close();
      await subject.close();
      expect(provider.violations).toEqual([]);
    });

    function record(event: SynthesizerEvent): void {
      events.push(event.type === 'audio' ? { ...event, bytes: event.bytes.slice() } : event);
    }
    function of(contextId: string): SynthesizerEvent[] {
      return events.filter((event) => event.contextId === contextId);
    }
    function bytes(contextId: string): number {
      return of(contextId).reduce((sum, event) => sum + (event.type === 'audio' ? event.bytes.length : 0), 0);
    }
    const ended = (contextId: string) => () => of(contextId).some((event) => event.type === 'done');

    if (!overHttp)
      test('ignores messages that it does not know', async () => {
        await synthesizer.open();
        await until(() => provider.connections.length > 0);
        synthesizer.speak('a', 'Something is said meanwhile. ');
        for (const connection of provider.connections) {
          for (const raw of UNEXPECTED_MESSAGES.slice(0, 12)) connection.raw(raw);
        }
        await until(() => bytes('a') > 0);
        for (const connection of provider.connections) {
          for (const raw of UNEXPECTED_MESSAGES) if (!raw.includes('"final"')) connection.raw(raw);
        }
        synthesizer.end('a');
        await until(ended('a'));
        for (const connection of provider.connections) {
          for (const raw of UNEXPECTED_MESSAGES) connection.raw(raw);
        }
        synthesizer.speak('b', 'All is well. ');
        synthesizer.end('b');
        await until(ended('b'));
        expect(events.filter((event) => event.type === 'failed')).toEqual([]);
      });

    test('times out when no audio comes', async () => {
      const clock = createVirtualClock();
      const other = subject.create(record, clock);
      await other.open();
      provider.faults.silent = true;
      other.speak('a', 'Is anybody there? ');
      await clock.advance(2_000);
      expect(events).toEqual([]);
      await clock.advance(2_000);
      expect(events).toMatchObject([{ type: 'failed', contextId: 'a', error: { kind: 'timeout' } }]);
      await other.close();
      expect(clock.pending()).toBe(0);
    });

    test('times out when the audio stops', async () => {
      const clock = createVirtualClock();
      const other = subject.create(record, clock);
      await other.open();
      provider.faults.stallAfterChunks = 2;
      other.speak('a', 'A sentence that stops somewhere in its middle. ');
      other.end('a');
      await until(() => events.filter((event) => event.type === 'audio').length === 2);
      await clock.advance(3_000);
      await clock.advance(3_000);
      expect(events.at(-1)).toMatchObject({ type: 'failed', contextId: 'a', error: { kind: 'timeout' } });
      expect(of('a').filter((event) => event.type === 'done')).toEqual([]);
      await other.close();
    });

    test('reports a break in the middle of a word once, and another instance works', async () => {
      await synthesizer.open();
      provider.faults.breakAfterChunks = 2;
      synthesizer.speak('a', 'A sentence that breaks in its middle. ');
      synthesizer.end('a');
      await until(() => events.some((event) => event.type === 'failed'));
      expect(events.filter((event) => event.type !== 'audio' && event.type !== 'timing')).toMatchObject([
        { type: 'failed', error: { kind: 'unavailable' } },
      ]);
      provider.faults.breakAfterChunks = null;
      // A second report of the break would be among these.
      events = [];
      const second = subject.create(record, patientClock);
      await second.open();
      second.speak('a', 'A sentence that breaks in its middle. ');
      second.end('a');
      await until(ended('a'));
      expect(events.filter((event) => event.type === 'failed')).toEqual([]);
      await second.close();
    });

    test('reports why it was refused', async () => {
      for (const [status, kind] of [
        [401, 'auth'],
        [403, 'auth'],
        [400, 'bad_request'],
        [429, 'capacity'],
        [503, 'unavailable'],
      ] as const) {
        provider.faults.refuse = { status };
        const refused = subject.create(record, patientClock);
        const error = await refused.open().catch((caught: unknown) => caught);
        expect((error as ProviderError).kind).toBe(kind);
        await refused.close();
      }
      expect(events).toEqual([]);
    });

    test('times out when the provider does not respond', async () => {
      const clock = createVirtualClock();
      provider.faults.hang = true;
      const other = subject.create(record, clock);
      const error = other.open().catch((caught: unknown) => caught);
      await pause(30);
      await clock.advance(5_000);
      expect(((await error) as ProviderError).kind).toBe('timeout');
      await other.close();
      expect(clock.pending()).toBe(0);
    });

    if (!overHttp)
      test('detects a dead connection', async () => {
        provider.faults.ignorePings = true;
        const clock = createVirtualClock();
        const other = subject.create(record, clock);
        await other.open();
        for (let i = 0; i < 4; i++) await clock.advance(5_000);
        await until(() => events.length > 0);
        expect(events).toMatchObject([{ type: 'failed', contextId: null, error: { kind: 'timeout' } }]);
        await other.close();
      });

    test('leaves no timer and no connection when it is closed', async () => {
      const clock = createVirtualClock();
      const other = subject.create(record, clock);
      await other.open();
      other.speak('a', 'This is not said to its end. ');
      other.speak('b', 'Nor is this. ');
      await until(() => bytes('a') > 0 || bytes('b') > 0);
      other.cancel('a');
      await other.close();
      expect(clock.pending()).toBe(0);
      await until(() => provider.connections.every((connection) => connection.closeCode !== null));
    });
  });
}
