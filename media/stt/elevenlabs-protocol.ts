import type { Clock } from '../../shared/clock.ts';
import { type AudioFormat, bytesPerSample, silenceByte } from '../audio/format.ts';
import type { ProviderFailure } from '../provider/provider-error.ts';
import { createRequestedFinals } from './requested-finals.ts';
import type { TranscriberConnection, TranscriberProtocol } from './streaming-transcriber.ts';

/** The provider's 99th percentile is less than half a second. */
const FINAL_WITHIN_MS = 1_500;
const SILENCE_MS = 100;
/** Audio without words is committed this often, because the provider advises segments of 20 to 30 s. */
const MAX_OPEN_MS = 20_000;

/**
 * The messages of ElevenLabs' transcriber: partial texts of everything since the last commit, and the text of each commit. It may
 * commit by itself where a segment gets long. A commit of less than 0.3 s of audio is refused with an error that ends nothing.
 */
export function createElevenLabsProtocol(
  connection: TranscriberConnection,
  input: AudioFormat,
  clock: Clock,
): TranscriberProtocol {
  const chunk = (audio: string, commit: boolean) =>
    `{"message_type":"input_audio_chunk","audio_base_64":"${audio}","commit":${commit},"sample_rate":${input.sample_rate}}`;
  let committedMs = 0;
  const request = () => {
    committedMs = connection.sentMs;
    connection.send(chunk('', true));
  };
  const finals = createRequestedFinals({ connection, clock, finalWithinMs: FINAL_WITHIN_MS, request });

  function onError(name: string): void {
    const nothingToCommit = name === 'commit_throttled' || name === 'insufficient_audio_activity';
    if (nothingToCommit && finals.pending) finals.final('');
    else if (name === 'commit_throttled') connection.ignore(name);
    else connection.fail(elevenLabsFailure(name)!, `the transcriber reported ${name}`);
  }

  return {
    inSpeech: () => finals.inSpeech,
    onMessage({ message_type, text }) {
      switch (message_type) {
        case 'session_started':
          connection.completeHandshake();
          return;
        case 'partial_transcript':
          if (typeof text === 'string') finals.partial(text);
          return;
        case 'committed_transcript':
          if (typeof text === 'string') finals.final(text);
          return;
        default:
          if (typeof message_type !== 'string') return;
          // Some names are documented in two spellings.
          for (const name of [message_type, message_type.replace(/_error$/, '')]) {
            if (elevenLabsFailure(name) === undefined) continue;
            onError(name);
            return;
          }
      }
    },
    encodeAudio(bytes) {
      if (!finals.inSpeech && connection.sentMs - committedMs > MAX_OPEN_MS) finals.settle();
      return chunk(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'), false);
    },
    finalize() {
      request();
      finals.requested();
    },
    keepAlive() {
      const bytes = (SILENCE_MS * input.sample_rate * bytesPerSample(input)) / 1000;
      connection.sendAudio(new Uint8Array(bytes).fill(silenceByte(input.encoding)));
    },
    stop: finals.stop,
  };
}

const FAILURES: Readonly<Record<string, ProviderFailure>> = {
  error: 'unavailable',
  auth_error: 'auth',
  unaccepted_terms: 'auth',
  quota_exceeded: 'auth',
  rate_limited: 'capacity',
  resource_exhausted: 'capacity',
  queue_overflow: 'capacity',
  // A new session goes on where this one ended.
  session_time_limit_exceeded: 'unavailable',
  input_error: 'bad_request',
  chunk_size_exceeded: 'bad_request',
  transcriber_error: 'unavailable',
  insufficient_audio_activity: 'timeout',
  commit_throttled: 'bad_request',
};

function elevenLabsFailure(name: string): ProviderFailure | undefined {
  return Object.hasOwn(FAILURES, name) ? FAILURES[name] : undefined;
}
