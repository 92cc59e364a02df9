import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProviderError } from '../../media/provider/provider-error.ts';
import type { Synthesizer, SynthesizerEvent } from '../../media/tts/synthesizer.ts';
import { systemClock } from '../../shared/clock.ts';
import { pause, until } from '../support/until.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import type { RemoteProvider, SynthesizerUnderTest } from './synthesizer-suite.ts';

/** Messages that no provider sends, or not in this form. */
const STRANGE_MESSAGES = [
  '',
  '{',
  'null',
  '7',
  '"text"',
  '[]',
  '{}',
  '{"type":"unheard_of","data":{"a":1}}',
  '{"type":"audio"}',
  '{"type":"audio","data":7}',
  '{"type":"audio","data":{"audio":9,"content_type":[]}}',
  '{"type":"event","data":null}',
  '{"type":"event","data":{"event_type":"final"}}',
  '{"type":"chunk","context_id":"nobody","data":"AAAA"}',
  '{"type":"timestamps","context_id":"nobody","word_timestamps":{}}',
  '{"type":"done","context_id":"nobody","done":true}',
  '{"audio":"AAAA"}',
  '{"audio":"AAAA","contextId":"nobody","alignment":{"chars":3}}',
  '{"isFinal":true,"contextId":"nobody"}',
];

/** What every voice that is reached over a network does when its provider does not do as it should. */
export function synthesizerConnectionConformance(name: string, setUp: () => Promise<SynthesizerUnderTest>): void {
  describe(`voice and its provider: ${name}`, () => {
    let under: SynthesizerUnderTest;
    let provider: RemoteProvider;
    let events: SynthesizerEvent[];
    let voice: Synthesizer;

    beforeEach(async () => {
      under = await setUp();
      provider = under.remote!;
      events = [];
      voice = under.create(keep, systemClock);
    });
    afterEach(async () => {
      await voice.close();
      await under.close();
      expect(provider.violations).toEqual([]);
    });

    function keep(event: SynthesizerEvent): void {
      events.push(event.type === 'audio' ? { ...event, bytes: event.bytes.slice() } : event);
    }
    function of(contextId: string): SynthesizerEvent[] {
      return events.filter((event) => event.contextId === contextId);
    }
    function bytes(contextId: string): number {
      return of(contextId).reduce((sum, event) => sum + (event.type === 'audio' ? event.bytes.length : 0), 0);
    }
    const ended = (contextId: string) => () => of(contextId).some((event) => event.type === 'done');

    test('passes over messages it does not know', async () => {
      await voice.open();
      await until(() => provider.connections.length > 0);
      voice.speak('a', 'Something is said meanwhile. ');
      for (const connection of provider.connections) {
        for (const raw of STRANGE_MESSAGES.slice(0, 12)) connection.raw(raw);
      }
      await until(() => bytes('a') > 0);
      for (const connection of provider.connections) {
        for (const raw of STRANGE_MESSAGES) if (!raw.includes('"final"')) connection.raw(raw);
      }
      voice.end('a');
      await until(ended('a'));
      for (const connection of provider.connections) {
        for (const raw of STRANGE_MESSAGES) connection.raw(raw);
      }
      voice.speak('b', 'All is well. ');
      voice.end('b');
      await until(ended('b'));
      expect(events.filter((event) => event.type === 'failed')).toEqual([]);
    });

    test('says in time that no sound comes', async () => {
      const clock = createVirtualClock();
      const patient = under.create(keep, clock);
      await patient.open();
      provider.faults.silent = true;
      patient.speak('a', 'Is anybody there? ');
      await clock.advance(2_000);
      expect(events).toEqual([]);
      await clock.advance(2_000);
      expect(events).toMatchObject([{ type: 'failed', contextId: 'a', error: { kind: 'timeout' } }]);
      await patient.close();
      expect(clock.pending()).toBe(0);
    });

    test('says in time that the sound stopped', async () => {
      const clock = createVirtualClock();
      const patient = under.create(keep, clock);
      await patient.open();
      provider.faults.stallAfterChunks = 2;
      patient.speak('a', 'A sentence that stops somewhere in its middle. ');
      patient.end('a');
      await until(() => events.filter((event) => event.type === 'audio').length === 2);
      await clock.advance(3_000);
      await clock.advance(3_000);
      expect(events.at(-1)).toMatchObject({ type: 'failed', contextId: 'a', error: { kind: 'timeout' } });
      expect(of('a').filter((event) => event.type === 'done')).toEqual([]);
      await patient.close();
    });

    test('tells a break in the middle of a word once, and another instance says it all', async () => {
      await voice.open();
      provider.faults.breakAfterChunks = 2;
      voice.speak('a', 'A sentence that breaks in its middle. ');
      voice.end('a');
      await until(() => events.some((event) => event.type === 'failed'));
      await pause(30);
      expect(events.filter((event) => event.type !== 'audio' && event.type !== 'timing')).toMatchObject([
        { type: 'failed', error: { kind: 'unavailable' } },
      ]);
      provider.faults.breakAfterChunks = null;
      events = [];
      const second = under.create(keep, systemClock);
      await second.open();
      second.speak('a', 'A sentence that breaks in its middle. ');
      second.end('a');
      await until(ended('a'));
      expect(events.filter((event) => event.type === 'failed')).toEqual([]);
      await second.close();
    });

    test('tells why it was refused', async () => {
      for (const [status, kind] of [
        [401, 'auth'],
        [403, 'auth'],
        [400, 'bad_request'],
        [429, 'capacity'],
        [503, 'unavailable'],
      ] as const) {
        provider.faults.refuse = { status };
        const refused = under.create(keep, systemClock);
        const error = await refused.open().catch((caught: unknown) => caught);
        expect((error as ProviderError).kind).toBe(kind);
        await refused.close();
      }
      expect(events).toEqual([]);
    });

    test('does not wait for a connection for ever', async () => {
      const clock = createVirtualClock();
      provider.faults.hang = true;
      const patient = under.create(keep, clock);
      const error = patient.open().catch((caught: unknown) => caught);
      await pause(30);
      await clock.advance(5_000);
      expect(((await error) as ProviderError).kind).toBe('timeout');
      await patient.close();
      expect(clock.pending()).toBe(0);
    });

    test('notices a path that is dead', async () => {
      provider.faults.ignorePings = true;
      const clock = createVirtualClock();
      const patient = under.create(keep, clock);
      await patient.open();
      for (let i = 0; i < 4; i++) await clock.advance(5_000);
      await until(() => events.length > 0);
      expect(events).toMatchObject([{ type: 'failed', contextId: null, error: { kind: 'timeout' } }]);
      await patient.close();
    });

    test('leaves nothing behind when it is closed', async () => {
      const clock = createVirtualClock();
      const leaving = under.create(keep, clock);
      await leaving.open();
      leaving.speak('a', 'This is not said to its end. ');
      leaving.speak('b', 'Nor is this. ');
      await until(() => bytes('a') > 0 || bytes('b') > 0);
      leaving.cancel('a');
      await leaving.close();
      expect(clock.pending()).toBe(0);
      await until(() => provider.connections.every((connection) => connection.closeCode !== null));
    });
  });
}
