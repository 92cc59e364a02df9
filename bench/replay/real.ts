import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { SpeechInterval } from '../../fixtures/simulators/deepgram.ts';
import type { ScriptedAnswer } from '../../fixtures/simulators/model-server.ts';
import { startRestaurant } from '../../fixtures/simulators/restaurant.ts';
import { agentConfigSchema } from '../../shared/agent.ts';
import { readArguments } from '../../shared/http-tool.ts';
import { errorText } from '../../shared/log.ts';
import { startMediaProgram } from '../../test/support/media-program.ts';
import { startSimulatedProviders } from '../../test/support/simulated-providers.ts';
import { type Capture, type EntryOf, entriesOf } from './read-capture.ts';

/**
 * Replays a captured call in real time through the media program over real sockets: the caller's frames are sent at their captured
 * times, and the simulated providers have the median delays of the capture. Compares the caller's waits.
 */

export interface RealTurn {
  /** From the end of the caller's speech to the first audio of the reply, milliseconds. */
  thenMs: number | null;
  nowMs: number | null;
}

const SAMPLES_PER_MS = 8;
const FRAME_MS = 20;
const START_DETECTED_AFTER_MS = 120;
const END_DETECTED_AFTER_MS = 250;
const CALL_TIMEOUT_MS = 60_000;

/** Throws when the capture is not of a call in µ-law, or has no audio. */
export async function replayInRealTime(capture: Capture, say: (line: string) => void): Promise<RealTurn[]> {
  const { head } = capture;
  const refused = realTimeRefusal(capture);
  if (refused !== null) throw new Error(`${refused}; on the virtual clock it can be played (without REAL)`);
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const scripted = scriptedTurns(capture);
    const answers = committedAnswers(capture);
    let replies = 0;
    const providers = await startSimulatedProviders({
      stt: {
        script: {
          truth: scripted.map(({ truth }) => truth),
          turns: (index) => ({
            text: scripted[index]?.text ?? '',
            startAfterMs: START_DETECTED_AFTER_MS,
            endAfterMs: END_DETECTED_AFTER_MS,
            eagerAfterMs: scripted[index]?.eagerAfterMs ?? null,
          }),
        },
      },
      llm: {
        firstTokenMs: median(firstTokenDelays(capture)) ?? 0,
        answer: () => answers[replies++] ?? { text: 'Yes.' },
      },
      tts: { firstAudioMs: median(firstAudioDelays(capture)) ?? 0 },
    });
    closing.push(() => providers.close());
    const tool = await startRestaurant();
    closing.push(() => tool.close());
    const program = await startMediaProgram({
      ...providers.settings,
      FETCH_ALLOW: '127.0.0.0/8',
    });
    closing.push(() => program.stop());
    const agent = agentConfigSchema.parse(JSON.parse(head.session.agent_json));
    const { path, ended: over } = program.admit({
      ...agent,
      llm: { provider: 'openai' },
      transcriber: { provider: 'deepgram_flux' },
      voice: { provider: 'elevenlabs', voice_id: 'capture', language: 'en' },
      tools: agent.tools.map((each) => ({ ...each, url: tool.url })),
    });
    const audioEntries = entriesOf(capture, 'audio');
    say(`playing ${((audioEntries.at(-1)?.t ?? 0) / 1_000).toFixed(0)} s in real time ...`);
    await call(`ws://127.0.0.1:${program.port}${path}`, audioEntries);
    const events = await over(CALL_TIMEOUT_MS);
    const now = events.filter(({ type }) => type === 'tts.first_audio').map(({ latency_ms }) => latency_ms ?? null);
    const then = entriesOf(capture, 'timeline_event').filter(({ type }) => type === 'tts.first_audio');
    return then.map(({ latency_ms }, index) => ({ thenMs: latency_ms, nowMs: now[index] ?? null }));
  } finally {
    for (const close of closing.toReversed()) await close().catch((error: unknown) => console.error(errorText(error)));
  }
}

/** Returns why the capture cannot be replayed in real time, or null. */
export function realTimeRefusal(capture: Capture): string | null {
  const { redacted, leg } = capture.head;
  if (leg.carrier === 'browser') {
    return 'this is the capture of a browser call, whose encrypted packets only a browser could send';
  }
  if (entriesOf(capture, 'bus_reply').some(({ request }) => request === 'handoff')) {
    return 'this call has a handoff, and in real time only one agent speaks';
  }
  if (redacted) return 'this capture has no audio to replay in real time';
  if (leg.caller.encoding !== 'mulaw') return 'only calls in mu-law are played in real time';
  return null;
}

