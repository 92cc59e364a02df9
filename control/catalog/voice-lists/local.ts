import { execFile } from 'node:child_process';
import { localSynthesizer } from '../../../shared/providers/local-speech.ts';
import { WAV_HEADER_BYTES } from '../../../shared/recordings/wav-header.ts';
import { ProviderRequestError } from '../provider-request.ts';
import type { Gender, Voice } from '../voice.ts';
import type { OpenVoiceList, VoiceList } from './voice-list.ts';

/** espeak-ng's variants, which change the speaker of every language. */
const VARIANTS: Record<string, Gender> = {
  ...{ f1: 'female', f2: 'female', f3: 'female', f4: 'female', f5: 'female' },
  ...{ m1: 'male', m2: 'male', m3: 'male', m4: 'male', m5: 'male', m6: 'male', m7: 'male', m8: 'male' },
};

const LANGUAGES = localSynthesizer.models['espeak-ng'].languages;
/** Where espeak-ng has another name for a language. */
const RENAMED: Record<string, string> = { en: 'en-us', fr: 'fr-fr', no: 'nb', zh: 'cmn' };
const MAX_AUDIO_BYTES = 1024 * 1024;

const VOICES: readonly Voice[] = Object.entries(VARIANTS).map(([voice_id, gender]) => ({
  provider: localSynthesizer.name,
  voice_id,
  name: `eSpeak ${voice_id.toUpperCase()}`,
  gender,
  languages: [...LANGUAGES],
  models: Object.keys(localSynthesizer.models),
  accent: '',
  description: 'robotic; spoken on this machine',
}));

export function localVoices(settings: { ESPEAK_BIN: string }): VoiceList {
  let installed: Promise<boolean> | undefined;
  return {
    provider: localSynthesizer.name,
    remote: false,
    ignoresUnknownVoices: true,
    all: async () => [...VOICES],
    find: async (voiceId) => VOICES.find(({ voice_id }) => voice_id === voiceId) ?? null,
    /** Only where the program is installed beside control too, not only beside media. */
    canSpeak() {
      installed ??= isInstalled(settings.ESPEAK_BIN);
      return installed;
    },
    /** One process without a shell; the text goes to its standard input. */
    speak: ({ voiceId, language, text }, signal) =>
      new Promise((resolve, reject) => {
        const voice = `${RENAMED[language] ?? language}+${voiceId}`;
        const args = ['--stdin', '--stdout', '-z', '-b', '1', '-v', voice];
        const options = {
          encoding: 'buffer' as const,
          maxBuffer: MAX_AUDIO_BYTES,
          signal,
          killSignal: 'SIGKILL' as const,
        };
        const child = execFile(settings.ESPEAK_BIN, args, options, (error, wav) => {
          if (error) reject(new ProviderRequestError('unreachable', `espeak-ng: ${error.code ?? 'failed'}`));
          else if (wav.length <= WAV_HEADER_BYTES)
            reject(new ProviderRequestError('invalid', 'espeak-ng made no audio'));
          else resolve(withSizes(wav));
        });
        child.stdin?.on('error', () => {});
        child.stdin?.end(text);
      }),
  };
}

/** espeak-ng writes a header without sizes to a pipe; browsers want them. */
function withSizes(wav: Buffer): Uint8Array {
  const whole = Buffer.from(wav);
  whole.writeUInt32LE(whole.length - 8, 4);
  whole.writeUInt32LE(whole.length - WAV_HEADER_BYTES, WAV_HEADER_BYTES - 4);
  return whole;
}

function isInstalled(bin: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(bin, ['--version'], { timeout: 10_000, killSignal: 'SIGKILL' }, (error) => resolve(error === null));
  });
}

export const voiceList: OpenVoiceList = localVoices;
