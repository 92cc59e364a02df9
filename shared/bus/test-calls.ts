import type { NatsConnection } from '@nats-io/transport-node';
import { errorText, type Logger } from '../log.ts';
import {
  type CallEvent,
  type CommandReply,
  callEventCodec,
  commandReplyCodec,
  type StartTestCall,
  startTestCallCodec,
  type TestTurn,
  type TestTurnReply,
  testTurnCodec,
  testTurnReplyCodec,
} from './messages.ts';
import type { Presence } from './presence.ts';
import type { RequestClient } from './requests.ts';
import { MEDIA_QUEUE, START_TEST_CALL, testEventsOf, testTurnsOf } from './subjects.ts';

/**
 * The calls of agent tests: control commands a caller at an engine, turn by turn, and receives the events of the call as they
 * are published. Nothing is stored: a test whose messages are lost is run again.
 */
export interface TestCallBus {
  /** Goes to one of the engines; rejects when there is none. */
  start(command: StartTestCall, timeoutMs: number): Promise<CommandReply>;
  serveStarts(handle: (command: StartTestCall) => CommandReply): void;
  /** Rejects at once when the engine, which the reply to `start` names, does not have the caller of this call. */
  sendTurn(turn: TestTurn, timeoutMs: number, engineId: string): Promise<TestTurnReply>;
  serveTurns(callId: string, handle: (turn: TestTurn) => Promise<TestTurnReply>): { stop(): void };
  /** Rejects while the bus is offline. */
  publishEvent(event: CallEvent): Promise<void>;
  onEvents(callId: string, listener: (event: CallEvent) => void): { stop(): void };
}

const START = { request: startTestCallCodec, reply: commandReplyCodec };
const TURN = { request: testTurnCodec, reply: testTurnReplyCodec };

export function createTestCallBus(
  connection: NatsConnection,
  presence: Presence,
  { request, serve }: RequestClient,
  log: Logger,
  ownEngineId: string,
): TestCallBus {
  return {
    start: (command, timeoutMs) => request(START_TEST_CALL, START, command, timeoutMs),
    serveStarts(handle) {
      serve(START_TEST_CALL, START, (command) => ({ ...handle(command), engine_id: ownEngineId }), MEDIA_QUEUE);
    },
    sendTurn: (turn, timeoutMs, engineId) => request(testTurnsOf(engineId, turn.call_id), TURN, turn, timeoutMs),
    serveTurns: (callId, handle) => serve(testTurnsOf(ownEngineId, callId), TURN, handle),
    async publishEvent(event) {
      presence.requireOnline();
      connection.publish(testEventsOf(event.call_id), callEventCodec.encode(event));
    },
    onEvents(callId, listener) {
      const subscription = connection.subscribe(testEventsOf(callId), {
        callback: (error, message) => {
          if (error) return;
          try {
            listener(callEventCodec.decode(message.data));
          } catch (failure) {
            log.warn({ call_id: callId, error: errorText(failure) }, 'event of a test call could not be read');
          }
        },
      });
      return { stop: () => subscription.unsubscribe() };
    },
  };
}
