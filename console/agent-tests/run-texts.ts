import type { TestRun, TestScenario } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import type { Option } from '../ui/fields.tsx';

/** What the pages write about runs of tests. */

type Status = TestRun['status'];
type Noise = NonNullable<RunRequest['background_noise']>;

/** How a run is asked for. */
export interface RunRequest {
  mode: 'text' | 'voice';
  background_noise?: 'none' | 'office' | 'call_centre' | 'cafe' | 'street';
  interruptions?: number;
}

export function runStatus(status: Status): { text: string; tone: 'live' | 'good' | 'bad' | 'plain' } {
  if (status === 'queued') return { text: t('Waiting'), tone: 'plain' };
  if (status === 'running') return { text: t('Running'), tone: 'live' };
  if (status === 'passed') return { text: t('Passed'), tone: 'good' };
  return status === 'failed' ? { text: t('Failed'), tone: 'bad' } : { text: t('No result'), tone: 'bad' };
}

/** Whether the run is not over yet. */
export const isUnfinished = (status: Status): boolean => status === 'queued' || status === 'running';

/** How many of an agent's scenarios passed, failed and still run, by their last run. */
export function verdictsOf(scenarios: readonly Pick<TestScenario, 'last_run'>[]) {
  const statuses = scenarios.map(({ last_run }) => last_run?.status);
  const count = (fits: (status: Status) => boolean) => statuses.filter((status) => status && fits(status)).length;
  return {
    passed: count((status) => status === 'passed'),
    failed: count((status) => status === 'failed' || status === 'error'),
    unfinished: count(isUnfinished),
  };
}

export const NOISES: readonly Noise[] = ['none', 'office', 'call_centre', 'cafe', 'street'];

export function noiseText(noise: string): string {
  const texts: Record<string, string> = {
    none: t('Silence'),
    office: t('Office'),
    call_centre: t('Call centre'),
    cafe: t('Café'),
    street: t('Street'),
  };
  return texts[noise] ?? noise;
}

export const noiseOptions = (): Option[] => NOISES.map((value) => ({ value, label: noiseText(value) }));

/** What a run is asked for: noise and interruptions are of a run aloud only. */
export const runBody = (mode: RunRequest['mode'], noise: string, interruptions: number | null): RunRequest =>
  mode === 'text'
    ? { mode }
    : { mode, background_noise: noise as Noise, ...(interruptions !== null && { interruptions }) };
