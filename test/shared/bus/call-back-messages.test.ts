import { expect, it } from 'vitest';
import { bookCallBackReplyCodec, bookCallBackRequestCodec } from '../../../shared/bus/messages.ts';

it('a wish to be called back and its answer come back as they were', () => {
  const request = { call_id: 'c', when: '2026-11-24T10:00', note: 'कीमत' };
  expect(bookCallBackRequestCodec.decode(bookCallBackRequestCodec.encode(request))).toEqual(request);
  for (const reply of [
    { booked: true, words: 'Tuesday' },
    { booked: false, words: 'that time has passed' },
  ]) {
    expect(bookCallBackReplyCodec.decode(bookCallBackReplyCodec.encode(reply))).toEqual(reply);
  }
});
