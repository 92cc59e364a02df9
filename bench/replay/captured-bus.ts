import type { Bus } from '../../shared/bus/bus.ts';
import type { CapturedHandoffReply } from '../../shared/capture.ts';
import type { Clock } from '../../shared/clock.ts';
import { type ReportMissing, wait } from './captured-providers.ts';
import { type Capture, entriesOf } from './read-capture.ts';

/** The bus of a replay; captured commands of control are delivered through `ordered`. */
export function createCapturedBus(capture: Capture, clock: Clock, missing: ReportMissing) {
  const answered = entriesOf(capture, 'bus_reply');
  let asked = 0;
  const handlers = {
    order: null as ((order: never) => unknown) | null,
    live: null as ((order: never) => unknown) | null,
    outcome: null as ((event: never) => unknown) | null,
  };
  const answer = async (question: string): Promise<never> => {
    const captured = answered.find(({ n }) => n === asked);
    asked++;
    if (captured?.request !== question) {
      missing(`a question to control: ${question}`);
      throw new Error('the capture has no reply to this request');
    }
    await wait(clock, captured.after);
    if (captured.failure !== null) throw new Error(captured.failure);
    return captured.reply as never;
  };
  const bus = {
    startTransfer: () => answer('transfer'),
    searchKnowledge: () => answer('knowledge'),
    bookCallback: () => answer('callback'),
    openHandoff: () => answer('handoff'),
    serveCommands(_callId: string, take: (order: never) => unknown) {
      handlers.order = take;
      return { stop() {} };
    },
    serveRecordingOrders: () => ({ stop() {} }),
    serveLiveOrders(_callId: string, take: (order: never) => unknown) {
      handlers.live = take;
      return { stop() {} };
    },
    serveTransferOutcomes(_callId: string, take: (event: never) => unknown) {
      handlers.outcome = take;
      return { stop() {} };
    },
  };
  return {
    bus: bus as unknown as Bus,
    ordered: (order: object) => handlers.order?.(order as never),
    live: (order: object) => handlers.live?.(order as never),
    outcome: (outcome: object) => handlers.outcome?.(outcome as never),
  };
}

/** The values of a call, as JSON: those of its first agent, and those that the agents after it use. */
export function valuesOf(capture: Capture): string {
  const handoffs = entriesOf(capture, 'bus_reply').filter(({ request }) => request === 'handoff');
  const agents = handoffs.flatMap(({ reply }) => (reply as CapturedHandoffReply | null)?.agent ?? []);
  const values = [capture.head.session, ...agents].map(({ user_data_json }) => JSON.parse(user_data_json || '{}'));
  return JSON.stringify(Object.assign({}, ...values));
}
