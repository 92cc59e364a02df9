import { describe, expect, it } from 'vitest';
import {
  CALL_STATUSES,
  type CallStatus,
  endedByFailure,
  isAllowedTransition,
  isHangupReason,
  isOver,
  LIVE_STATUSES,
} from '../../shared/call.ts';

describe('the statuses of a call', () => {
  it('move only forward', () => {
    const reach = (from: CallStatus, seen = new Set<CallStatus>()): Set<CallStatus> => {
      for (const to of CALL_STATUSES) {
        if (!isAllowedTransition(from, to) || seen.has(to)) continue;
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
    for (let at = 1; at < usual.length; at++) expect(isAllowedTransition(usual[at - 1]!, usual[at]!)).toBe(true);
    expect(isAllowedTransition('ringing', 'no-answer')).toBe(true);
    expect(isAllowedTransition('in-progress', 'no-answer')).toBe(false);
    expect(isAllowedTransition('queued', 'in-progress')).toBe(false);
  });

  it('are over once the call is no longer connected', () => {
    expect(CALL_STATUSES.filter((status) => !isOver(status))).toEqual(['queued', 'ringing', 'in-progress']);
    for (const status of LIVE_STATUSES) expect(isOver(status)).toBe(false);
  });
});

it('a call that the service broke is a failure', () => {
  expect(endedByFailure('error: llm')).toBe(true);
  expect(endedByFailure('media engine lost')).toBe(true);
  expect(endedByFailure('caller hung up')).toBe(false);
});

it('the reasons for the end of a call are a closed list, some with a particular reason', () => {
  for (const reason of ['transferred', 'hung up by Asha', 'dial refused: no such number', 'error: llm']) {
    expect(isHangupReason(reason)).toBe(true);
  }
  for (const reason of ['', 'Transferred', 'hung up by ', 'error:', 'workspace closed']) {
    expect(isHangupReason(reason)).toBe(false);
  }
});
