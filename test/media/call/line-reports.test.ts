import { expect, test } from 'vitest';
import { createLineReports } from '../../../media/call/line-reports.ts';

test('each failure of the line is on the timeline up to its limit', () => {
  const reported: unknown[] = [];
  const reports = createLineReports(
    { report: (type, message, details) => reported.push([type, message, details]) },
    'twilio',
  );
  for (let time = 0; time < 60; time++) reports.stalled(412.4);
  expect(reported).toHaveLength(50);
  expect(reported[0]).toEqual([
    'network.stall',
    'no audio from the caller for 412 ms, then all of it at once',
    { level: 'warning', data: { stall_ms: 412 } },
  ]);
  for (let time = 0; time < 9; time++) reports.carrierError('a bad frame');
  expect(reported).toHaveLength(55);
  expect(reported[50]).toEqual([
    'error',
    'the carrier reports a bad frame',
    { level: 'warning', data: { component: 'carrier', provider: 'twilio' } },
  ]);
});
