import type { Clock } from '../../shared/clock.ts';
import { type AudioFormat, bytesPerSample } from '../audio/format.ts';
import { azureFailure, azureId } from '../provider/azure-failure.ts';
import {
  AZURE_SPEECH_CONFIG,
  azureAudioFrames,
  azureBinaryFrame,
  azureTextFrame,
  readAzureTextFrame,
} from '../provider/azure-frames.ts';
import { parseJsonMessage } from '../provider/json-message.ts';
import { createPendingAudio } from './pending-audio.ts';
import { createRequestedFinals } from './requested-finals.ts';
import type { TranscriberConnection, TranscriberProtocol } from './streaming-transcriber.ts';

const FINAL_WITHIN_MS = 2_500;
/** Audio kept while a request comes to its end. */
const MAX_HELD_MS = 3_000;
const WAVE_TAGS: Record<AudioFormat['encoding'], number> = { pcm16: 1, alaw: 6, mulaw: 7 };
/** A phrase without words. */
const WORDLESS = new Set<unknown>(['NoMatch', 'InitialSilenceTimeout', 'BabbleTimeout', 'EndOfDictation']);

/**
 * The messages of Azure's transcriber. It has none that asks for final words: they come when the audio of a request ends. So
 * `finalize` ends it; what is heard until its `turn.end` is kept, and begins the next request on the same connection.
 */
export function createAzureProtocol(
  connection: TranscriberConnection,
  speechContext: object,
  input: AudioFormat,
  clock: Clock,
): TranscriberProtocol {
  const held = createPendingAudio((MAX_HELD_MS * input.sample_rate * bytesPerSample(input)) / 1000);
  /** The request that takes audio; null before its first. */
  let current: { id: string; frame: (audio: Uint8Array) => Uint8Array } | null = null;
  /** The end of its audio was sent. */
  let ending = false;
  /** Final phrases since then. */
  let phrases: string[] = [];
  const finals = createRequestedFinals({ connection, clock, finalWithinMs: FINAL_WITHIN_MS, request: endAudio });

  function begin(): typeof current {
    const message = { path: 'audio', requestId: azureId(), atMs: clock.wall() };
    const { requestId, atMs } = message;
    connection.send(azureTextFrame({ path: 'speech.config', requestId, atMs }, AZURE_SPEECH_CONFIG));
    connection.send(azureTextFrame({ path: 'speech.context', requestId, atMs }, speechContext));
    connection.send(azureBinaryFrame({ ...message, contentType: 'audio/x-wav' }, waveHeader(input)));
    return { id: requestId, frame: azureAudioFrames(message) };
  }

  function endAudio(): void {
    if (!current || ending) return;
    ending = true;
    connection.send(azureBinaryFrame({ path: 'audio', requestId: current.id, atMs: clock.wall() }));
  }

  function onPhrase({ RecognitionStatus, DisplayText, NBest }: Record<string, unknown>): void {
    if (WORDLESS.has(RecognitionStatus)) return;
    if (RecognitionStatus !== 'Success') {
      const status = typeof RecognitionStatus === 'string' ? RecognitionStatus.slice(0, 80) : 'no status';
      connection.fail(azureFailure(status) ?? 'unavailable', `the transcriber reported ${status}`);
      return;
    }
    const best: unknown = Array.isArray(NBest) ? (NBest[0] as Record<string, unknown> | undefined)?.Display : undefined;
    const text = typeof DisplayText === 'string' ? DisplayText : best;
    if (typeof text !== 'string' || text === '') return;
    if (!ending) finals.final(text);
    else {
      phrases.push(text);
      finals.partial(phrases.join(' '));
    }
  }

  function onTurnEnd(): void {
    const text = phrases.join(' ');
    const wasAsked = ending;
    current = null;
    ending = false;
    phrases = [];
    if (wasAsked) finals.final(text);
    held.drain((chunk) => {
      const message = encodeAudio(chunk);
      if (message) connection.send(message);
    }, finalize);
  }

  function encodeAudio(chunk: Uint8Array): Uint8Array | null {
    if (ending) {
      held.write(chunk);
      return null;
    }
    current ??= begin();
    return current!.frame(chunk);
  }

  function finalize(): void {
    if (ending) {
      held.finalize();
      return;
    }
    endAudio();
    finals.requested();
    // No audio, no words.
    if (!ending) finals.final('');
  }

  return {
    inSpeech: () => finals.inSpeech,
    encodeAudio,
    finalize,
    onMessage({ path, requestId, body }) {
      // What is still said of an earlier request is known.
      if (!current || requestId !== current.id) return;
      const message = body as Record<string, unknown>;
      if (path === 'turn.end') onTurnEnd();
      else if (path === 'speech.phrase') onPhrase(message);
      else if (path === 'speech.hypothesis' && typeof message.Text === 'string') {
        finals.partial([...phrases, message.Text].join(' '));
      }
    },
    stop() {
      finals.stop();
      held.clear();
    },
  };
}

/** A frame as the message of a protocol; or what is wrong with it. */
export function readAzureMessage(raw: string): Record<string, unknown> | string {
  const frame = readAzureTextFrame(raw);
  if (!frame) return 'not a frame';
  const body = parseJsonMessage(frame.body === '' ? '{}' : frame.body);
  return typeof body === 'string' ? body : { path: frame.path, requestId: frame.requestId, body };
}

/** The header of a WAV file without length, which says what the audio is (RIFF WAVE, Microsoft). */
function waveHeader({ encoding, sample_rate }: AudioFormat): Uint8Array {
  const bytes = bytesPerSample({ encoding, sample_rate });
  const header = Buffer.alloc(44);
  header.write('RIFF\0\0\0\0WAVEfmt ', 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(WAVE_TAGS[encoding], 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sample_rate, 24);
  header.writeUInt32LE(sample_rate * bytes, 28);
  header.writeUInt16LE(bytes, 32);
  header.writeUInt16LE(bytes * 8, 34);
  header.write('data\0\0\0\0', 36, 'latin1');
  return header;
}
