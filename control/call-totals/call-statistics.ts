import { z } from 'zod';
import type { CallFigures } from './call-figures.ts';

/** Figures of calls as the API gives them. */

/** Fields of a record of the API. */
export const statistics = {
  calls: z.int().describe('created in this time'),
  connected: z.int().describe('of them answered'),
  completed: z.int().describe('with status `completed`'),
  failed: z.int().describe('with status `failed`'),
  no_answer: z.int().describe('with status `no-answer`'),
  busy: z.int().describe('with status `busy`'),
  canceled: z.int().describe('with status `canceled`'),
  answer_rate: z.number().describe('connected ones among those that are over, 0 to 1'),
  avg_duration_seconds: z.int().describe('of connected calls that are over'),
  first_audio_p50_ms: z
    .int()
    .nullable()
    .describe("from the caller's last word to the agent's first sound, median; at most 2.5 % off"),
  first_audio_p95_ms: z.int().nullable().describe('the same, 95th percentile'),
  cost_paise: z.int().describe('charged for these calls, in the smallest unit of `currency`'),
  voicemail: z.int().describe('answered by a machine'),
};

export interface CallStatistics {
  calls: number;
  connected: number;
  completed: number;
  failed: number;
  no_answer: number;
  busy: number;
  canceled: number;
  /** Connected calls among those that are over, 0 to 1. */
  answer_rate: number;
  avg_duration_seconds: number;
  first_audio_p50_ms: number | null;
  first_audio_p95_ms: number | null;
  cost_paise: number;
  voicemail: number;
}

/** Of no calls without a row. */
export function statisticsOf(row: CallFigures | undefined): CallStatistics {
  return {
    calls: row?.calls ?? 0,
    connected: row?.connected ?? 0,
    completed: row?.completed ?? 0,
    failed: row?.failed ?? 0,
    no_answer: row?.no_answer ?? 0,
    busy: row?.busy ?? 0,
    canceled: row?.canceled ?? 0,
    answer_rate: row?.over ? Math.min(1, Math.round((row.connected / row.over) * 10_000) / 10_000) : 0,
    avg_duration_seconds: row?.measured ? Math.round(row.duration_seconds / row.measured) : 0,
    first_audio_p50_ms: row?.first_audio.percentile(0.5) ?? null,
    first_audio_p95_ms: row?.first_audio.percentile(0.95) ?? null,
    cost_paise: row?.cost_paise ?? 0,
    voicemail: row?.voicemail ?? 0,
  };
}
