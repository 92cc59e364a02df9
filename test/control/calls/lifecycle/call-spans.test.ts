import { afterEach, expect, it } from 'vitest';
import { placeTraced, traceEndedCall } from '../../../../control/calls/lifecycle/call-spans.ts';
import { type CallSpan, setSpanExport } from '../../../../shared/telemetry/spans.ts';
import { createCallFixture } from '../call-fixture.ts';

afterEach(() => setSpanExport(null));

it("sends a call's spans once the transaction that ends it has committed", async () => {
  const fixture = await createCallFixture();
  const call = await fixture.opened(await fixture.tenant());
  const sent: string[] = [];
  setSpanExport(({ name }) => sent.push(name));
  const failed = fixture.sql.begin(async (tx) => {
    traceEndedCall(tx, call);
    throw new Error('try again');
  });
  await expect(failed).rejects.toThrow('try again');
  expect(sent).toEqual([]);
  await fixture.sql.begin(async (tx) => {
    traceEndedCall(tx, call);
    expect(sent).toEqual([]);
  });
  expect(sent).toEqual(['queue', 'dial', 'ringing', 'call']);
});

it.each([
  [
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    [[{ trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', span_id: '00f067aa0ba902b7' }]],
  ],
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-01', []],
  [undefined, []],
])('a request with the traceparent %s has the spans with links %j', async (traceparent, expected) => {
  const sent: CallSpan[] = [];
  setSpanExport((span) => sent.push(span));
  const request = { method: 'POST', headers: { traceparent }, routeOptions: { url: '/calls' } };
  const call = { id: '0198c0ffee007000800000000000abcd' };
  expect(await placeTraced(request as never, { wall: () => 1_000 }, async () => call)).toBe(call);
  expect(sent.map(({ links }) => links)).toEqual(expected);
});
