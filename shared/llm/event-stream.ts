/**
 * Reads server-sent events (HTML standard, section 9.2 "Server-sent events"): bytes in, the text of each event's `data` out.
 * Lines may end in LF, CRLF or CR; characters and lines may be split anywhere between two pushes; comments and all other fields
 * are skipped. What is no field is skipped too, and kept: some servers break off a stream with an error as plain JSON.
 */
export interface EventStreamReader {
  push(bytes: Uint8Array): string[];
  /** The last event, if the stream ended without its blank line. */
  end(): string[];
  /** The lines that were no fields, up to 64 KiB of them. */
  plainText(): string;
}

/** Far longer than any provider's event. */
const MAX_EVENT_CHARS = 4 * 1024 * 1024;
const MAX_PLAIN_CHARS = 64 * 1024;
const FIELD = /^(?:event|id|retry)?:/;

/** `push` throws a RangeError when one event grows beyond 4 MiB. */
export function createEventStreamReader(): EventStreamReader {
  const decoder = new TextDecoder();
  let rest = '';
  // How far `rest` was already searched, so that a line in many chunks is searched once.
  let searched = 0;
  let afterCarriageReturn = false;
  let data: string | null = null;
  let plain = '';

  function takeLine(line: string, events: string[]): void {
    if (line === '') {
      if (data !== null) events.push(data);
      data = null;
    } else if (line.startsWith('data')) {
      if (line.length > 4 && line[4] !== ':') return;
      const value = line.slice(line[5] === ' ' ? 6 : 5);
      data = data === null ? value : `${data}\n${value}`;
      if (data.length > MAX_EVENT_CHARS) throw new RangeError('the event is too long');
    } else if (plain.length < MAX_PLAIN_CHARS && !FIELD.test(line)) {
      plain += `${line}\n`;
    }
  }

  function read(text: string, events: string[]): void {
    let from = 0;
    if (afterCarriageReturn && text !== '') {
      if (text[0] === '\n') from = 1;
      afterCarriageReturn = false;
    }
    rest = rest === '' && from === 0 ? text : rest + text.slice(from);
    let start = 0;
    let at = searched;
    for (; at < rest.length; at += 1) {
      const code = rest.charCodeAt(at);
      if (code !== 10 && code !== 13) continue;
      takeLine(rest.slice(start, at), events);
      if (code === 13) {
        if (at + 1 === rest.length) afterCarriageReturn = true;
        else if (rest.charCodeAt(at + 1) === 10) at += 1;
      }
      start = at + 1;
    }
    rest = rest.slice(start);
    searched = rest.length;
    if (rest.length > MAX_EVENT_CHARS) throw new RangeError('the line is too long');
  }

  return {
    push(bytes) {
      const events: string[] = [];
      read(decoder.decode(bytes, { stream: true }), events);
      return events;
    },
    end() {
      const events: string[] = [];
      read(decoder.decode(), events);
      if (rest !== '') takeLine(rest, events);
      takeLine('', events);
      rest = '';
      return events;
    },
    plainText: () => plain.slice(0, MAX_PLAIN_CHARS),
  };
}
