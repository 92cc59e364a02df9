import { afterEach, expect, it } from 'vitest';
import { traceEndedCall } from '../../../../control/calls/lifecycle/call-spans.ts';
import { setSpanExport } from '../../../../shared/telemetry/spans.ts';
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
