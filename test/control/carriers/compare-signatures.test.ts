import { describe, expect, it } from 'vitest';
import type { CallbackFields, SignedCallback } from '../../../control/carriers/callback.ts';
import { createPlivo, plivoSignature } from '../../../control/carriers/plivo.ts';
import { createTwilio, twilioSignatures } from '../../../control/carriers/twilio.ts';

const twilio = createTwilio({ account_sid: 'AC1', auth_token: '12345', api_url: 'http://127.0.0.1:1' });
const plivo = createPlivo({ auth_id: 'MA1', auth_token: 'token-1', api_url: 'http://127.0.0.1:1' });

function callback(url: string, fields: CallbackFields, headers: Record<string, string>): SignedCallback {
  return { url, fields, json: null, raw: '', header: (name) => headers[name] ?? '' };
}

describe("Twilio's signature", () => {
  const url = 'https://mycompany.com/myapp.php?foo=1&bar=2';
  const fields = {
    To: '+18005551212',
    CallSid: 'CA1234567890ABCDE',
    Caller: '+14158675309',
    Digits: '1234',
    From: '+14158675309',
  };
  const published = 'RSOYDt4T1cUTdK1PDd93/VVr8B8=';

  it('of the published request is the published one', () => {
    expect(twilioSignatures('12345', { url, fields })[0]).toBe(published);
    expect(twilio.verifyCallback(callback(url, fields, { 'x-twilio-signature': published }))).toBe(true);
  });

  it('covers URL, every field, and the token', () => {
    const headers = { 'x-twilio-signature': published };
    expect(twilio.verifyCallback(callback(`${url}0`, fields, headers))).toBe(false);
    expect(twilio.verifyCallback(callback(url, { ...fields, Digits: '1235' }, headers))).toBe(false);
    expect(twilio.verifyCallback(callback(url, { ...fields, More: '' }, headers))).toBe(false);
    const other = createTwilio({ account_sid: 'AC1', auth_token: '12346', api_url: 'http://127.0.0.1:1' });
    expect(other.verifyCallback(callback(url, fields, headers))).toBe(false);
    expect(twilio.verifyCallback(callback(url, fields, {}))).toBe(false);
  });

  // Made with: printf '%s' "$text" | openssl dgst -sha1 -hmac token-1 -binary | base64
  it('uses each value of a repeated field once, sorted, with or without the default port', () => {
    const address = 'https://api.example.com/carriers/twilio/status?call_id=0123';
    const repeated = { Digits: ['b', 'a', 'b'], CallSid: 'CA1' };
    expect(twilioSignatures('token-1', { url: address, fields: repeated })).toEqual([
      'qCoH3SQxwfKQWea3usC/wadryE8=',
      'nKgtrfd4GGwEyjko9/hNEcuWeIs=',
    ]);
    const withPort = address.replace('example.com', 'example.com:443');
    expect(twilioSignatures('token-1', { url: withPort, fields: repeated })).toContain('qCoH3SQxwfKQWea3usC/wadryE8=');
  });
});

describe("Plivo's signature V3", () => {
  const url = 'https://api.example.com/carriers/plivo/status?call_id=0123';
  const fields = { From: '911111111111', CallUUID: 'abc', CallStatus: 'ringing' };
  const nonce = '12345678';

  // Made with: printf '%s' "$text" | openssl dgst -sha256 -hmac token-1 -binary | base64
  it('joins query, fields and nonce with points', () => {
    expect(plivoSignature('token-1', nonce, { url, fields })).toBe('cqFywIXAOwUIS0gAxsXEMZAG2puuxkJfiw1Xa6EQOXw=');
  });

  it('has a bare question mark without a query', () => {
    const inbound = 'https://api.example.com/carriers/plivo/inbound';
    expect(plivoSignature('token-1', nonce, { url: inbound, fields })).toBe(
      'QHellGSyHB1aGI7/ryvNVjay6oCQ/ywfSyHe8AWzQSM=',
    );
  });

  it('sorts the query by name and value', () => {
    const unsorted = 'https://api.example.com/x?b=3&a=2&a=1';
    expect(plivoSignature('token-1', nonce, { url: unsorted, fields: {} })).toBe(
      'KJCKwUX9ORHO6T3Fp+UY1iV/F+P1x5x/Uegi+FCQAHk=',
    );
  });

  it('may be one of several, or in the header of the main account', () => {
    const right = plivoSignature('token-1', nonce, { url, fields });
    const headers = { 'x-plivo-signature-v3-nonce': nonce };
    const verify = (more: Record<string, string>) =>
      plivo.verifyCallback(callback(url, fields, { ...headers, ...more }));
    expect(verify({ 'x-plivo-signature-v3': `AAAA, ${right}` })).toBe(true);
    expect(verify({ 'x-plivo-signature-v3': 'AAAA', 'x-plivo-signature-ma-v3': right })).toBe(true);
    expect(verify({ 'x-plivo-signature-v3': 'AAAA' })).toBe(false);
    expect(verify({})).toBe(false);
    expect(verify({ 'x-plivo-signature-v3': right, 'x-plivo-signature-v3-nonce': '12345679' })).toBe(false);
    expect(verify({ 'x-plivo-signature-v3': right, 'x-plivo-signature-v3-nonce': '' })).toBe(false);
  });
});
