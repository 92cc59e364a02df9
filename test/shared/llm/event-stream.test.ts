import { describe, expect, it } from 'vitest';
import { createEventStreamReader } from '../../../shared/llm/event-stream.ts';

const stream = [
  '\ufeffdata: {"a":1}\n\n',
  ': a comment\r\n\r\n',
  'event: x\r\nid: 7\r\ndata:{"b":"नमस्ते 😀"}\r\n\r\n',
  'data: one\rdata: two\r\r',
  'datum: no\ndata\n\n',
  'data: [DONE]',
].join('');
const events = ['{"a":1}', '{"b":"नमस्ते 😀"}', 'one\ntwo', '', '[DONE]'];

function read(chunks: Uint8Array[]): string[] {
  const reader = createEventStreamReader();
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()];
}

describe('an event stream', () => {
  it('is read whatever its line ends, comments and fields', () => {
    expect(read([Buffer.from(stream)])).toEqual(events);
  });

  it('is read the same wherever the bytes were cut', () => {
    const bytes = Buffer.from(stream);
    expect(read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(events);
    for (let at = 0; at <= bytes.length; at++)
      expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(events);
  });

  it('gives an event out with its blank line, not with the next event', () => {
    const reader = createEventStreamReader();
    expect(reader.push(Buffer.from('data: a\n'))).toEqual([]);
    expect(reader.push(Buffer.from('\n'))).toEqual(['a']);
  });

  it('keeps the lines that are no fields', () => {
    const reader = createEventStreamReader();
    reader.push(Buffer.from(': a comment\nretry: 10\nevent: x\ndata: a\n\n{\n  "error": {}\r\n}'));
    reader.end();
    expect(JSON.parse(reader.plainText())).toEqual({ error: {} });
  });

  it('refuses what never ends', () => {
    const reader = createEventStreamReader();
    expect(() => {
      for (let n = 0; n < 6; n++) reader.push(Buffer.alloc(1024 * 1024, 'a'));
    }).toThrow(RangeError);
  });
});
