import type { AgentConfig } from '../shared/agent.ts';
import type { Bus } from '../shared/bus/bus.ts';
import type { OpenSessionReply, OpenSessionRequest, Session } from '../shared/bus/messages.ts';
import { createRequestKey, type RequestKey } from '../shared/bus/seal-for-engine.ts';
import { type Clock, pause } from '../shared/clock.ts';
import { errorText, type Logger } from '../shared/log.ts';

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
  const deadlineMs = clock.now() + SESSION_DEADLINE_MS;
  const key = createRequestKey();
  for (;;) {
    try {
      const reply = await bus.openSession({ ...request, public_key: key.publicKey }, SESSION_TIMEOUT_MS);
      return { ...reply, session: reply.session && withHeaders(reply.session, key, log) };
    } catch (error) {
      if (clock.now() >= deadlineMs) {
        log.warn({ call_id: request.call_id, error: errorText(error) }, 'session request failed');
        return { refused: 'the service did not answer', session: undefined };
      }
      await pause(clock, SESSION_RETRY_MS);
    }
  }
}

type Headers = AgentConfig['tools'][number]['headers'];

/** The session with the values of headers, which came sealed: of the agent's tools, then of its MCP servers. */
function withHeaders({ sealed_headers, ...session }: Session, key: RequestKey, log: Logger): Session {
  if (!sealed_headers) return session;
  const text = key.open(sealed_headers, session.call_id);
  if (text === null) {
    log.error({ call_id: session.call_id }, "values of tools' headers cannot be opened");
    return session;
  }
  const headers: Headers[] = JSON.parse(text);
  const agent: AgentConfig = JSON.parse(session.agent_json);
  const opened = <Item extends { headers: Headers }>(items: readonly Item[], from: number): Item[] =>
    items.map((item, index) => ({ ...item, headers: headers[from + index] ?? item.headers }));
  const tools = opened(agent.tools, 0);
  // A control of the release before knows of no MCP servers.
  const mcp_servers = opened(agent.mcp_servers ?? [], tools.length);
  return { ...session, agent_json: JSON.stringify({ ...agent, tools, mcp_servers }) };
}
