import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { callRecord } from '../calls/call-record.ts';
import { placeWebCall, type WebCallDeps } from '../calls/lifecycle/place-web-call.ts';
import { userDataInput } from '../calls/user-data.ts';
import { pathId } from '../http/query.ts';
import { route } from '../http/route.ts';
import { time } from '../http/times.ts';
import { createWebSession, type WebSessionSettings } from './web-session.ts';

const webSession = z
  .object({
    url: z.string().describe('`wss://…/web/<token>`: the socket that a browser opens'),
    token: z.string().describe('the same pass alone; works once'),
    ice_servers: z
      .array(
        z.object({
          urls: z.array(z.string()).describe('`stun:…` or `turn:…`'),
          username: z.string().optional().describe('of a relay that wants one'),
          credential: z.string().optional().describe('of a relay that wants one; ends after some hours'),
        }),
      )
      .describe('as RTCPeerConnection takes them; empty when browsers reach the engine directly'),
    expires_at: time().describe(
      'the pass opens nothing after that; nor once the call is over, which it is after 30 seconds without sound',
    ),
  })
  .meta({ id: 'WebSession' });

export interface WebCallRoutesDeps extends WebSessionSettings, WebCallDeps {}

/** `POST /agents/{agent_id}/web-call`. A page that shows the button needs no credential: its server asks, and hands url and token on. */
export function webCallRoutes(app: FastifyInstance, deps: WebCallRoutesDeps): void {
  route(app, {
    method: 'POST',
    path: '/api/v1/agents/{agent_id}/web-call',
    tag: 'Calls',
    summary: 'Begin a call from a browser: it takes a slot at once, and rings until sound flows, 30 seconds at most',
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
    async handler({ params, body }, { workspace_id, actor, markCarriedOut: carriedOut }) {
      const call = await placeWebCall(deps, { workspace_id, ...params, ...body, actor, markCarriedOut: carriedOut });
      return { call: { ...call, queue_position: null }, session: createWebSession(deps, call.id) };
    },
  });
}
