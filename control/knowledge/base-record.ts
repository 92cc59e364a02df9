import { z } from 'zod';
import { time } from '../http/times.ts';

/** Together at most so long, what an agent knows stands in its prompt as a whole. */
export const INLINE_CHARACTERS = 6_000;

export const baseRecord = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    status: z.enum(['empty', 'processing', 'ready', 'failed']),
    source_count: z.int(),
    characters: z.int().describe('of all sources, after processing'),
    inline: z.boolean().describe('small enough to be put whole into the prompt when knowledge_mode is `auto`'),
    agent_ids: z.array(z.string()).describe('agents that use it'),
    created_by: z.string(),
    created_at: time(),
    updated_at: time(),
  })
  .meta({ id: 'KnowledgeBase' });

export const sourceRecord = z
  .object({
    id: z.string(),
    kind: z.enum(['file', 'url', 'text']),
    name: z.string().describe('file name, page title or given name'),
    status: z.enum(['queued', 'processing', 'ready', 'failed']),
    error: z.string().describe('why it failed'),
    url: z.string(),
    file_name: z.string(),
    size_bytes: z.int(),
    characters: z.int().describe('after processing'),
    passages: z.int().describe('after processing'),
    created_by: z.string(),
    created_at: time(),
    updated_at: time(),
  })
  .meta({ id: 'KnowledgeSource' });

export const baseWithSources = baseRecord
  .extend({ sources: z.array(sourceRecord).describe('newest first') })
  .meta({ id: 'KnowledgeBaseWithSources' });

export const searchRecord = z
  .object({
    items: z.array(
      z.object({
        source_id: z.string(),
        source_name: z.string(),
        text: z.string(),
        score: z.number().describe('0 to 1'),
        keyword_match: z.boolean().describe('holds words of the query'),
      }),
    ),
    embed_ms: z.number().describe('0 without a provider of embeddings'),
    search_ms: z.number(),
  })
  .meta({ id: 'KnowledgeSearch' });

export type BaseRecord = z.output<typeof baseRecord>;
export type SourceRecord = z.output<typeof sourceRecord>;

/** As the database gives it. */
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
    inline: characters <= INLINE_CHARACTERS,
    agent_ids: [...agentIds],
    ...{ created_by, created_at, updated_at },
  };
}

function statusOf({ source_count, unfinished, failed }: BaseRow): BaseRecord['status'] {
  if (source_count === 0) return 'empty';
  if (unfinished > 0) return 'processing';
  return failed === source_count ? 'failed' : 'ready';
}
