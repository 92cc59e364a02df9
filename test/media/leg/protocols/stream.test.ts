import { describe, expect, it } from 'vitest';
import { MULAW_8K, PCM_8K, PCM_16K } from '../../../../media/audio/format.ts';
import { CarrierLeg, type LegSocket } from '../../../../media/leg/carrier-leg.ts';
import type { CarrierMessage } from '../../../../media/leg/carrier-protocol.ts';
import { streamProtocol } from '../../../../media/leg/protocols/stream.ts';
import { ResumableLeg } from '../../../../media/leg/resumable-leg.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const START = { type: 'start', audio: { encoding: 'pcm16', sample_rate: 16_000 } };
const decode = (message: unknown) =>
  streamProtocol.decode(typeof message === 'string' ? message : JSON.stringify(message));

describe('messages of a client', () => {
  it.each([
    ['pcm16', 8_000],
    ['pcm16', 16_000],
    ['pcm16', 24_000],
    ['mulaw', 8_000],
  ])('a start chooses %s at %i Hz', (encoding, sample_rate) => {
    const format = { encoding, sample_rate };
    expect(decode({ ...START, audio: format, marks: true })).toMatchObject({
      ...{ type: 'start', format, returnsMarks: true, transcripts: false },
    });
  });

  it.each([
    ['mulaw', 16_000, 'mulaw at 16000 Hz'],
    ['pcm16', 44_100, 'pcm16 at 44100 Hz'],
    ['opus', 48_000, 'opus at 48000 Hz'],
  ])('%s at %i Hz is unsupported, with what can be chosen', (encoding, sample_rate, format) => {
    expect(decode({ ...START, audio: { encoding, sample_rate } })).toMatchObject({
      ...{ type: 'unsupported', format, remedy: expect.stringContaining('pcm16 at 24000, mulaw at 8000') },
    });
  });

  it.each<[object, CarrierMessage]>([
    [
      { type: 'mark', name: 'm1' },
      { type: 'mark', name: 'm1' },
    ],
    [
      { type: 'digit', digit: 'a' },
      { type: 'digit', digit: 'A' },
    ],
    [
      { type: 'tool_result', tool_call_id: 'tool-1', result: 'done' },
      { type: 'tool_result', result: { id: 'tool-1', result: 'done', failed: false } },
    ],
    [{ type: 'hang_up' }, { type: 'stop' }],
  ])('%j', (message, meaning) => {
    expect(decode(message)).toEqual(meaning);
  });

  it.each([
    'nonsense',
    '[]',
    {},
    { type: 'start' },
    { type: 'start', audio: 5 },
    { type: 'digit', digit: '12' },
    { type: 'mark' },
    { type: 'tool_result', tool_call_id: 'tool-1', result: 'x'.repeat(10_001) },
    { type: 'other' },
  ])('%j is invalid and nothing is thrown', (message) => {
    expect(decode(message)).toMatchObject({ type: 'invalid', reason: expect.stringMatching(/./) });
  });

  it('audio is whole samples, a second at most', () => {
    const meaning = (bytes: number, format = PCM_8K) =>
      streamProtocol.decodeBinary!(new Uint8Array(bytes), format).type;
    expect([2, 320, 16_000].map((bytes) => meaning(bytes))).toEqual(['audio', 'audio', 'audio']);
    expect([0, 3, 16_002].map((bytes) => meaning(bytes))).toEqual(['invalid', 'invalid', 'invalid']);
    expect([meaning(1, MULAW_8K), meaning(8_001, MULAW_8K), meaning(32_000, PCM_16K)]).toEqual([
      ...['audio', 'invalid', 'audio'],
    ]);
  });
});

