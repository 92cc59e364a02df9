import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { STREAM_PROVIDER } from '../../shared/stream-messages.ts';
import { callRecord, userDataInput, withOffsets } from '../calls/call-record.ts';
import { placeWebCall, type WebCallDeps } from '../calls/lifecycle/place-web-call.ts';
import { pathId } from '../http/query.ts';
import { route } from '../http/route.ts';
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

/**
 * `POST /agents/{agent_id}/web-call`, called by a page's server, which hands url and token to the browser, and `stream-call`, called
 * by whoever carries the audio of the call themselves.
 */
export function webCallRoutes(app: FastifyInstance, deps: WebCallRoutesDeps): void {
  route(app, {
    method: 'POST',
    path: '/api/v1/agents/{agent_id}/web-call',
    tag: 'Calls',
    summary: 'Begin a call from a browser: it takes a slot at once, and rings until audio arrives, 30 seconds at most',
    credential: 'key',
    permission: 'calls.place',
    schema: {
      params: z.object({ agent_id: pathId('agent') }),
      body: z.object({ user_data: userDataInput.default({}) }),
      response: z
        .object({
          call: callRecord.describe('the call, `ringing`'),
          session: webSession.describe('for the browser alone'),
        })
        .meta({ id: 'WebCall' }),
    },
    success: 201,
    errors: [402, 404, 409],
    idempotent: true,
    async handler({ params, body }, { workspace_id, actor, markCarriedOut }) {
      const call = await placeWebCall(deps, { workspace_id, ...params, ...body, provider: '', actor, markCarriedOut });
      return { call: { ...withOffsets(call), queue_position: null }, session: createWebSession(deps, call.id) };
    },
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/agents/{agent_id}/stream-call',
    tag: 'Calls',
    summary:
      "Begin a call over a WebSocket of the client's own telephony or device: it takes a slot at once, and rings until the stream is opened, 30 seconds at most",
    credential: 'key',
    permission: 'calls.place',
    schema: {
      params: z.object({ agent_id: pathId('agent') }),
      body: z.object({ user_data: userDataInput.default({}) }),
      response: z
        .object({
          call: callRecord.describe('the call, `ringing`'),
          session: streamSession.describe('for the program that carries the audio alone'),
        })
        .meta({ id: 'StreamCall' }),
    },
    success: 201,
    errors: [402, 404, 409],
    idempotent: true,
    async handler({ params, body }, { workspace_id, actor, markCarriedOut }) {
      const request = { workspace_id, ...params, ...body, provider: STREAM_PROVIDER, actor, markCarriedOut } as const;
      const call = await placeWebCall(deps, request);
      return { call: { ...withOffsets(call), queue_position: null }, session: createStreamSession(deps, call.id) };
    },
  });
}
