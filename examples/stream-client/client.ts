import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { api } from '../api.ts';

/**
 * A call over your own audio stream (docs/stream.md): a file is the microphone, another one the loudspeaker. Both are raw samples,
 * 16 bit, mono, at 16 kHz.
 *
 *   ANTIPHON_KEY=svc_… node examples/stream-client/client.ts AGENT_ID question.raw answer.raw
 */

const [agentId, microphoneFile, speakerFile] = process.argv.slice(2);
if (!agentId || !microphoneFile || !speakerFile) throw new Error('usage: node client.ts AGENT_ID IN.raw OUT.raw');

const FRAME_MS = 20;
const FRAME_BYTES = 640;
const microphone = readFileSync(microphoneFile);
const speaker = createWriteStream(speakerFile);
/** What came from the agent and was not played yet: audio, and the names of marks between. */
let queue: (Buffer | string)[] = [];
let frames = 0;

const { call, session } = await api<{ call: { id: string }; session: { url: string } }>(
  'POST',
  `/agents/${agentId}/stream-call`,
  { user_data: {} },
);
console.log(`call ${call.id}`);
const socket = new WebSocket(session.url);
socket.binaryType = 'arraybuffer';
const send = (message: object) => socket.send(JSON.stringify(message));

socket.onopen = () => {
  send({ type: 'start', audio: { encoding: 'pcm16', sample_rate: 16_000 }, marks: true, transcripts: true });
};
socket.onmessage = ({ data }) => {
  if (typeof data !== 'string') queue.push(Buffer.from(data as ArrayBuffer));
  else onMessage(JSON.parse(data));
};

function onMessage(message: {
  type: string;
  name: string;
  role: string;
  text: string;
  final: boolean;
  reason: string;
}) {
  if (message.type === 'mark') queue.push(message.name);
  if (message.type === 'clear') {
    const marks = queue.filter((item) => typeof item === 'string');
    queue = [];
    for (const name of marks) send({ type: 'mark', name });
  }
  if (message.type === 'transcript' && message.final) console.log(`${message.role}: ${message.text}`);
  if (message.type === 'ended') console.log(`ended: ${message.reason}`);
}

/** Every 20 ms: a frame of the microphone, silence behind its end, and a frame for the loudspeaker. */
const beganMs = performance.now();
const clock = setInterval(() => {
  for (; frames * FRAME_MS <= performance.now() - beganMs; frames++) {
    const from = frames * FRAME_BYTES;
    const frame = Buffer.alloc(FRAME_BYTES);
    frame.set(microphone.subarray(from, from + FRAME_BYTES));
    if (socket.readyState === WebSocket.OPEN) socket.send(frame);
    while (typeof queue[0] === 'string') send({ type: 'mark', name: queue.shift() as string });
    speaker.write((queue.shift() as Buffer | undefined) ?? Buffer.alloc(FRAME_BYTES));
  }
}, FRAME_MS);

// Ctrl-C hangs up; `ended` follows.
process.once('SIGINT', () => send({ type: 'hang_up' }));
const [{ code }] = (await once(socket, 'close')) as [{ code: number }];
clearInterval(clock);
speaker.end();
if (code !== 1000) throw new Error(`the stream was closed with ${code}`);