describe("a leg over a client's stream", () => {
  function open(start: object = START) {
    const clock = createVirtualClock();
    const sent: string[] = [];
    const frames: number[] = [];
    const ends: string[] = [];
    const results: string[] = [];
    const socket: LegSocket = {
      send(message) {
        sent.push(typeof message === 'string' ? message : `audio ${message.length}`);
        return 'sent';
      },
      close: (code) => void sent.push(`close ${code}`),
    };
    const read = decode(start) as Extract<CarrierMessage, { type: 'start' }>;
    const newLeg = () => new CarrierLeg({ protocol: streamProtocol, start: read, socket, clock });
    const listener = {
      audio: (frame: Uint8Array) => void frames.push(frame.length),
      mark() {},
      digit() {},
      toolResult: ({ result }: { result: string }) => void results.push(result),
      ended: (cause: string) => void ends.push(cause),
    };
    return { clock, sent, frames, ends, results, newLeg, leg: newLeg(), listener };
  }

  it('makes frames of audio in messages of any length', () => {
    const { clock, frames, leg, listener } = open();
    leg.listen(listener);
    for (const bytes of [2, 638, 1_000, 280]) leg.receiveBinary(new Uint8Array(bytes), clock.now());
    expect(frames).toEqual([640, 640, 640]);
  });

  it('says what cannot be read, and ends at the twenty-first', () => {
    const { clock, sent, ends, leg, listener } = open();
    leg.listen(listener);
    for (let count = 0; count <= 20; count++) leg.receiveBinary(new Uint8Array(3), clock.now());
    expect(sent[1]).toBe('{"type":"error","message":"3 bytes of audio: send whole samples, at most a second of them"}');
    expect(ends).toEqual(['protocol error']);
    expect(sent.at(-2)).toMatch(/^{"type":"ended","reason":"21 invalid messages/);
    expect(sent.at(-1)).toBe('close 1002');
  });

  it('confirms the hang-up of the client', () => {
    const { clock, sent, ends, leg, listener } = open();
    leg.listen(listener);
    leg.receive('{"type":"hang_up"}', clock.now());
    expect(ends).toEqual(['hung up']);
    expect(sent.slice(-2)).toEqual(['{"type":"ended","reason":"caller hung up"}', 'close 1000']);
  });

  it('has a transcript where it was asked for, over every stream of the call', () => {
    const line = { role: 'user' as const, text: 'yes', final: true, interrupted: false, at_ms: 1 };
    expect(new ResumableLeg(open().leg, open().clock).transcript).toBeUndefined();
    const { clock, sent, leg, newLeg, listener } = open({ ...START, transcripts: true });
    const resumable = new ResumableLeg(leg, clock);
    resumable.listen(listener);
    leg.closed(1006);
    resumable.resume(newLeg());
    resumable.transcript!(line);
    expect(sent).toEqual(['{"type":"started"}', '{"type":"started"}', JSON.stringify({ type: 'transcript', ...line })]);
  });

  it('runs tools where the client offers it, asks again after a broken connection, and takes one answer', async () => {
    const call = { id: 'tool-1', name: 'open_door', arguments: { door: 2 }, timeoutMs: 5_000 };
    const { clock, sent, results, leg, newLeg, listener } = open({ ...START, tools: true });
    const resumable = new ResumableLeg(leg, clock);
    resumable.listen(listener);
    resumable.callTool!(call);
    leg.closed(1006);
    await clock.advance(1_000);
    const next = newLeg();
    resumable.resume(next);
    const asked = { type: 'tool_call', tool_call_id: 'tool-1', name: 'open_door', arguments: { door: 2 } };
    expect(sent.map((text) => JSON.parse(text))).toEqual([
      ...[{ type: 'started' }, { ...asked, timeout_ms: 5_000 }],
      ...[{ type: 'started' }, { ...asked, timeout_ms: 4_000 }],
    ]);
    for (const result of ['opened', 'opened again']) {
      next.receive(JSON.stringify({ type: 'tool_result', tool_call_id: 'tool-1', result }), clock.now());
    }
    expect(results).toEqual(['opened']);
  });

  it('has no tools where the client offers none, and does not come back without those it had', () => {
    const { clock, leg, listener } = open({ ...START, tools: true });
    const resumable = new ResumableLeg(leg, clock);
    resumable.listen(listener);
    leg.closed(1006);
    expect([open().leg.callTool, resumable.resume(open().leg)]).toEqual([undefined, false]);
  });

  it('comes back after a broken connection, with the same audio and marks', () => {
    const { clock, leg, newLeg, listener } = open();
    const resumable = new ResumableLeg(leg, clock);
    resumable.listen(listener);
    leg.closed(1006);
    expect(resumable.resume(open({ ...START, marks: true }).leg)).toBe(false);
    expect(resumable.resume(newLeg())).toBe(true);
  });

  it('is hung up by a close with a code', () => {
    const { ends, leg, listener } = open();
    leg.listen(listener);
    leg.closed(1000);
    expect([ends, leg.resumable]).toEqual([['hung up'], false]);
  });
});
