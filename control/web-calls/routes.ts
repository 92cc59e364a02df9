import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { STREAM_PROVIDER } from '../../shared/stream-messages.ts';
import { callRecord, userDataInput, withOffsets } from '../calls/call-record.ts';
import { placeTraced } from '../calls/lifecycle/call-spans.ts';
import { placeWebCall, type WebCallDeps } from '../calls/lifecycle/place-web-call.ts';
import { pathId } from '../http/query.ts';
import { type Context, route } from '../http/route.ts';
import { time } from '../http/times.ts';
import { createStreamSession, createWebSession, type WebSessionSettings } from './web-session.ts';
import { webSession } from './web-session-record.ts';

const streamSession = z
  .object({
    url: z.string().describe('`wss://…/stream/<token>`: the socket that the client opens'),
    token: z.string().describe('the token alone; works once, and again within 5 seconds where the connection broke'),
    expires_at: time().describe(
      'the token is invalid after that, and once the call has ended, which it does after 30 seconds without a stream',
    ),
  })
  .meta({ id: 'StreamSession' });

export interface WebCallRoutesDeps extends WebSessionSettings, WebCallDeps {}

/** What is the same of both. */
const declared = {
  method: 'POST',
  tag: 'Calls',
  credential: 'key',
  permission: 'calls.place',
  success: 201,
  idempotent: true,
} as const;
const errors: [402, 404, 409] = [402, 404, 409];
const input = {
  params: z.object({ agent_id: pathId('agent') }),
  body: z.object({ user_data: userDataInput.default({}) }),
};
const placedCall = callRecord.describe('the call, `ringing`');

/**
 * `POST /agents/{agent_id}/web-call`, called by a page's server, which hands url and token to the browser, and `stream-call`, called
 * by a program that carries the audio of the call itself.
 */
export function webCallRoutes(app: FastifyInstance, deps: WebCallRoutesDeps): void {
  async function place(
    provider: Parameters<typeof placeWebCall>[1]['provider'],
    { params, body }: { params: { agent_id: string }; body: z.output<typeof input.body> },
    { workspace_id, actor, markCarriedOut, request }: Context,
  ) {
    const call = await placeTraced(request, deps.clock, () =>
      placeWebCall(deps, { workspace_id, ...params, ...body, provider, actor, markCarriedOut }),
    );
    return { ...withOffsets(call), queue_position: null };
  }

  route(app, {
    ...declared,
    errors,
    path: '/api/v1/agents/{agent_id}/web-call',
    summary: 'Begin a call from a browser: it takes a slot at once, and rings until audio arrives, 30 seconds at most',
    schema: {
      ...input,
      response: z
        .object({ call: placedCall, session: webSession.describe('for the browser alone') })
        .meta({ id: 'WebCall' }),
    },
    async handler(request, context) {
      const call = await place('', request, context);
      return { call, session: createWebSession(deps, call.id) };
    },
  });

  route(app, {
    ...declared,
    errors,
    path: '/api/v1/agents/{agent_id}/stream-call',
    summary:
      "Begin a call over a WebSocket of the client's own telephony or device: it takes a slot at once, and rings until the stream is opened, 30 seconds at most",
    schema: {
      ...input,
      response: z
        .object({
          call: placedCall,
          session: streamSession.describe('for the program that carries the audio alone'),
        })
        .meta({ id: 'StreamCall' }),
    },
    async handler(request, context) {
      const call = await place(STREAM_PROVIDER, request, context);
      return { call, session: createStreamSession(deps, call.id) };
    },
  });
}
