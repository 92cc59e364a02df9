import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { CarrierCallback, SignedCallback } from '../../../control/carriers/callback.ts';
import { CarrierError } from '../../../control/carriers/carrier.ts';
import type { TransferEventHandler } from '../../../control/carriers/event-handlers.ts';
import { createTelnyx } from '../../../control/carriers/telnyx.ts';
import type { TargetStep } from '../../../control/carriers/transfers.ts';
import { createRestDouble } from './rest-double.ts';

const rest = createRestDouble();
const WALL_MS = Date.UTC(2026, 10, 21, 12);
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const public_key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
const telnyx = (api_url = rest.url) =>
  createTelnyx({ api_key: 'KEY1', connection_id: 'c-1', public_key, api_url }, { wall: () => WALL_MS });

const ID = 'v3:abc_DEF-1';
const PATH = `/v2/calls/${encodeURIComponent(ID)}/actions`;
const request = {
  from_number: '+911140000001',
  to_number: '+919811112222',
  answer_url: 'https://api.example.com/answer?call_id=1',
  status_url: 'https://api.example.com/status?call_id=1',
  ring_seconds: 60,
};
const call: CarrierCallback = {
  provider_call_id: ID,
  provider_request_id: '',
  from_number: '',
  to_number: '',
  status: null,
  carrier_status: '',
};
const error = (code: string, detail?: string) => JSON.stringify({ errors: [{ code, title: 'No', detail }] });

describe('dialling', () => {
  it('sends one webhook URL for everything, and the same command id for the same call', async () => {
    rest.reply = { status: 200, body: JSON.stringify({ data: { call_control_id: ID, record_type: 'call' } }) };
    const accepted = { accepted: true, provider_call_id: ID, provider_request_id: '' };
    expect(await telnyx().dial(request)).toEqual(accepted);
    expect(await telnyx().dial(request)).toEqual(accepted);
    await telnyx().dial({ ...request, status_url: 'https://api.example.com/status?call_id=2' });
    expect(rest.seen[0]).toMatchObject({
      method: 'POST',
      url: '/v2/calls',
      authorization: 'Bearer KEY1',
      type: 'application/json',
    });
    expect(rest.json()).toMatchObject({
      connection_id: 'c-1',
      to: '+919811112222',
      from: '+911140000001',
      webhook_url: request.status_url,
      timeout_secs: 60,
    });
    expect(rest.json(1).command_id).toBe(rest.json(0).command_id);
    expect(rest.json(2).command_id).not.toBe(rest.json(0).command_id);
  });

  it("gives the carrier's reason for a refusal", async () => {
    rest.reply = { status: 422, body: error('10015', "The 'to' number is\nnot valid") };
    expect(await telnyx().dial(request)).toEqual({ accepted: false, reason: "The 'to' number is not valid" });
    rest.reply = { status: 403, body: error('10038') };
    expect(await telnyx().dial(request)).toEqual({ accepted: false, reason: 'No' });
    rest.reply = { status: 200, body: '{"data":{}}' };
    expect(await telnyx().dial(request)).toMatchObject({ accepted: 'unknown' });
    const away = await telnyx('http://127.0.0.1:9').dial(request);
    expect(away).toMatchObject({ accepted: false, reason: expect.stringContaining('cannot be reached') });
  });
});

