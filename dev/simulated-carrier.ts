import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { BOOKING_CALLER } from '../fixtures/conversations/booking-caller.ts';
import type { Callee, CarrierCall } from '../fixtures/simulators/carrier-call.ts';
import { startTwilioSimulator } from '../fixtures/simulators/twilio.ts';
import { errorText } from '../shared/log.ts';
import { E164_PATTERN } from '../shared/phone.ts';
import { playCaller } from './demo-caller.ts';

/**
 * `make up SIMULATED=1`: a simulated carrier in Twilio's place, so that calls can be placed and received without an account.
 * Whoever is called books a table with recorded speech, and so does whoever calls.
 */
export interface SimulatedCarrier {
  /** Control's settings, for a service at these addresses. */
  settings(addresses: { apiUrl: string; mediaUrl: string }): Record<string, string>;
  /** `POST` here makes somebody call a number: `{"to": "+91…", "from": "+91…"}`; each may be left out. */
  callsUrl: string;
  close(): Promise<void>;
}

/** The example agent's number. */
export const SIMULATED_NUMBER = '+911140000002';
const CALLER = '+911140000001';
const MAX_BODY_LENGTH = 10_000;
const CONNECT_TIMEOUT_MS = 20_000;
const RING_MS = 1_500;
const BUSY = /98$/;
const AWAY = /99$/;
/** Without the interruption of the demo: a real model need not speak for that long. */
const LINES = BOOKING_CALLER.filter(({ interrupts }) => !interrupts);

const numberField = z.string().regex(E164_PATTERN, 'is a number such as +911140000002');
const incoming = z.strictObject({ to: numberField.default(SIMULATED_NUMBER), from: numberField.default(CALLER) });

/**
 * @param port of `callsUrl`; 0: a free one
 * @param say gets a line when a call does not come to its end
 * @throws when the port is in use
 */
export async function startSimulatedCarrier(port: number, say: (line: string) => void): Promise<SimulatedCarrier> {
  const accountSid = `AC${randomBytes(16).toString('hex')}`;
  const authToken = randomBytes(16).toString('hex');
  let apiUrl: string | null = null;
  let closed = false;
  const carrier = await startTwilioSimulator({ accountSid, authToken, callee: calleeOf, onCall: converse });

  /** The person at the other end. */
  function converse(call: CarrierCall): void {
    if (call.direction === 'outbound' && calleeOf(call.to).outcome !== 'answer') return;
    call
      .waitForPhone(CONNECT_TIMEOUT_MS)
      .then((phone) => playCaller(phone, LINES))
      .catch((error: unknown) => {
        // The agent hung up, or somebody did by the API: then the call's record says so.
        if (closed || call.state === 'over') return;
        const who = call.direction === 'inbound' ? `from ${call.from}` : `to ${call.to}`;
        say(`simulated carrier: the person hung up on the call ${who}: ${errorText(error)}`);
        call.hangUp();
      });
  }

  async function receive(request: IncomingMessage): Promise<{ status: number; body: object }> {
    if (request.method !== 'POST' || request.url !== '/calls') return { status: 404, body: { error: 'POST /calls' } };
    if (apiUrl === null) return { status: 503, body: { error: 'the service is starting' } };
    const parsed = incoming.safeParse(await readJson(request));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return { status: 422, body: { error: [issue?.path.join('.'), issue?.message].filter(Boolean).join(': ') } };
    }
    const call = carrier.placeInbound({
      ...parsed.data,
      url: `${apiUrl}/carriers/twilio/inbound`,
      statusUrl: `${apiUrl}/carriers/twilio/status`,
    });
    converse(call);
    return { status: 201, body: { ...parsed.data, provider_call_id: call.id } };
  }

  const server = createServer((request, response) => {
    receive(request)
      .catch((error: unknown) => ({ status: 400, body: { error: errorText(error) } }))
      .then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
      });
  });
  try {
    await listen(server, port);
  } catch (error) {
    await carrier.close();
    throw new Error(`the simulated carrier: ${errorText(error)}; choose another port with CARRIER_PORT`);
  }

  return {
    settings(addresses) {
      apiUrl = addresses.apiUrl;
      return {
        TWILIO_ACCOUNT_SID: accountSid,
        TWILIO_AUTH_TOKEN: authToken,
        TWILIO_API_URL: carrier.url,
        // It is on this machine, whatever public addresses are set for a real carrier.
        PUBLIC_API_URL: addresses.apiUrl,
        PUBLIC_MEDIA_URL: addresses.mediaUrl.replace('http', 'ws'),
      };
    },
    callsUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/calls`,
    async close() {
      closed = true;
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await carrier.close();
    },
  };
}

function calleeOf(number: string): Callee {
  if (BUSY.test(number)) return { outcome: 'busy', afterMs: RING_MS };
  return AWAY.test(number) ? { outcome: 'no-answer' } : { outcome: 'answer', afterMs: RING_MS };
}

/** An empty body is an empty object. @throws when it is too long or no JSON. */
async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) {
    text += part;
    if (text.length > MAX_BODY_LENGTH) throw new Error('the body is too long');
  }
  return text.trim() === '' ? {} : JSON.parse(text);
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
}