/** The caller's side of Twilio's stream: sends each frame at its time and returns marks after playback. */
async function call(url: string, audioEntries: readonly EntryOf<'audio'>[]): Promise<void> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await once(socket, 'open');
  const streamSid = 'MZcapture';
  const mediaFormat = { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 };
  const start = {
    accountSid: 'AC',
    streamSid,
    callSid: 'CAcapture',
    tracks: ['inbound'],
    mediaFormat,
    customParameters: {},
  };
  const write = (message: object) => socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));
  write({ event: 'connected', protocol: 'Call', version: '1.0.0' });
  write({ event: 'start', sequenceNumber: '1', streamSid, start });
  let emptyAtMs = 0;
  let marks: { name: string; timer: NodeJS.Timeout }[] = [];
  const returned = (name: string) => write({ event: 'mark', sequenceNumber: '2', streamSid, mark: { name } });
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as { event: string; mark?: { name: string } };
    const nowMs = performance.now();
    if (message.event === 'media') emptyAtMs = Math.max(nowMs, emptyAtMs) + FRAME_MS;
    else if (message.event === 'clear') {
      emptyAtMs = nowMs;
      for (const { name, timer } of marks.splice(0)) {
        clearTimeout(timer);
        returned(name);
      }
    } else if (message.mark) {
      const { name } = message.mark;
      const timer = setTimeout(() => {
        marks = marks.filter((mark) => mark.name !== name);
        returned(name);
      }, emptyAtMs - nowMs);
      marks.push({ name, timer });
    }
  });
  const startMs = performance.now() - (audioEntries[0]?.t ?? 0);
  for (const [index, { t, audio }] of audioEntries.entries()) {
    const waitMs = startMs + t - performance.now();
    if (waitMs > 1) await new Promise((resolve) => setTimeout(resolve, waitMs));
    const chunk = String(index + 1);
    write({
      event: 'media',
      sequenceNumber: String(index + 3),
      streamSid,
      media: { track: 'inbound', chunk, timestamp: String(index * FRAME_MS), payload: audio },
    });
  }
  write({ event: 'stop', sequenceNumber: '0', streamSid, stop: { accountSid: 'AC', callSid: 'CAcapture' } });
  socket.close();
}

/** Positions of the turns in the caller's samples, so that the simulated transcriber reports them at the captured times. */
function scriptedTurns(capture: Capture): { text: string; truth: SpeechInterval; eagerAfterMs: number | null }[] {
  const firstMs = entriesOf(capture, 'audio')[0]?.t ?? 0;
  const at = (ms: number) => Math.max(0, Math.round((ms - firstMs) * SAMPLES_PER_MS));
  const transcribed = entriesOf(capture, 'transcriber_event').filter(({ n }) => n === 0);
  return transcribed.flatMap(({ t, event }) => {
    if (event.type !== 'turn_ended' && event.type !== 'final') return [];
    const begun = transcribed.find((other) => other.event.type === 'turn_started' && other.event.turn === event.turn);
    const end = at(t - END_DETECTED_AFTER_MS);
    const start = Math.min(at((begun?.t ?? t - 1_000) - START_DETECTED_AFTER_MS), end - FRAME_MS * SAMPLES_PER_MS);
    const eager = transcribed.findLast(
      ({ event: other }) => other.type === 'turn_eager_end' && other.turn === event.turn,
    );
    const eagerAfterMs = eager ? Math.max(0, END_DETECTED_AFTER_MS - (t - eager.t)) : null;
    return [{ text: String(event.text), truth: { start: Math.max(0, start), end }, eagerAfterMs }];
  });
}

/** The model's replies, without discarded preemptive ones. */
function committedAnswers(capture: Capture): ScriptedAnswer[] {
  const answers = [...Map.groupBy(entriesOf(capture, 'llm_part'), ({ n }) => n).values()];
  return answers.flatMap((parts) => {
    if (!parts.some(({ part }) => part?.type === 'finish')) return [];
    const text = parts.map(({ part }) => (part?.type === 'text' ? String(part.text) : '')).join('');
    const toolCalls = parts.flatMap(({ part }) => {
      if (part?.type !== 'tool_call') return [];
      const { name, arguments: json } = part.call as { name: string; arguments: string };
      const read = readArguments({}, json);
      return [{ name, arguments: 'args' in read ? read.args : {} }];
    });
    return [toolCalls.length > 0 ? { toolCalls } : { text }];
  });
}

function firstTokenDelays(capture: Capture): number[] {
  return [...Map.groupBy(entriesOf(capture, 'llm_part'), ({ n }) => n).values()].map((parts) => parts[0]!.after);
}

function firstAudioDelays(capture: Capture): number[] {
  const audioEntries = entriesOf(capture, 'synthesizer_event').filter(({ event }) => event.type === 'audio');
  return [...Map.groupBy(audioEntries, ({ n, c }) => `${n} ${c}`).values()].map((parts) => parts[0]!.after);
}

function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
