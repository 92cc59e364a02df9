import { beforeEach, describe, expect, test } from 'vitest';
import { createRequestedFinals, type RequestedFinals } from '../../../media/stt/requested-finals.ts';
import type { TranscriberConnection } from '../../../media/stt/streaming-transcriber.ts';
import type { TranscriberEvent } from '../../../media/stt/transcriber.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

let clock: VirtualClock;
let events: TranscriberEvent[];
let failures: string[];
let requestsSent: number;
let lastMessageMs: number;
let finals: RequestedFinals;

function create(mayStaySilent = false): void {
  clock = createVirtualClock();
  events = [];
  failures = [];
  requestsSent = 0;
  lastMessageMs = clock.now();
  const connection: Partial<TranscriberConnection> = {
    emit: (event) => events.push(event),
    fail: (kind) => failures.push(kind),
    sentMs: 0,
    get lastMessageMs() {
      return lastMessageMs;
    },
  };
  finals = createRequestedFinals({
    ...{ connection: connection as TranscriberConnection, clock, finalWithinMs: 1_000, mayStaySilent },
    request: () => requestsSent++,
  });
}
beforeEach(() => create());

const received = () => {
  lastMessageMs = clock.now();
};
const texts = () => events.flatMap((event) => (event.type === 'final' ? [event.text] : []));

describe('a request', () => {
  test('is answered once, and the words before it are partial', () => {
    finals.partial('book');
    finals.partial('book');
    finals.requested();
    finals.final('book it');
    expect(events).toEqual([
      { type: 'partial', turn: 0, text: 'book' },
      { type: 'final', turn: 0, text: 'book it' },
    ]);
    expect([finals.inSpeech, finals.pending]).toEqual([false, false]);
  });

  test('is resolved at its deadline with what is known; the answer adds only what is new', async () => {
    finals.requested();
    await clock.advance(500);
    finals.partial('book it');
    received();
    await clock.advance(500);
    expect(texts()).toEqual(['book it']);
    finals.partial('book it');
    expect(finals.inSpeech).toBe(false);
    finals.final('Book it, please.');
    expect(texts()).toEqual(['book it', 'please.']);
  });

  test('a late answer without more words is no answer to the next request', async () => {
    finals.requested();
    await clock.advance(500);
    finals.partial('book it');
    received();
    await clock.advance(500);
    finals.requested();
    finals.final('Book it.');
    finals.final('now');
    expect(texts()).toEqual(['book it', 'now']);
  });

  test('an answer that never comes takes no words of what follows', async () => {
    finals.requested();
    await clock.advance(500);
    finals.partial('book it');
    received();
    await clock.advance(6_000);
    finals.partial('for two people');
    expect(events.at(-1)).toMatchObject({ type: 'partial', text: 'for two people' });
  });

  test('of a provider that sends nothing fails the connection', async () => {
    await clock.advance(1);
    finals.requested();
    await clock.advance(1_000);
    expect(failures).toEqual(['timeout']);
  });

  test('of a provider that may be silent is resolved where no words are known, and fails where they are', async () => {
    create(true);
    await clock.advance(1);
    finals.requested();
    await clock.advance(1_000);
    expect([texts(), failures]).toEqual([[''], []]);
    finals.partial('book');
    await clock.advance(1);
    finals.requested();
    await clock.advance(1_000);
    expect(failures).toEqual(['timeout']);
  });
});

describe('without a request', () => {
  test('words that no longer change are requested', async () => {
    finals.partial('book');
    await clock.advance(1_000);
    finals.partial('book it');
    await clock.advance(1_499);
    expect(requestsSent).toBe(0);
    await clock.advance(1);
    expect(requestsSent).toBe(1);
    finals.final('book it');
    expect(texts()).toEqual(['book it']);
  });

  test('final words are an event, and nothing is none', () => {
    finals.final('');
    finals.final('book');
    expect(events).toEqual([{ type: 'final', turn: 0, text: 'book' }]);
  });

  test('words that the provider takes back are ended', () => {
    finals.partial('book');
    finals.final('');
    expect(texts()).toEqual(['']);
  });
});
