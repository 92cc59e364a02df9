import type { WebSocket } from 'ws';
import { audioFrame } from '../../fixtures/simulators/azure-frame.ts';
import { startProviderSocketServer } from '../../fixtures/simulators/provider-socket-server.ts';
import { afterFile } from '../support/after-file.ts';
import type { Draws } from './draws.ts';
import { anyMessage } from './hostile-json.ts';
import type { Tally } from './tally.ts';

/** A provider of a WebSocket service that sends anything. */
export interface HostileProvider {
  url: string;
  /** Called for each connection, with the ids of contexts that the adapter has named on it so far. */
  onConnection: (socket: WebSocket, contexts: string[]) => void;
}

const MESSAGES_OF_CONNECTION = 60;

/** Closed with the test file. */
export async function startHostileProvider(): Promise<HostileProvider> {
  const provider: HostileProvider = { url: '', onConnection() {} };
  const server = await startProviderSocketServer({
    admit: () => null,
    answersPings: () => true,
    onConnection(socket) {
      const contexts: string[] = [];
      socket.on('message', (data, isBinary) => {
        const id = isBinary ? undefined : /(?:"context_?id":"|X-RequestId: )(\w+)/i.exec(String(data))?.[1];
        if (id !== undefined) contexts.push(id);
      });
      provider.onConnection(socket, contexts);
    },
  });
  afterFile(() => server.close());
  provider.url = server.url;
  return provider;
}

/** A message in Azure's framing, whose body is anything; audio among them. */
function azureMessage(draws: Draws, among: readonly object[], requestId: string): string | Buffer {
  if (draws.chance(0.2)) return audioFrame(requestId, 'a', draws.bytes(draws.pick([0, 1, 400])));
  const { path, body } = draws.pick(among) as { path: string; body: object };
  return `X-RequestId:${requestId}\r\nPath:${path}\r\n\r\n${String(anyMessage(draws, [body]))}`;
}

/** The messages of one connection: some at once, the rest in turns of the event loop, as the adapter speaks in between. */
export async function sendAnything(
  socket: WebSocket,
  draws: Draws,
  among: () => readonly object[],
  tally: Tally,
  azureRequestId?: () => string,
): Promise<void> {
  for (let count = 0; count < MESSAGES_OF_CONNECTION && socket.readyState === socket.OPEN; count++) {
    const isFramed = azureRequestId !== undefined && draws.chance(0.9);
    const message = isFramed ? azureMessage(draws, among(), azureRequestId()) : anyMessage(draws, among());
    socket.send(draws.chance(0.02) ? draws.bytes(draws.pick([0, 1, 100])) : message);
    tally.add('sent');
    if (count % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await new Promise((resolve) => setImmediate(resolve));
  if (draws.chance(0.5)) socket.close(draws.pick([1000, 1001, 1008, 1011, 1013, 4000]));
  setImmediate(() => socket.terminate());
}

export const gone = (socket: WebSocket) => new Promise<void>((resolve) => void socket.once('close', () => resolve()));
