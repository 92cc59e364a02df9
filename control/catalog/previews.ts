import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { SYNTHESIZERS } from '../../shared/providers/registry.ts';
import type { Sql } from '../db/connect.ts';
import { createConcurrencyLimiter } from '../http/concurrency-limiter.ts';
import { HttpError, notFound, validationErrorIn } from '../http/errors.ts';
import { languagesOfModel } from './models.ts';
import { PREVIEW_SENTENCES } from './preview-sentences.ts';
import { ProviderRequestError } from './provider-request.ts';
import { findPreview, insertPreview } from './store.ts';
import { baseLanguage, type Voice } from './voice.ts';
import type { Sentence, VoiceList } from './voice-lists/voice-list.ts';
import type { Voices } from './voices.ts';

const DEADLINE_MS = 10_000;
const MAX_BYTES = 1024 * 1024;
/** Of all workspaces; the oldest make way. */
const MAX_STORED = 1_000;
const MAX_AT_ONCE = 3;

export interface PreviewRequest {
  workspace_id: string;
  voice_id: string;
  /** Left out: the first provider that has such a voice. */
  provider?: string | undefined;
  /** Left out: the voice's own. */
  language?: string | undefined;
}

export interface PreviewDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  voices: Voices;
}

/** Lets voices be listened to: the provider says a sentence once, which is stored for everybody. */
export function createPreviews({ sql, clock, log, voices }: PreviewDeps) {
  const limit = createConcurrencyLimiter(MAX_AT_ONCE, 'previews are made');
  /** Those being made, so that requests at the same time share one. */
  const making = new Map<string, Promise<Uint8Array>>();

  /** @returns a WAV file. @throws HttpError 404, 409, 422 or 502. */
  return async ({ workspace_id, voice_id, provider, language }: PreviewRequest): Promise<Uint8Array> => {
    const voice = (await voices.list({ provider })).find((each) => each.voice_id === voice_id);
    if (!voice) throw notFound('voice');
    const list = voices.listOf(voice.provider);
    if (!list || !(await list.canSpeak())) throw notFound('preview');
    const sentence = sentenceOf(voice, language);
    const stored = await findPreview(sql, voice.provider, voice_id, sentence.language);
    if (stored) return stored;
    const key = JSON.stringify([voice.provider, voice_id, sentence.language]);
    let wav = making.get(key);
    if (!wav) {
      const release = limit(workspace_id);
      wav = make(list, sentence).finally(() => {
        making.delete(key);
        release();
      });
      making.set(key, wav);
    }
    return wav;
  };

  async function make(list: VoiceList, sentence: Sentence): Promise<Uint8Array> {
    const { provider } = list;
    const deadline = new AbortController();
    const timer = clock.after(DEADLINE_MS, () => deadline.abort());
    let wav: Uint8Array;
    try {
      wav = await list.speak(sentence, deadline.signal);
      if (!isWav(wav) || wav.length > MAX_BYTES) throw new ProviderRequestError('invalid', 'the audio is no short WAV');
    } catch (error) {
      if (!(error instanceof ProviderRequestError)) throw error;
      log.warn({ provider, voice_id: sentence.voiceId, error: errorText(error) }, 'voice preview failed');
      throw new HttpError(502, 'voice provider did not answer; try again shortly');
    } finally {
      timer.cancel();
    }
    const row = { provider, voice_id: sentence.voiceId, language: sentence.language, wav };
    await sql.begin((tx) => insertPreview(tx, row, new Date(clock.wall()), MAX_STORED));
    return wav;
  }
}

/** @throws HttpError 422 for a language that the voice's model does not speak, or that there is no sentence of. */
function sentenceOf(voice: Voice, asked: string | undefined): Sentence {
  const manifest = SYNTHESIZERS.find(({ name }) => name === voice.provider)!;
  const { defaultModel } = manifest;
  const model = voice.models.includes(defaultModel) ? defaultModel : voice.models[0]!;
  const own = voice.languages.find((code) => Object.hasOwn(PREVIEW_SENTENCES, code)) ?? 'en';
  const language = asked === undefined ? own : baseLanguage(asked);
  const spoken = languagesOfModel('voice', voice.provider, model);
  const text = Object.hasOwn(PREVIEW_SENTENCES, language) ? PREVIEW_SENTENCES[language] : undefined;
  if (text === undefined || (spoken && !spoken.includes(language))) {
    throw validationErrorIn('query', 'there is no preview in this language', ['language'], asked);
  }
  return { voiceId: voice.voice_id, model, language, text };
}

const isWav = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, 4).toString('latin1') === 'RIFF';
