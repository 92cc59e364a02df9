import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ParticipantMode } from '../../shared/live-control.ts';
import { readMediaToken } from '../../shared/media-token.ts';
import type { EngineRegistry } from '../calls/engines/engine-registry.ts';
import { findLiveCall, type LiveControlDeps, sendLiveOrder } from '../calls/live-control/send-order.ts';
import { pathId } from '../http/query.ts';
import { type Context, route } from '../http/route.ts';
import { createWebSession, type WebSessionSettings } from './web-session.ts';
import { webSession } from './web-session-record.ts';

export interface ParticipantRoutesDeps extends WebSessionSettings, LiveControlDeps {
  engines: Pick<EngineRegistry, 'addressOf'>;
}

const params = z.object({ call_id: pathId('call') });

/**
 * People who take part in a live call over a browser. The engine that holds the call expects them by the nonce of the stream token that
 * they are given, and the token is of no use for a call of its own.
 */
export function participantRoutes(app: FastifyInstance, deps: ParticipantRoutesDeps): void {
  async function expect(callId: string, mode: ParticipantMode, { workspace_id, actor }: Context) {
    const { engine_id } = await findLiveCall(deps.sql, workspace_id, callId);
    const settings = { ...deps, assignEngine: () => deps.engines.addressOf(engine_id) };
    const session = createWebSession(settings, callId, 'participant');
    const token = readMediaToken(deps.mediaTokenSecret, session.token, 0, 'participant');
    if (typeof token === 'string') throw new Error(`an own token is ${token}`);
    const { nonce, expires_at_ms } = token;
    const order = { action: 'expect_participant', mode, nonce, expires_at_ms } as const;
    await sendLiveOrder(deps, { workspace_id, call_id: callId, actor, order });
    return session;
  }

  route(app, {
    method: 'POST',
    path: '/api/v1/calls/{call_id}/listen',
    tag: 'Calls',
    summary: 'Listen in on a live call from a browser; nobody in the call hears it',
    credential: 'key',
    permission: 'calls.place',
    schema: { params, response: webSession },
    success: 201,
    errors: [404, 409],
    handler: ({ params }, context) => expect(params.call_id, 'listen', context),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/calls/{call_id}/whisper',
    tag: 'Calls',
    summary:
      'Speak from a browser to the person who took over or joined a live call; neither caller nor agent hears it',
    credential: 'key',
    permission: 'calls.place',
    schema: { params, response: webSession },
    success: 201,
    errors: [404, 409],
    handler: ({ params }, context) => expect(params.call_id, 'whisper', context),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/calls/{call_id}/take-over',
    tag: 'Calls',
    summary: 'Speak to the caller of a live call from a browser, in the place of the agent or beside it',
    credential: 'key',
    permission: 'calls.place',
    schema: {
      params,
      body: z.object({
        keep_agent: z.boolean().default(false).describe('the agent goes on as well: a conference of three'),
      }),
      response: webSession,
    },
    success: 201,
    errors: [404, 409],
    handler: ({ params, body }, context) => expect(params.call_id, body.keep_agent ? 'join' : 'take_over', context),
  });
}
