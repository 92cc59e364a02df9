import { describe, expect, it } from 'vitest';
import { CARRIER_PROTOCOLS } from '../../../../media/leg/carrier-protocols.ts';

/** Messages that name another stream than the one they come in, on every carrier that names streams. */

const PAYLOAD = Buffer.alloc(160, 7).toString('base64');

/** `id` is the message's member that names its stream. */
const CARRIERS = [
  { carrier: 'twilio', id: 'streamSid', mark: { event: 'mark', mark: { name: 'm' } } },
  { carrier: 'plivo', id: 'streamId', mark: { event: 'playedStream', name: 'm' } },
  { carrier: 'telnyx', id: 'stream_id', mark: { event: 'mark', mark: { name: 'm' } } },
  { carrier: 'exotel', id: 'stream_sid', mark: { event: 'mark', mark: { name: 'm' } } },
  { carrier: 'exotel', id: 'streamSid', mark: { event: 'mark', mark: { name: 'm' } } },
];

describe.each(CARRIERS)('$carrier, $id', ({ carrier, id, mark }) => {
  const messages: [string, object][] = [
    ['audio', { event: 'media', media: { track: 'inbound', chunk: '2', timestamp: '40', payload: PAYLOAD } }],
    ['mark', mark],
    ['digit', { event: 'dtmf', dtmf: { digit: '5' } }],
    ['stop', { event: 'stop' }],
  ];
  const decode = (message: object, streamId?: string) =>
    CARRIER_PROTOCOLS[carrier]!.decode(JSON.stringify(message), streamId).type;

  it.each(messages)('%s', (type, message) => {
    expect(decode({ ...message, [id]: 'MZ1' }, 'MZ1')).toBe(type);
    expect(decode({ ...message, [id]: 'MZ2' }, 'MZ1')).toBe('foreign');
    expect(decode({ ...message, [id]: 7 }, 'MZ1')).toBe('foreign');
    // Not every message names its stream, and none before the start is of another one.
    expect(decode(message, 'MZ1')).toBe(type);
    expect(decode({ ...message, [id]: 'MZ2' })).toBe(type);
  });
});

it("Twilio's frames, exactly as it sends them", () => {
  const decode = (text: string) => CARRIER_PROTOCOLS.twilio!.decode(text, 'MZ1').type;
  const media = `"media":{"track":"inbound","chunk":"2","timestamp":"40","payload":"${PAYLOAD}"}`;
  const head = '{"event":"media","sequenceNumber":"4"';
  expect(decode(`${head},"streamSid":"MZ1",${media}}`)).toBe('audio');
  expect(decode(`${head},"streamSid":"MZ2",${media}}`)).toBe('foreign');
  expect(decode(`${head},${media},"streamSid":"MZ1"}`)).toBe('audio');
  expect(decode(`${head},${media},"streamSid":"MZ2"}`)).toBe('foreign');
  expect(decode(`${head},${media}}`)).toBe('audio');
});
