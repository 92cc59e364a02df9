import { expect, it } from 'vitest';
import {
  startTransferReplyCodec,
  startTransferRequestCodec,
  transferOutcomeCodec,
} from '../../../shared/bus/messages.ts';
import { TRANSFER_STATUSES } from '../../../shared/transfer.ts';

it('a wish to transfer, its answer and its outcome come back as they were', () => {
  const request = {
    call_id: 'c',
    transfer_id: 't',
    name: 'Sales',
    number: '+919800011111',
    reason: '',
    warm: false,
    summary: 'एक कॉलर',
    language: 'hi',
  };
  expect(startTransferRequestCodec.decode(startTransferRequestCodec.encode(request))).toEqual(request);
  const reply = { accepted: false, words: 'no' };
  expect(startTransferReplyCodec.decode(startTransferReplyCodec.encode(reply))).toEqual(reply);
  for (const status of TRANSFER_STATUSES) {
    const outcome = { call_id: 'c', transfer_id: 't', status, dial_status: '' };
    expect(transferOutcomeCodec.decode(transferOutcomeCodec.encode(outcome))).toEqual(outcome);
  }
});
