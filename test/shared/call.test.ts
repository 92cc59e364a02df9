import { describe, expect, it } from 'vitest';
import { CALL_STATUSES, type CallStatus, endedByFault, isOver, LIVE_STATUSES, mayFollow } from '../../shared/call.ts';

describe('the statuses of a call', () => {
  it('move only forward', () => {
    const reach = (from: CallStatus, seen = new Set<CallStatus>()): Set<CallStatus> => {
      for (const to of CALL_STATUSES) {
        if (!mayFollow(from, to) || seen.has(to)) continue;
        seen.add(to);
        reach(to, seen);
      }
      return seen;
    };
    for (const status of CALL_STATUSES) expect(reach(status)).not.toContain(status);
    expect([...reach('queued')].sort()).toEqual(CALL_STATUSES.filter((status) => status !== 'queued').sort());
  });

  it('know the usual ways', () => {
    const usual: CallStatus[] = ['queued', 'ringing', 'in-progress', 'ended', 'completed'];
    for (let at = 1; at < usual.length; at++) expect(mayFollow(usual[at - 1]!, usual[at]!)).toBe(true);
    expect(mayFollow('ringing', 'no-answer')).toBe(true);
    expect(mayFollow('in-progress', 'no-answer')).toBe(false);
    expect(mayFollow('queued', 'in-progress')).toBe(false);
  });

  it('are over once nothing can be heard any more', () => {
    expect(CALL_STATUSES.filter((status) => !isOver(status))).toEqual(['queued', 'ringing', 'in-progress']);
    for (const status of LIVE_STATUSES) expect(isOver(status)).toBe(false);
  });
});

it('a fault is ours', () => {
  expect(endedByFault('error: llm')).toBe(true);
  expect(endedByFault('media engine lost')).toBe(true);
  expect(endedByFault('caller hung up')).toBe(false);
});
