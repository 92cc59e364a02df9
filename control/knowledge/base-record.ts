import { z } from 'zod';
import { time } from '../http/times.ts';

/** Knowledge of an agent up to this length is put whole into its prompt. */
export const MAX_INLINE_CHARACTERS = 6_000;
/** Of all sources of a base together. */
export const MAX_BASE_CHARACTERS = 5_000_000;

export const baseRecord = z
  .object({
    id: z.string().describe('32 hex characters'),
    name: z.string().describe('1 to 120 characters'),
    description: z.string().describe('at most 500 characters; may be empty'),
    status: z.enum(['empty', 'processing', 'ready', 'failed']).describe('of its sources together'),
    source_count: z.int().describe('texts, pages and files in it'),
    characters: z.int().describe('of all sources, after processing'),
    inline: z.boolean().describe('small enough to be put whole into the prompt when knowledge_mode is `auto`'),
    agent_ids: z.array(z.string()).describe('agents that use it'),
    created_by: z.string().describe('a name'),
    created_at: time(),
    updated_at: time(),
  })
  .meta({ id: 'KnowledgeBase' });

export const sourceRecord = z
  .object({
    id: z.string().describe('32 hex characters'),
    kind: z.enum(['file', 'url', 'text']).describe('how it came'),
    name: z.string().describe('file name, page title or given name'),
    status: z
      .enum(['queued', 'processing', 'ready', 'failed'])
      .describe('queued and processing become ready or failed'),
    error: z.string().describe('why it failed'),
    url: z.string().describe('of a page; otherwise empty'),
    file_name: z.string().describe('as it was uploaded; otherwise empty'),
    size_bytes: z.int().describe('of what was given'),
    characters: z.int().describe('after processing'),
    passages: z.int().describe('after processing'),
    created_by: z.string().describe('a name'),
    created_at: time(),
    updated_at: time(),
  })
  .meta({ id: 'KnowledgeSource' });

export const baseWithSources = baseRecord
  .extend({ sources: z.array(sourceRecord).describe('newest first') })
  .meta({ id: 'KnowledgeBaseWithSources' });

export const searchRecord = z
  .object({
    items: z
      .array(
        z.object({
          source_id: z.string().describe('where the passage is from'),
          source_name: z.string().describe('as the source is called'),
          text: z.string().describe('the passage itself'),
          score: z.number().describe('0 to 1'),
          keyword_match: z.boolean().describe('holds words of the query'),
        }),
      )
      .describe('best first'),
    embed_ms: z.number().describe('0 without a provider of embeddings'),
    search_ms: z.number().describe('time the search took'),
  })
  .meta({ id: 'KnowledgeSearch' });

export type BaseRecord = z.output<typeof baseRecord>;
export type SourceRecord = z.output<typeof sourceRecord>;

/** A row of `knowledge_bases` with sums over its sources. */
export interface BaseRow {
  id: string;
  name: string;
  description: string;
  created_by: string;
  created_at: Date;
  updated_at: Date;
  source_count: number;
  unfinished: number;
  failed: number;
  characters: number;
}

export function recordOf(row: BaseRow, agentIds: readonly string[]): BaseRecord {
  const { id, name, description, created_by, created_at, updated_at, source_count, characters } = row;
  return {
    ...{ id, name, description, status: statusOf(row), source_count, characters },
    inline: characters <= MAX_INLINE_CHARACTERS,
    agent_ids: [...agentIds],
    ...{ created_by, created_at, updated_at },
  };
}

function statusOf({ source_count, unfinished, failed }: BaseRow): BaseRecord['status'] {
  if (source_count === 0) return 'empty';
  if (unfinished > 0) return 'processing';
  return failed === source_count ? 'failed' : 'ready';
}
