import { expect, test } from 'vitest';
import { createControlClient } from '../../../media/call/control-client.ts';
import type { Bus } from '../../../shared/bus/bus.ts';
import type { Session } from '../../../shared/bus/messages.ts';
import { createLogger } from '../../../shared/log.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

function open(toolResults?: Record<string, string>) {
  const handlers: Record<string, (message: never) => unknown> = {};
  const requests: unknown[] = [];
  let stopped = 0;
  const serve = (name: string) => (_callId: string, handle: (message: never) => unknown) => {
    handlers[name] = handle;
    return { stop: () => stopped++ };
  };
  const bus = {
    serveCommands: serve('command'),
    serveTransferOutcomes: serve('outcome'),
    startTransfer: async (request: unknown, timeoutMs: number) => {
      requests.push([request, timeoutMs]);
      return { accepted: true, message: '' };
    },
  } as unknown as Bus;
  const session = {
    call_id: 'c',
    knowledge: null,
    test: toolResults && { tool_results_json: JSON.stringify(toolResults) },
  } as unknown as Session;
  const client = createControlClient({
    bus,
    session,
    knowledgeDeadlineMs: 1_000,
    clock: createVirtualClock(),
    log: createLogger('test', 'silent'),
  });
  return { client, handlers, requests, stopped: () => stopped };
}

test('commands and outcomes are answered with what became of them, until the call is over', () => {
  const { client, handlers, stopped } = open();
  let active = true;
  const ends: unknown[] = [];
  client.serveCommands((end) => {
    ends.push(end);
    return active;
  });
  client.serveTransferOutcomes(() => active);
  const command = { hangup_by: 'api', hangup_reason: 'asked', more: 1 } as never;
  expect([handlers.command!(command), handlers.outcome!({} as never)]).toEqual([
    { done: true, detail: '' },
    { done: true, detail: '' },
  ]);
  active = false;
  expect([handlers.command!(command), handlers.outcome!({} as never)]).toEqual([
    { done: false, detail: 'the call is already ending' },
    { done: false, detail: 'this transfer is not active' },
  ]);
  expect(ends[0]).toEqual({ hangup_by: 'api', hangup_reason: 'asked' });
  client.close();
  expect(stopped()).toBe(2);
});

test('a transfer is asked of control with a deadline beyond that of the carrier', async () => {
  const { client, requests } = open();
  await client.transfers.start({ target: 'sales' } as never);
  expect(requests).toEqual([[{ call_id: 'c', target: 'sales' }, 15_000]]);
});

test.each([
  [{}, { accepted: true, message: '' }],
  [{ transfer_call: 'nobody is free' }, { accepted: false, message: 'nobody is free' }],
])('a test with the results %j calls nobody', async (results, expected) => {
  const { client, requests } = open(results);
  expect(await client.transfers.start({} as never)).toEqual(expected);
  expect(requests).toEqual([]);
});
