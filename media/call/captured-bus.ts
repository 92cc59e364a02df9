import type { AgentConfig } from '../../shared/agent.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import type { OpenHandoffReply } from '../../shared/bus/messages.ts';
import type { CapturedHandoffReply } from '../../shared/capture.ts';
import { redactHandoffSecrets } from '../../shared/capture-redaction.ts';
import { errorText } from '../../shared/log.ts';
import type { CaptureEntries } from './capture-entries.ts';

/** Captures the replies to the call's requests, and the commands to it. `user_data_json`: the values of the call. */
export function captureBus(bus: Bus, user_data_json: string, entries: CaptureEntries): Bus {
  const { add, truncate, startTimer } = entries;
  let requests = 0;
  const captureReply =
    <Request, Reply>(
      name: string,
      send: (request: Request, timeoutMs: number) => Promise<Reply>,
      capturedReply: (reply: Reply) => unknown = (reply) => reply,
    ) =>
    async (request: Request, timeoutMs: number): Promise<Reply> => {
      const n = requests++;
      const elapsed = startTimer();
      try {
        const reply = await send(request, timeoutMs);
        add({ k: 'bus_reply', request: name, n, after: elapsed(), reply: capturedReply(reply), failure: null });
        return reply;
      } catch (error) {
        add({ k: 'bus_reply', request: name, n, after: elapsed(), reply: null, failure: errorText(error) });
        throw error;
      }
    };
  return {
    ...bus,
    startTransfer: captureReply('transfer', bus.startTransfer),
    searchKnowledge: captureReply('knowledge', bus.searchKnowledge),
    bookCallback: captureReply('callback', bus.bookCallback),
    openHandoff: captureReply('handoff', bus.openHandoff, (reply) => {
      if (reply.agent && hasToolsOfOthers(reply.agent))
        truncate('the call goes on with an agent that cannot be replayed');
      return handoffReply(reply, user_data_json);
    }),
    serveCommands: (callId, handle) =>
      bus.serveCommands(callId, (command) => {
        add({ k: 'command', command: { ...command } });
        return handle(command);
      }),
    serveLiveOrders: (callId, handle) =>
      bus.serveLiveOrders(callId, (order) => {
        add({ k: 'live_order', order: { ...order } });
        return handle(order);
      }),
    serveTransferOutcomes: (callId, handle) =>
      bus.serveTransferOutcomes(callId, (outcome) => {
        add({ k: 'transfer_outcome', outcome: { ...outcome } });
        return handle(outcome);
      }),
  };
}

/** Whether the agent has tools whose answers cannot be replayed: those of MCP servers and of the caller's page. */
export function hasToolsOfOthers({ agent_json }: { agent_json: string }): boolean {
  const { mcp_servers = [], tools = [] } = JSON.parse(agent_json) as Partial<AgentConfig>;
  return mcp_servers.length > 0 || tools.some(({ kind }) => kind === 'client');
}

/** Without the sealed values of headers and everything else that is secret. */
function handoffReply({ refused, agent }: OpenHandoffReply, user_data_json: string): CapturedHandoffReply {
  if (!agent) return { refused };
  const { agent_id, agent_json, knowledge = null, paid_seconds } = agent;
  const settings = redactHandoffSecrets({ agent_json, user_data_json });
  return { refused, agent: { agent_id, ...settings, knowledge, paid_seconds } };
}
