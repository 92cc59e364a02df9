import type { AudioFormat } from '../audio/format.ts';
import { ProviderError, type ProviderFailure } from '../provider/provider-error.ts';
import { refusalFailure } from '../provider/socket.ts';
import { chooseOutputFormat, type SupportedFormats } from './output-format.ts';

/** Messages and fields of Sarvam's `text-to-speech/ws`, as pure functions. */

export const PROVIDER = 'sarvam';
/** The vendor's limit for one `text` message. */
export const MAX_TEXT_CHARACTERS = 2500;

const FORMATS: SupportedFormats = { mulaw: [8000], alaw: [8000], pcm16: [8000, 16000, 22050, 24000] };
const CODECS = { mulaw: 'mulaw', alaw: 'alaw', pcm16: 'linear16' };
const LANGUAGES = new Set(['bn', 'en', 'gu', 'hi', 'kn', 'ml', 'mr', 'od', 'pa', 'ta', 'te']);
/** The vendor's defaults; each speaker belongs to one generation of the model. */
const DEFAULT_SPEAKERS = { v2: 'anushka', v3: 'shubh' };

export function sarvamOutput(call: AudioFormat): AudioFormat {
  return chooseOutputFormat(call, FORMATS);
}

export function sarvamAddress(url: string, model: string): string {
  const query = new URLSearchParams({ model, send_completion_event: 'true' });
  return `${url.replace(/\/+$/, '')}/text-to-speech/ws?${query}`;
}

/** Returns the vendor's code for a language tag; throws ProviderError `bad_request` for one that it does not offer. */
export function sarvamLanguage(tag: string): string {
  const base = tag.split(/[-_]/)[0]!.toLowerCase();
  // The vendor writes Odia `od`; its ISO 639 code is `or`.
  const language = base === 'or' ? 'od' : base;
  if (LANGUAGES.has(language)) return `${language}-IN`;
  throw new ProviderError(PROVIDER, 'bad_request', `no voice for the language ${tag.slice(0, 20)}`);
}

/** Returns the first message of a connection; throws ProviderError `bad_request` for a language that is not offered. */
export function sarvamConfig(options: {
  voiceId: string;
  model: string;
  language?: string;
  speed?: number;
  output: AudioFormat;
}): object {
  const { model, output } = options;
  const isV2 = /:v2/.test(model);
  const [minPace, maxPace] = isV2 ? [0.3, 3] : [0.5, 2];
  return {
    type: 'config',
    data: {
      model,
      target_language_code: sarvamLanguage(options.language || 'hi'),
      speaker: options.voiceId.toLowerCase() || DEFAULT_SPEAKERS[isV2 ? 'v2' : 'v3'],
      pace: Math.min(maxPace, Math.max(minPace, options.speed ?? 1)),
      speech_sample_rate: output.sample_rate,
      output_audio_codec: CODECS[output.encoding],
      min_buffer_size: 50,
      max_chunk_length: 150,
    },
  };
}

/** Splits a text into messages of at most MAX_TEXT_CHARACTERS, at spaces where there are any. */
export function sarvamTexts(text: string): string[] {
  const texts: string[] = [];
  let rest = text;
  while (rest.length > MAX_TEXT_CHARACTERS) {
    const space = rest.lastIndexOf(' ', MAX_TEXT_CHARACTERS - 1);
    const at = space > 0 ? space + 1 : MAX_TEXT_CHARACTERS;
    texts.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  if (rest !== '') texts.push(rest);
  return texts;
}

/** Returns what an `error` message means. Its code is a status, or in some of the vendor's documents a name. */
export function sarvamFailure(code: unknown, description: unknown): ProviderFailure {
  const text = `${typeof code === 'string' ? code : ''} ${typeof description === 'string' ? description : ''}`;
  if (/rate.?limit|quota|concurren|too many/i.test(text)) return 'capacity';
  if (/api.?key|auth|forbidden|permission/i.test(text)) return 'auth';
  // After a timeout the vendor asks for a new connection.
  if (/timeout|timed out|too long to/i.test(text)) return 'unavailable';
  const status = Number(code);
  if (Number.isInteger(status) && status >= 400) return refusalFailure(status);
  return /invalid|unprocessable|bad.?request|not.?found|unsupported|missing/i.test(text)
    ? 'bad_request'
    : 'unavailable';
}

/** Whether audio is of a format that was not requested and would play as noise. */
export function isCompressed(contentType: unknown): boolean {
  return typeof contentType === 'string' && /mpeg|mp3|opus|ogg|flac|aac/i.test(contentType);
}

/** Strips the WAV header that some of the vendor's messages begin with. */
export function withoutHeader(bytes: Uint8Array): Uint8Array {
  if (bytes.length < 12 || ascii(bytes, 0) !== 'RIFF' || ascii(bytes, 8) !== 'WAVE') return bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 12;
  while (at + 8 <= bytes.length) {
    const size = view.getUint32(at + 4, true);
    if (ascii(bytes, at) === 'data') return bytes.subarray(at + 8);
    at += 8 + size + (size % 2);
  }
  return bytes.subarray(bytes.length);
}

function ascii(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}
