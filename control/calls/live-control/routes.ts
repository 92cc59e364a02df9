import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import {
  digitsOrder,
  handBackOrder,
  instructionOrder,
  type LiveOrder,
  muteOrder,
  sayOrder,
  transferOrder,
  variablesOrder,
} from '../../../shared/live-control.ts';
import { IDEMPOTENCY_HEADER } from '../../http/idempotency.ts';
import { pathId } from '../../http/query.ts';
import { type Context, route } from '../../http/route.ts';
import { type LiveControlDeps, sendLiveOrder } from './send-order.ts';

const TAG = 'Calls';

const params = z.object({ call_id: pathId('call') });
const response = z
  .object({
    done: z.literal(true).describe('the engine of the call has taken the order'),
    detail: z.string().describe('how, in a line for people; mostly empty'),
  })
  .meta({ id: 'LiveOrderDone' });

/** What is the same of all orders in a live call. */
const declared = {
  method: 'POST',
  tag: TAG,
  credential: 'key',
  permission: 'calls.place',
  success: 200,
  idempotent: true,
} as const;
const errors: [404, 409] = [404, 409];

/** Live control of a call: `/api/v1/calls/{call_id}/…`, an extension of the specification. */
export function liveControlRoutes(app: FastifyInstance, deps: LiveControlDeps): void {
  async function carryOut(callId: string, order: LiveOrder, context: Context) {
    const { workspace_id, actor, request, markCarriedOut } = context;
    const header = request.headers[IDEMPOTENCY_HEADER];
    const key = typeof header === 'string' ? header : undefined;
    const detail = await sendLiveOrder(deps, { workspace_id, call_id: callId, actor, order, key, markCarriedOut });
    return { done: true as const, detail };
  }

  route(app, {
    ...declared,
    errors,
    path: '/api/v1/calls/{call_id}/say',
    summary: 'Have the agent of a live call say a text',
    schema: { params, body: sayOrder, response },
    handler: ({ params, body }, context) => carryOut(params.call_id, { action: 'say', ...body }, context),
  });

  route(app, {
    ...declared,
    errors,
    path: '/api/v1/calls/{call_id}/instructions',
    summary: "Add an instruction to the agent's prompt, for the rest of a live call",
    schema: { params, body: instructionOrder, response },
    handler: ({ params, body }, context) => carryOut(params.call_id, { action: 'instruct', ...body }, context),
  });

  route(app, {
    ...declared,
    errors,
    path: '/api/v1/calls/{call_id}/variables',
    summary: 'Change variables of a live call',
    schema: { params, body: variablesOrder, response },
    handler: ({ params, body }, context) => carryOut(params.call_id, { action: 'set_variables', ...body }, context),
  });

  route(app, {
    ...declared,
    errors,
    path: '/api/v1/calls/{call_id}/mute',
    summary:
      'Mute the agent or the caller of a live call, or unmute them; a muted caller is recorded, and not transcribed',
    schema: { params, body: muteOrder, response },
    handler: ({ params, body }, context) => carryOut(params.call_id, { action: 'mute', ...body }, context),
  });

  route(app, {
    ...declared,
    errors,
    path: '/api/v1/calls/{call_id}/dtmf',
    summary: 'Press keys in a live call, as into the menu of another service',
    schema: { params, body: digitsOrder, response },
    handler: ({ params, body }, context) => carryOut(params.call_id, { action: 'press_keys', ...body }, context),
  });

  route(app, {
    ...declared,
    errors,
    path: '/api/v1/calls/{call_id}/transfer',
    summary: 'Hand the caller of a live call over to a person, as the agent would',
    schema: { params, body: transferOrder, response },
    handler: ({ params, body }, context) => carryOut(params.call_id, { action: 'transfer', ...body }, context),
  });

  route(app, {
    ...declared,
    errors,
    path: '/api/v1/calls/{call_id}/hand-back',
    summary: 'Leave the caller of a live call to the agent again, with a note for it',
    schema: { params, body: handBackOrder, response },
    handler: ({ params, body }, context) => carryOut(params.call_id, { action: 'hand_back', ...body }, context),
  });
}
