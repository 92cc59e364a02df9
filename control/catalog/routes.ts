import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import {
  LANGUAGE_MODELS,
  SYNTHESIZERS,
  type SynthesizerProvider,
  TRANSCRIBERS,
} from '../../shared/providers/registry.ts';
import { pricingOf } from '../billing/workspace-pricing.ts';
import type { Sql } from '../db/connect.ts';
import { commaSeparated } from '../http/query.ts';
import { file, route } from '../http/route.ts';
import type { AvailableProviders } from './available-providers.ts';
import { LANGUAGES } from './languages.ts';
import { catalogEntries } from './models.ts';
import type { createPreviews } from './previews.ts';
import { listLatencies } from './store.ts';
import type { Voices } from './voices.ts';

const TAG = 'Catalog';
const PARTS = ['llm_models', 'tts_models', 'stt_models', 'languages'] as const;
const PROVIDERS = [...new Set([...LANGUAGE_MODELS, ...SYNTHESIZERS, ...TRANSCRIBERS].map(({ name }) => name))];

const languageCodes = z.array(z.string()).describe('ISO 639 codes; empty: all');

const entryRecord = z
  .object({
    id: z.string().describe('as `llm.model`, `voice.model` or `transcriber.model` of an agent names it'),
    provider: z.enum(PROVIDERS).describe('whose model'),
    name: z.string().describe('for display'),
    kind: z.enum(['llm', 'tts', 'stt']).describe('language model, text to speech or speech to text'),
    default: z.boolean().describe('what an agent gets that names neither provider nor model; one of each kind'),
    available: z.boolean().describe('this workspace may use it: the service has credentials of its provider'),
    languages: languageCodes,
    unit: z
      .enum(['minute', '1k_characters', '1m_input_tokens'])
      .describe('what `price_paise` buys: a minute of audio, characters spoken, or tokens read'),
    price_paise: z.number().describe('of one unit, in the smallest unit of `currency`, with fractions'),
    output_price_paise: z.number().nullable().describe('of a million tokens written; null for all but language models'),
    latency_ms: z
      .int()
      .nullable()
      .describe(
        'median of the last week: of the first token, of the first audio, of finding the end of a turn; null: too few',
      ),
    description: z.string().describe('what it is good at, and the settings it takes in part or not at all'),
    realtime: z
      .boolean()
      .describe('an extension: a speech-to-speech model, which hears and speaks itself; its prices are of audio'),
  })
  .meta({ id: 'CatalogEntry' });

const languageRecord = z
  .object({
    code: z.string().describe('ISO 639'),
    name: z.string().describe('in English'),
    native_name: z.string().describe('in the language itself'),
  })
  .meta({ id: 'Language' });

const catalogRecord = z
  .object({
    llm_models: z.array(entryRecord).optional().describe('language models; left out when `kind` leaves them out'),
    tts_models: z.array(entryRecord).optional().describe('text to speech, likewise'),
    stt_models: z.array(entryRecord).optional().describe('speech to text, likewise'),
    languages: z.array(languageRecord).optional().describe('of all voices and transcribers, likewise'),
    currency: z.enum(['INR', 'USD']).describe('of all prices'),
  })
  .meta({ id: 'Catalog' });

const voiceRecord = z
  .object({
    id: z.string().describe('as `voice.voice_id` of an agent names it'),
    provider: z.enum(SYNTHESIZERS.map(({ name }) => name)).describe('whose voice'),
    name: z.string().describe('for display'),
    gender: z.enum(['female', 'male', 'neutral']).describe('as the provider describes it'),
    languages: z.array(z.string()).describe('ISO 639 codes it was made for; empty: any that its models speak'),
    models: z.array(z.string()).describe('what `voice.model` can be with it'),
    accent: z.string().describe('may be empty'),
    description: z.string().describe("the provider's own; may be empty"),
    preview: z.boolean().describe('it can be listened to'),
  })
  .meta({ id: 'Voice' });

const voiceQuery = z.object({
  provider: z
    .enum(SYNTHESIZERS.map(({ name }) => name))
    .optional()
    .describe('of this provider only'),
  model: z.string().max(200).optional().describe('that this model speaks with'),
  language: z.string().max(20).optional().describe('that speak this language'),
  gender: z.enum(['female', 'male', 'neutral']).optional().describe('of this gender'),
  q: z.string().max(100).optional().describe('part of name, accent, description or id'),
});

export interface CatalogRouteDeps {
  sql: Sql;
  available: AvailableProviders;
  voices: Voices;
  preview: ReturnType<typeof createPreviews>;
}

export function catalogRoutes(app: FastifyInstance, { sql, available, voices, preview }: CatalogRouteDeps): void {
  route(app, {
    method: 'GET',
    path: '/api/v1/catalog',
    tag: TAG,
    summary: 'Models with their prices, and languages',
    credential: 'key',
    permission: 'agents.view',
    schema: {
      query: z.object({
        kind: commaSeparated(PARTS).optional().describe('comma-separated parts of the answer; left out: all'),
      }),
      response: catalogRecord,
    },
    success: 200,
    handler: async ({ query }, { workspace_id }) => {
      const wanted = new Set<string>(query.kind ?? PARTS);
      const [{ rates, currency }, latencies] = await Promise.all([pricingOf(sql, workspace_id), listLatencies(sql)]);
      const facts = { rates, available, latencies };
      return {
        ...(wanted.has('llm_models') && { llm_models: catalogEntries('llm', facts) }),
        ...(wanted.has('tts_models') && { tts_models: catalogEntries('voice', facts) }),
        ...(wanted.has('stt_models') && { stt_models: catalogEntries('transcriber', facts) }),
        ...(wanted.has('languages') && { languages: [...LANGUAGES] }),
        currency,
      } as z.output<typeof catalogRecord>;
    },
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/voices',
    tag: TAG,
    summary: 'Voices of the providers that the service has credentials of',
    credential: 'key',
    permission: 'agents.view',
    schema: { query: voiceQuery, response: z.array(voiceRecord) },
    success: 200,
    handler: async ({ query }) => {
      const found = await voices.list(query);
      const previews = new Map<string, boolean>();
      for (const { provider } of found) {
        if (!previews.has(provider)) previews.set(provider, (await voices.listOf(provider)?.canSpeak()) ?? false);
      }
      return found.map(({ voice_id, provider, ...voice }) => ({
        ...voice,
        id: voice_id,
        provider: provider as SynthesizerProvider,
        preview: previews.get(provider)!,
      }));
    },
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/voices/{voice_id}/preview',
    tag: TAG,
    summary: 'The voice saying a sentence; made once by its provider, then stored',
    credential: 'key',
    permission: 'agents.view',
    schema: {
      params: z.object({ voice_id: z.string().describe('the id of the voice') }),
      query: z.object({
        provider: voiceQuery.shape.provider.describe('whose voice; left out: the first that has such an id'),
        language: z.string().max(20).optional().describe("of the sentence; left out: the voice's own"),
      }),
      response: file('audio/wav', 'about three seconds of speech'),
    },
    success: 200,
    errors: [404, 409, 502],
    handler: async ({ params, query }, { workspace_id }) => {
      const wav = await preview({ workspace_id, voice_id: params.voice_id, ...query });
      const headers = { 'cache-control': 'private, max-age=86400', 'x-content-type-options': 'nosniff' };
      return { body: Buffer.from(wav), headers };
    },
  });
}
