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
import { START_TEST_CALL, testEventsOf, testTurnsOf } from './subjects.ts';

/**
 * The calls of agent tests: control commands a caller at an engine, turn by turn, and receives the events of the call as they
 * are published. Nothing is stored: a test whose messages are lost is run again.
 */
export interface TestCallBus {
  /** Goes to one of the engines; rejects when there is none. */
  start(command: StartTestCall, timeoutMs: number): Promise<CommandReply>;
  serveStarts(handle: (command: StartTestCall) => CommandReply): void;
  /** Rejects at once when no engine has the caller of this call. */
  sendTurn(turn: TestTurn, timeoutMs: number): Promise<TestTurnReply>;
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
): TestCallBus {
  return {
    start: (command, timeoutMs) => request(START_TEST_CALL, START, command, timeoutMs),
    serveStarts: (handle) => void serve(START_TEST_CALL, START, handle, 'media'),
    sendTurn: (turn, timeoutMs) => request(testTurnsOf(turn.call_id), TURN, turn, timeoutMs),
    serveTurns: (callId, handle) => serve(testTurnsOf(callId), TURN, handle),
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
