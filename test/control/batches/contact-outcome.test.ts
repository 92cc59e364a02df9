import { describe, expect, it } from 'vitest';
import type { BatchStatus, RetryOn } from '../../../control/batches/batch-record.ts';
import { type OpenContact, outcomeOf } from '../../../control/batches/contact-outcome.ts';

const ENDED = new Date('2026-06-01T10:00:00Z');
const rules = {
  status: 'running' as BatchStatus,
  max_attempts: 3,
  retry_after_minutes: 60,
  retry_on: ['no-answer', 'busy'] as RetryOn[],
};

function became(call: string, more: Partial<OpenContact> = {}, changed: Partial<typeof rules> = {}) {
  const [of, reason = ''] = call.split(': ', 2);
  const contact: OpenContact = {
    ...{ row: 2, status: 'queued', attempts: 1 },
    call_status: of === 'gone' ? null : (of as OpenContact['call_status']),
    call_hangup_reason: reason,
    call_ended_at: ENDED,
    call_duration_seconds: 20,
    call_cost_paise: 100,
    call_is_rescheduled: false,
    call_has_open_transfer: false,
    ...more,
  };
  const move = outcomeOf(contact, { ...rules, ...changed });
  return move === null ? 'stays' : `${move.status} ${move.attempts}${move.call_over ? ' over' : ''}`;
}

describe('the outcome of a contact', () => {
  it.each([
    ['queued', 'stays'],
    ['ringing', 'in-progress 1'],
    ['in-progress', 'in-progress 1'],
    // Being analysed.
    ['ended: caller hung up', 'in-progress 1'],
    ['completed: caller hung up', 'completed 1 over'],
    ['completed: voicemail', 'voicemail 1 over'],
    ['completed: transferred', 'completed 1 over'],
    ['completed: credits ran out', 'completed 1 over'],
    ['no-answer: no-answer', 'retrying 1 over'],
    ['busy: busy', 'retrying 1 over'],
    ['failed: carrier failed', 'failed 1 over'],
    ['failed: media engine lost', 'failed 1 over'],
    ['failed: agent deleted', 'failed 1 over'],
    ['failed: out of credits', 'pending 0 over'],
    ['canceled: expired in queue', 'pending 0 over'],
    ['canceled: canceled while queued', 'canceled 1 over'],
    ['canceled: canceled', 'canceled 1 over'],
    ['canceled: batch canceled', 'canceled 1 over'],
    ['gone', 'failed 1 over'],
  ])('%s: %s', (call, status) => {
    expect(became(call)).toBe(status);
  });

  it('waits until a transfer is charged', () => {
    const transferred = { call_has_open_transfer: true };
    expect(became('completed: transferred', transferred)).toBe('in-progress 1');
    expect(became('completed: transferred', { ...transferred, status: 'in-progress' })).toBe('stays');
    expect(became('failed: media engine lost', transferred)).toBe('in-progress 1');
  });

  it.each([
    ['ringing', 'stays'],
    ['ended: caller hung up', 'stays'],
    ['completed: caller hung up', 'completed 1 over'],
  ])('is written once: in progress and %s', (call, status) => {
    expect(became(call, { status: 'in-progress' })).toBe(status);
  });

  it.each([
    ['the last attempt', 'busy: busy', { attempts: 3 }, {}, 'busy 3 over'],
    ['failures are tried again', 'failed: carrier failed', {}, { retry_on: ['failed'] }, 'retrying 1 over'],
    ['but nobody who was erased', 'gone', {}, { retry_on: ['failed'] }, 'failed 1 over'],
    ['but not without an agent', 'failed: agent deleted', {}, { retry_on: ['failed'] }, 'failed 1 over'],
    ['answering machines are', 'completed: voicemail', {}, { retry_on: ['voicemail'] }, 'retrying 1 over'],
    [
      'but not who is called back',
      'completed: voicemail',
      { call_is_rescheduled: true },
      { retry_on: ['voicemail'] },
      'voicemail 1 over',
    ],
    [
      'a talk never is',
      'completed: caller hung up',
      {},
      { retry_on: ['no-answer', 'busy', 'failed', 'voicemail'] },
      'completed 1 over',
    ],
    ['a paused batch', 'busy: busy', {}, { status: 'paused' }, 'retrying 1 over'],
    ['a canceled batch', 'busy: busy', {}, { status: 'canceled' }, 'busy 1 over'],
    ['a canceled batch, expired', 'canceled: expired in queue', {}, { status: 'canceled' }, 'canceled 0 over'],
  ] as const)('%s: %s', (_what, call, contact, changed, status) => {
    expect(became(call, contact, changed as Partial<typeof rules>)).toBe(status);
  });

  it('is retried the set time after the end of the call', () => {
    const contact = {
      row: 2,
      status: 'in-progress',
      attempts: 1,
      call_status: 'busy',
      call_hangup_reason: 'busy',
    } as const;
    const call = { call_ended_at: ENDED, call_duration_seconds: 0, call_cost_paise: 0 };
    const free = { call_is_rescheduled: false, call_has_open_transfer: false };
    expect(outcomeOf({ ...contact, ...call, ...free }, rules)?.next_attempt_at).toBe('2026-06-01T11:00:00.000Z');
  });
});
