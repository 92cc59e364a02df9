import { createServer } from 'node:net';
import { ReadableStream } from 'node:stream/web';
import { initializeLogger, voice } from '@livekit/agents';
import * as deepgram from '@livekit/agents-plugin-deepgram';
import * as elevenlabs from '@livekit/agents-plugin-elevenlabs';
import * as openai from '@livekit/agents-plugin-openai';
import { AudioFrame } from '@livekit/rtc-node';

/**
 * LiveKit Agents as a process: an `AgentSession` for each TCP connection, with audio from and to that connection in the place of a
 * room. Untyped: its packages are installed by `make peers` only.
 *
 * In: a line of JSON, `{"name": ...}`, then frames of 20 ms, PCM16 at 16 kHz. Out: an empty message when the session listens, then
 * the agent's audio, PCM16 at 16 kHz; each message has its length in four bytes before it, little-endian. The port is its
 * first message to its parent.
 *
 * The settings are those that serve the peer best here:
 * - Its own plugins for all three providers. Deepgram Flux decides the turns (`turnDetection: 'stt'`), without a delay after it,
 *   instead of 500 ms by default.
 * - Replies begin before the turn is confirmed, speech as well (`preemptiveTts`); the first is its default, the second is not.
 * - Its voice activity detection (Silero) runs, as by default; noise cancellation does not. An interruption needs a word
 *   (`minWords`), which by default it does not: Flux ends a turn 200 ms after speech, the voice activity detection 250 ms after
 *   it, and without a delay between turn and reply the end of the caller's own question ended some replies.
 * - Audio has the rate of its voice activity detection and of Flux, so that it converts nothing. It neither encodes nor sends in
 *   real time, as a room would: all audio goes out at once, and a timer stands for its playout.
 * - The connection to the synthesizer is open before the first reply. Nothing is recorded or traced.
 */

const SAMPLE_RATE = 16_000;
const FRAME_BYTES = (SAMPLE_RATE / 50) * 2;

// Errors are printed by the session's own event; its log also has one for every hang-up.
initializeLogger({ pretty: false, level: 'fatal' });

/** Sends no list of tools: it sends an empty one otherwise, which the simulated model refuses. */
class ModelWithoutTools extends openai.LLM {
  chat(options) {
    return super.chat({ ...options, toolCtx: undefined });
  }
}

/** The caller's frames. */
class SocketInput extends voice.AudioInput {
  constructor() {
    super();
    this.multiStream.addInputStream(
      new ReadableStream({
        start: (controller) => {
          this.controller = controller;
        },
      }),
    );
  }

  /** @param {Buffer} frame */
  push(frame) {
    const samples = new Int16Array(FRAME_BYTES / 2);
    frame.copy(new Uint8Array(samples.buffer));
    this.controller.enqueue(new AudioFrame(samples, SAMPLE_RATE, 1, samples.length));
  }

  end() {
    this.controller.close();
  }
}

/** The agent's audio, written at once; a timer stands for its playout. */
class SocketOutput extends voice.AudioOutput {
  /** @param {import('node:net').Socket} socket */
  constructor(socket) {
    super(SAMPLE_RATE, undefined, { pause: false });
    this.socket = socket;
    this.startMs = 0;
    this.audioMs = 0;
    this.finish = undefined;
  }

  /** @param {AudioFrame} frame */
  async captureFrame(frame) {
    await super.captureFrame(frame);
    if (this.audioMs === 0) {
      this.startMs = Date.now();
      this.onPlaybackStarted(this.startMs);
    }
    this.audioMs += (frame.samplesPerChannel / frame.sampleRate) * 1_000;
    writeMessage(this.socket, Buffer.from(frame.data.buffer, frame.data.byteOffset, frame.data.byteLength));
  }

  flush() {
    super.flush();
    if (this.audioMs === 0) return;
    clearTimeout(this.finish);
    this.finish = setTimeout(() => this.finished(false), this.startMs + this.audioMs - Date.now());
  }

  clearBuffer() {
    if (this.audioMs === 0) return;
    clearTimeout(this.finish);
    this.finished(true);
  }

  /** @param {boolean} interrupted */
  finished(interrupted) {
    const playedMs = Math.min(this.audioMs, Date.now() - this.startMs);
    this.audioMs = 0;
    this.onPlaybackFinished({ playbackPosition: playedMs / 1_000, interrupted });
  }
}

/**
 * @param {import('node:net').Socket} socket
 * @param {Buffer} bytes
 */
function writeMessage(socket, bytes) {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  if (!socket.destroyed) socket.write(Buffer.concat([length, bytes]));
}

/**
 * @param {string} name names the call at the providers
 * @param {import('node:net').Socket} socket
 */
async function startSession(name, socket) {
  const tts = new elevenlabs.TTS({
    baseURL: `${process.env.ELEVENLABS_URL.replace(/^ws/, 'http')}/v1`,
    apiKey: process.env.ELEVENLABS_API_KEY,
    voiceId: name,
    model: 'eleven_flash_v2_5',
    encoding: `pcm_${SAMPLE_RATE}`,
  });
  const session = new voice.AgentSession({
    stt: new deepgram.STTv2({
      endpointUrl: `${process.env.DEEPGRAM_URL}/v2/listen`,
      apiKey: process.env.DEEPGRAM_API_KEY,
      model: 'flux-general-en',
      keyterms: [name],
    }),
    llm: new ModelWithoutTools({ baseURL: process.env.OPENAI_BASE_URL, apiKey: process.env.OPENAI_API_KEY, model: 'gpt-4.1-mini' }),
    tts,
    turnHandling: {
      turnDetection: 'stt',
      endpointing: { minDelay: 0 },
      interruption: { minWords: 1 },
      preemptiveGeneration: { enabled: true, preemptiveTts: true },
    },
    // For echo in browsers: interruptions would be off for the first three seconds.
    aecWarmupDuration: null,
  });
  session.on('error', ({ error }) => console.error(error));
  const input = new SocketInput();
  session.input.audio = input;
  session.output.audio = new SocketOutput(socket);
  await session.start({ agent: new voice.Agent({ instructions: name }), record: false });
  await tts.currentConnection();
  return {
    input,
    async close() {
      input.end();
      await session.close();
      await tts.close();
    },
  };
}

const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on('error', () => {});
  let waiting = Buffer.alloc(0);
  let opening;
  let call;
  socket.on('data', (data) => {
    waiting = waiting.length === 0 ? data : Buffer.concat([waiting, data]);
    if (!opening) {
      const end = waiting.indexOf('\n');
      if (end < 0) return;
      const { name } = JSON.parse(waiting.subarray(0, end).toString());
      waiting = waiting.subarray(end + 1);
      opening = startSession(name, socket);
      opening.then(
        (started) => {
          call = started;
          writeMessage(socket, Buffer.alloc(0));
        },
        (error) => {
          console.error(error);
          socket.destroy();
        },
      );
    }
    while (call && waiting.length >= FRAME_BYTES) {
      call.input.push(waiting.subarray(0, FRAME_BYTES));
      waiting = waiting.subarray(FRAME_BYTES);
    }
  });
  socket.on('close', () => void opening?.then((started) => started.close()).catch(console.error));
});

server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('disconnect', () => process.exit());
