import type { GuardrailIncident, GuardrailRule } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import type { StateText } from './workspace-texts.ts';

/** How guardrails and their incidents are written. */

export type IncidentStatus = GuardrailIncident['status'];

export const INCIDENT_STATUSES: readonly IncidentStatus[] = ['open', 'acknowledged', 'appealed', 'upheld', 'dismissed'];

export function incidentState(status: IncidentStatus): StateText {
  switch (status) {
    case 'open':
      return { text: t('Open'), tone: 'bad' };
    case 'acknowledged':
      return { text: t('Seen'), tone: 'plain' };
    case 'appealed':
      return { text: t('Appealed'), tone: 'plain' };
    case 'upheld':
      return { text: t('Upheld'), tone: 'bad' };
    case 'dismissed':
      return { text: t('Dismissed'), tone: 'good' };
  }
}

export const categoryText = (category: GuardrailRule['category']): string =>
  ({
    abuse: t('Abuse'),
    fraud: t('Fraud'),
    privacy: t('Privacy'),
    regulated_advice: t('Regulated advice'),
    impersonation: t('Impersonation'),
    other: t('Other'),
  })[category];

export const severityText = (severity: GuardrailRule['severity']): string =>
  severity === 'violation' ? t('Violation') : t('Warning');

export const actionText = (action: GuardrailIncident['action']): string =>
  ({
    notice: t('The workspace was told.'),
    frozen: t('The agent was frozen.'),
    warning: t('A warning, which never counts as a strike.'),
  })[action];

/** Returns what happens to an agent that breaks a rule often. */
export function strikesText({ severity, strikes }: Pick<GuardrailRule, 'severity' | 'strikes'>): string {
  if (severity === 'warning') return t('Warns only');
  return strikes === 0
    ? t('Never freezes the agent')
    : t('Freezes the agent at {{count}} in 30 days', { count: strikes });
}
