import type { Choice, Kyc, LimitRequest, Workspace, WorkspaceExport } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import type { Option } from '../ui/fields.tsx';

/** How states and choices of the workspace are written. */

export interface StateText {
  text: string;
  tone: 'good' | 'bad' | 'plain';
}

export function workspaceState(state: Workspace['state']): StateText {
  switch (state) {
    case 'active':
      return { text: t('Active'), tone: 'good' };
    case 'onboarding':
      return { text: t('Not active yet'), tone: 'plain' };
    case 'suspended':
      return { text: t('Suspended'), tone: 'bad' };
    case 'closed':
      return { text: t('Closed'), tone: 'bad' };
  }
}

export function kycState(status: Kyc['status']): StateText {
  switch (status) {
    case 'approved':
      return { text: t('Approved'), tone: 'good' };
    case 'submitted':
      return { text: t('Being looked at'), tone: 'plain' };
    case 'rejected':
      return { text: t('Not approved'), tone: 'bad' };
    case 'not_submitted':
      return { text: t('Not submitted yet'), tone: 'plain' };
  }
}

export function requestState(status: LimitRequest['status']): StateText {
  switch (status) {
    case 'approved':
      return { text: t('Approved'), tone: 'good' };
    case 'declined':
      return { text: t('Declined'), tone: 'bad' };
    case 'open':
      return { text: t('Waiting for an answer'), tone: 'plain' };
  }
}

export function exportState(status: WorkspaceExport['status']): StateText {
  switch (status) {
    case 'queued':
      return { text: t('Starts soon'), tone: 'plain' };
    case 'running':
      return { text: t('Being made'), tone: 'plain' };
    case 'ready':
      return { text: t('Ready'), tone: 'good' };
    case 'failed':
      return { text: t('Failed'), tone: 'bad' };
  }
}

/** Ranges, because nobody knows the number. */
export const MONTHLY_CALLS: readonly Choice[] = [
  { id: '1-1000', name: '1 – 1,000' },
  { id: '1001-10000', name: '1,001 – 10,000' },
  { id: '10001-100000', name: '10,001 – 100,000' },
  { id: '100001+', name: '100,001 +' },
];

/** Returns the choices of a select; what was chosen before is among them, even if it is no longer offered. */
export function choicesOf(list: readonly Choice[], chosen = ''): Option[] {
  const options = list.map(({ id, name }) => ({ value: id, label: name }));
  const isThere = chosen === '' || options.some(({ value }) => value === chosen);
  return isThere ? options : [{ value: chosen, label: chosen }, ...options];
}

/** Reads a list that a person typed, with commas, spaces or lines between its parts. */
export const listOf = (text: string): string[] => text.split(/[\s,;]+/).filter((part) => part !== '');
