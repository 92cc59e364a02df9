import { expect, test } from 'vitest';
import { createReporter } from '../../../media/report/reporter.ts';
import type { CallEvent } from '../../../shared/bus/messages.ts';
import { createLogger } from '../../../shared/log.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

function setUp(publish: (event: CallEvent) => Promise<void>) {
  const clock = createVirtualClock();
  const log = createLogger('test', 'silent');
  return {
    clock,
    reporter: createReporter({ callId: 'c', engineId: 'e', bus: { publishEvent: publish }, clock, log }),
  };
}

test('events are numbered from 1 and stored in order', async () => {
  const stored: CallEvent[] = [];
  const { reporter } = setUp(async (event) => void stored.push(event));
  reporter.report('call.started', 'a');
  reporter.report('user.turn', 'b', { latency_ms: 12.6, data: { x: 1 } });
  await reporter.flushed();
  expect(stored.map((event) => [event.seq, event.type, event.latency_ms])).toEqual([
    [1, 'call.started', undefined],
    [2, 'user.turn', 13],
  ]);
  expect(stored[1]!.data_json).toBe('{"x":1}');
});

test('publishing is retried with the same number while the bus is down, and nothing is lost', async () => {
  const tried: [number, string][] = [];
  let down = true;
  const { clock, reporter } = setUp(async (event) => {
    tried.push([event.seq, event.type]);
    if (down) throw new Error('down');
  });
  reporter.report('call.started', 'a');
  reporter.report('call.ended', 'b');
  await clock.advance(1000);
  down = false;
  await clock.advance(3000);
  await reporter.flushed();
  expect(tried.slice(0, -1).every(([seq]) => seq === 1)).toBe(true);
  expect(tried.at(-1)).toEqual([2, 'call.ended']);
});

test('when the buffer is full, droppable events are dropped and numbers have no gap', async () => {
  const stored: CallEvent[] = [];
  let down = true;
  const { clock, reporter } = setUp(async (event) => {
    if (down) throw new Error('down');
    stored.push(event);
  });
  reporter.report('call.started', 'a');
  for (let index = 0; index < 1500; index++) reporter.report('llm.first_token', String(index));
  reporter.report('call.ended', 'z');
  down = false;
  await clock.advance(5000);
  await reporter.flushed();
  expect(stored.map((event) => event.seq)).toEqual(stored.map((_, index) => index + 1));
  expect(stored[0]!.type).toBe('call.started');
  expect(stored.at(-1)!.type).toBe('call.ended');
  expect(stored.length).toBeLessThanOrEqual(1000);
});

test('an event too long for the bus is truncated, and those behind it are stored', async () => {
  const stored: CallEvent[] = [];
  const { clock, reporter } = setUp(async (event) => {
    if (JSON.stringify(event).length > 1_000_000) throw new Error('max_payload size exceeded');
    stored.push(event);
  });
  const long = 'a'.repeat(2_000_000);
  const line = { role: 'user', text: long, at_ms: 1, interrupted: false } as const;
  reporter.report('user.turn', long, { data: { words: long }, transcript: [line] });
  reporter.report('call.ended', 'z');
  await clock.advance(5_000);
  expect(stored.map(({ seq, type }) => [seq, type])).toEqual([
    [1, 'user.turn'],
    [2, 'call.ended'],
  ]);
  expect(stored[0]).toMatchObject({ message: 'a'.repeat(2_000), data_json: '{}' });
  expect(stored[0]!.transcript).toEqual([{ ...line, text: 'a'.repeat(2_000) }]);
});

test('dropped events are counted in the log', async () => {
  const lines: string[] = [];
  const log = createLogger('test', 'info', { write: (line: string) => void lines.push(line) });
  const clock = createVirtualClock();
  let down = true;
  const publishEvent = async () => {
    if (down) throw new Error('down');
  };
  const reporter = createReporter({ callId: 'c', engineId: 'e', bus: { publishEvent }, clock, log });
  // These events are never dropped.
  for (let index = 0; index < 1_010; index++) reporter.report('user.turn', String(index));
  expect(lines.some((line) => line.includes('events dropped'))).toBe(false);
  for (let index = 0; index < 10; index++) reporter.report('llm.first_token', String(index));
  down = false;
  await clock.advance(5_000);
  await reporter.flushed();
  const logged = lines.map((line) => JSON.parse(line) as { msg: string; dropped?: number });
  expect(logged.find(({ msg }) => msg === 'call events can be published again')).toMatchObject({ dropped: 9 });
});