describe('commands', () => {
  it('an inbound call is answered with its stream, once however often its webhook comes', async () => {
    await telnyx().connect({ ...call, kind: 'inbound' }, 'wss://m.example/a');
    await telnyx().connect({ ...call, kind: 'inbound' }, 'wss://m.example/b');
    expect(rest.seen[0]).toMatchObject({ method: 'POST', url: `${PATH}/answer` });
    expect(rest.json()).toEqual({
      stream_url: 'wss://m.example/a',
      stream_track: 'inbound_track',
      stream_codec: 'PCMU',
      stream_bidirectional_mode: 'rtp',
      stream_bidirectional_codec: 'PCMU',
      stream_bidirectional_sampling_rate: 8000,
      stream_bidirectional_target_legs: 'self',
      command_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(rest.json(1).command_id).toBe(rest.json(0).command_id);
  });

  it('a placed call gets its stream when it is answered, and another one for each that broke', async () => {
    await telnyx().connect({ ...call, kind: 'answer' }, 'wss://m.example/a');
    await telnyx().connect({ ...call, kind: 'stream' }, 'wss://m.example/b');
    await telnyx().connect({ ...call, kind: 'stream' }, 'wss://m.example/c');
    expect(rest.seen.map(({ url }) => url)).toEqual(Array(3).fill(`${PATH}/streaming_start`));
    const ids = [0, 1, 2].map((index) => rest.json(index).command_id);
    expect(new Set(ids).size).toBe(3);
  });

  it('a broken stream is replaced once, however often its webhook comes', async () => {
    await telnyx().connect({ ...call, kind: 'stream', stream_id: 'broken' }, 'wss://m.example/b');
    await telnyx().connect({ ...call, kind: 'stream', stream_id: 'broken' }, 'wss://m.example/c');
    expect(rest.json(1).command_id).toBe(rest.json(0).command_id);
  });

  it('reject as busy and hang up', async () => {
    await telnyx().reject(call);
    await telnyx().end(call);
    expect(await telnyx().hangUp(call)).toBe('done');
    expect(rest.seen.map(({ url }) => url)).toEqual([`${PATH}/reject`, `${PATH}/hangup`, `${PATH}/hangup`]);
    expect(rest.json()).toMatchObject({ cause: 'USER_BUSY' });
  });

  it('a call that is over is gone; anything else is an error', async () => {
    rest.reply = { status: 422, body: error('90018') };
    expect(await telnyx().hangUp(call)).toBe('gone');
    expect(await telnyx().connect({ ...call, kind: 'inbound' }, 'wss://m.example/a')).toMatchObject({ text: '' });
    rest.reply = { status: 404, body: error('10005') };
    expect(await telnyx().hangUp(call)).toBe('gone');
    rest.reply = { status: 422, body: error('10015', 'stream_url is wrong') };
    const refused = telnyx().connect({ ...call, kind: 'inbound' }, 'x');
    await expect(refused).rejects.toThrow(new CarrierError('stream_url is wrong', 422));
    await expect(telnyx('http://127.0.0.1:9').hangUp(call)).rejects.toBeInstanceOf(CarrierError);
  });
});

describe('events', () => {
  const read = (event_type: string, payload: object = {}) =>
    telnyx().parseCallback({
      fields: {},
      json: {
        data: { event_type, payload: { call_control_id: ID, from: '+919811112222', to: '+911140000001', ...payload } },
      },
    });

  it('say which kind they are', () => {
    const incoming = { direction: 'incoming' };
    const outgoing = { direction: 'outgoing' };
    expect(read('call.initiated', incoming)).toEqual({
      provider_call_id: ID,
      provider_request_id: '',
      from_number: '+919811112222',
      to_number: '+911140000001',
      kind: 'inbound',
      status: 'ringing',
      carrier_status: 'call.initiated',
    });
    expect(read('call.initiated', outgoing)).toMatchObject({ kind: 'status', status: 'ringing' });
    expect(read('call.answered', outgoing)).toMatchObject({ kind: 'answer', status: 'in-progress' });
    expect(read('call.answered', incoming)).toMatchObject({ kind: 'status', status: 'in-progress' });
    expect(read('streaming.failed')).toMatchObject({ kind: 'stream', status: null });
    expect(read('streaming.started')).toMatchObject({ kind: 'status', status: null });
    expect(read('call.initiated', { ...incoming, from: 'anonymous' })).toMatchObject({ from_number: '' });
  });

  it.each([
    ['normal_clearing', 'completed'],
    ['user_busy', 'busy'],
    ['call_rejected', 'busy'],
    ['timeout', 'no-answer'],
    ['no_answer', 'no-answer'],
    ['originator_cancel', 'canceled'],
    ['not_found', 'failed'],
    ['constructor', 'failed'],
  ])('a call ended by %s is %s', (hangup_cause, status) => {
    const over = read('call.hangup', { hangup_cause });
    expect(over).toMatchObject({ kind: 'status', status, carrier_status: hangup_cause });
  });

  it.each([null, {}, { data: 7 }, { data: { payload: [] } }, { data: { payload: { call_control_id: 7 } } }])(
    '%j names no call that could be led',
    (json) => {
      const callback = telnyx().parseCallback({ fields: { call_control_id: ID }, json });
      expect(callback === null || callback.kind === 'status').toBe(true);
    },
  );
});

describe('transfers', () => {
  const TARGET = 'v3:target';
  const urls = {
    caller_url: 'https://api.example.com/caller',
    dial_url: 'https://api.example.com/dial?transfer_id=1',
    dialled_url: 'https://api.example.com/dialled',
  };
  const state = Buffer.from(`caller ${ID}`).toString('base64');
  const commands = () => rest.seen.map(({ url }) => decodeURIComponent(url).replace('/v2/calls/', ''));

  /** Records handled events and returns `step` for each. */
  function transferEvents(step: TargetStep = { do: 'hang up' }) {
    const handled: unknown[] = [];
    const record =
      (what: string) =>
      async (...given: unknown[]) => {
        handled.push([what, ...given.slice(0, 2), (given[2] as { dial_status?: string })?.dial_status ?? '']);
        return step as never;
      };
    const listener: TransferEventHandler = {
      targetAnswered: record('answered'),
      targetBriefed: record('briefed'),
      targetStatus: record('status'),
      callerMoved: record('moved'),
      dialStatus: async (_provider, id, said) => {
        handled.push(['dial', id, said]);
      },
    };
    return { handled, listener };
  }
  const take = (address: 'dial' | 'status', event_type: string, payload: object, listener: TransferEventHandler) =>
    telnyx().handleTransferCallback!(address, 't-1', { fields: {}, json: { data: { event_type, payload } } }, listener);

  it('cold: the target is dialled for the caller, who leaves the agent', async () => {
    expect(await telnyx().transfers!.connect(call, { ...request, ...urls })).toBe('done');
    expect(commands()).toEqual([`${ID}/actions/transfer`, `${ID}/actions/streaming_stop`]);
    expect(rest.json()).toMatchObject({
      to: request.to_number,
      from: request.from_number,
      timeout_secs: 60,
      webhook_url: urls.dial_url,
      target_leg_client_state: state,
    });
    rest.reply = { status: 422, body: error('90018') };
    expect(await telnyx().transfers!.connect(call, { ...request, ...urls })).toBe('gone');
  });

  it('cold: reports answered and over; the caller is hung up when nobody answers', async () => {
    const { handled, listener } = transferEvents();
    const leg = { call_control_id: TARGET, direction: 'outgoing', client_state: state };
    await take('dial', 'call.initiated', leg, listener);
    await take('dial', 'call.answered', leg, listener);
    expect(rest.seen).toEqual([]);
    await take('dial', 'call.hangup', { ...leg, hangup_cause: 'timeout' }, listener);
    expect(commands()).toEqual([`${ID}/actions/hangup`]);
    await take('dial', 'call.hangup', { ...leg, client_state: null, call_control_id: ID }, listener);
    expect(handled).toEqual([
      ['dial', 't-1', { event: 'answered', status: null, dial_status: 'call.answered' }],
      ['dial', 't-1', { event: 'over', status: 'no-answer', dial_status: 'timeout' }],
    ]);
  });

  it('warm: the target is dialled, briefed and bridged with the caller', async () => {
    const leg = { call_control_id: TARGET, direction: 'outgoing' };
    const first = transferEvents({ do: 'listen', text: 'Asha asks.', language: 'hi', next_url: '' });
    await take('status', 'call.answered', leg, first.listener);
    expect(commands()).toEqual([`${TARGET}/actions/speak`]);
    expect(rest.json()).toMatchObject({ payload: 'Asha asks.', voice: 'female', language: 'hi-IN' });
    const second = transferEvents({ do: 'wait in room', room: 't-1' });
    await take('status', 'call.speak.ended', leg, second.listener);
    await take('status', 'call.hangup', { ...leg, hangup_cause: 'normal_clearing' }, second.listener);
    expect([...first.handled, ...second.handled].map((line) => (line as string[])[0])).toEqual([
      'answered',
      'briefed',
      'status',
    ]);
    const target = { provider_call_id: TARGET, provider_request_id: '' };
    expect(await telnyx().transfers!.join(call, target, { room: 't-1', caller_url: '' })).toBe('done');
    expect(commands().slice(1)).toEqual([`${ID}/actions/bridge`, `${ID}/actions/streaming_stop`]);
    expect(rest.json(1)).toMatchObject({ call_control_id: TARGET });
    await take('status', 'call.speak.ended', leg, transferEvents({ do: 'hang up' }).listener);
    expect(commands().at(-1)).toBe(`${TARGET}/actions/hangup`);
  });
});

describe('the signature', () => {
  const raw = '{"data":{"event_type":"call.initiated","payload":{}}}';
  const now = Math.floor(WALL_MS / 1000);
  const made = (seconds: number | string, text = raw, key = privateKey) =>
    sign(null, Buffer.from(`${seconds}|${text}`), key).toString('base64');
  const genuine = (signature: string, timestamp: number | string, text = raw) => {
    const headers: Record<string, string> = {
      'telnyx-signature-ed25519': signature,
      'telnyx-timestamp': String(timestamp),
    };
    const callback: SignedCallback = {
      url: 'https://api.example.com/carriers/telnyx/inbound',
      fields: {},
      json: null,
      raw: text,
      header: (name) => headers[name] ?? '',
    };
    return telnyx().verifyCallback(callback);
  };

  it('covers the time and every byte', () => {
    expect(genuine(made(now), now)).toBe(true);
    expect(genuine(made(now), now + 1)).toBe(false);
    expect(genuine(made(now), now, `${raw} `)).toBe(false);
    expect(genuine(made(now, raw, generateKeyPairSync('ed25519').privateKey), now)).toBe(false);
  });

  it('is valid for five minutes', () => {
    expect(genuine(made(now - 299), now - 299)).toBe(true);
    expect(genuine(made(now - 301), now - 301)).toBe(false);
    expect(genuine(made(now + 301), now + 301)).toBe(false);
  });

  it('is refused when it is malformed', () => {
    for (const signature of ['', 'AAAA', 'ä', Buffer.alloc(64).toString('base64'), `${made(now)}AAAA`]) {
      expect(genuine(signature, now)).toBe(false);
    }
    for (const moment of ['', 'now', '1e9', `${now}.5`, '-1']) expect(genuine(made(moment), moment)).toBe(false);
  });

  // RFC 8032, 7.1, test 2: the key as the account shows it.
  it('needs a key of 32 bytes', () => {
    const account = { api_key: 'k', connection_id: 'c', api_url: 'http://127.0.0.1:9' };
    const published = Buffer.from('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c', 'hex');
    expect(() => createTelnyx({ ...account, public_key: published.toString('base64') })).not.toThrow();
    expect(() => createTelnyx({ ...account, public_key: 'AAAA' })).toThrow('TELNYX_PUBLIC_KEY');
  });
});
