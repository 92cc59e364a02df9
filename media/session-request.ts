import { askAgain } from '../shared/ask-again.ts';
import type { Bus } from '../shared/bus/bus.ts';
import type { OpenSessionReply, OpenSessionRequest } from '../shared/bus/messages.ts';
import { createRequestKey } from '../shared/bus/seal-for-engine.ts';
import type { Clock } from '../shared/clock.ts';
import { errorText, type Logger } from '../shared/log.ts';
import { withHeaders } from './call/sealed-headers.ts';

/** Below the leg's own deadline for a listener; long enough for a restart of control, its database or the bus. */
const SESSION_DEADLINE_MS = 8_000;
const SESSION_TIMEOUT_MS = 2_000;
const SESSION_RETRY_MS = 200;
/** A session request has its reply, or none, after this. */
export const MAX_SESSION_WAIT_MS = SESSION_DEADLINE_MS + SESSION_TIMEOUT_MS;

/** Asks control for a call's session until it replies; no reply in time is a refusal. */
export async function requestSession(
  request: OpenSessionRequest,
  { bus, clock, log }: { bus: Pick<Bus, 'openSession'>; clock: Clock; log: Logger },
): Promise<OpenSessionReply> {
  const key = createRequestKey();
  try {
    return await askAgain(clock, { withinMs: SESSION_DEADLINE_MS, everyMs: SESSION_RETRY_MS }, async () => {
      const reply = await bus.openSession({ ...request, public_key: key.publicKey }, SESSION_TIMEOUT_MS);
      return { ...reply, session: reply.session && withHeaders(reply.session, request.call_id, key, log) };
    });
  } catch (error) {
    log.warn({ call_id: request.call_id, error: errorText(error) }, 'session request failed');
    return { refused: 'the service did not answer', session: undefined };
  }
}
