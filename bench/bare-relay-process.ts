import { App } from 'uWebSockets.js';
import { WebSocket } from 'ws';

/**
 * The process that `bench/bare-relay.ts` measures. Of each stream, in the form of Twilio's, it passes the audio on to a socket of its own, and
 * it sends a frame every 20 ms: what an engine cannot do without, and nothing else.
 */

interface Stream {
  transcriber: WebSocket;
}

const [port, transcriberUrl] = [Number(process.argv[2]), process.argv[3]!];
const FRAME_MS = 20;
const SILENCE = Buffer.alloc(160, 0xff).toString('base64');
const frame = `{"event":"media","streamSid":"MZ","media":{"payload":"${SILENCE}"}}`;
const streams = new Set<{ send(message: string): unknown }>();

App()
  .ws<Stream>('/*', {
    open(socket) {
      socket.getUserData().transcriber = new WebSocket(transcriberUrl);
      streams.add(socket);
    },
    message(socket, message) {
      const { event, media } = JSON.parse(Buffer.from(message).toString());
      const { transcriber } = socket.getUserData();
      if (event !== 'media' || transcriber.readyState !== WebSocket.OPEN) return;
      transcriber.send(Buffer.from(media.payload, 'base64'));
    },
    close(socket) {
      streams.delete(socket);
      socket.getUserData().transcriber.terminate();
    },
  })
  .listen('127.0.0.1', port, () => {
    process.send!('ready');
  });

let dueMs = performance.now();
function tick(): void {
  for (const stream of streams) stream.send(frame);
  dueMs += FRAME_MS;
  setTimeout(tick, dueMs - performance.now());
}
tick();
