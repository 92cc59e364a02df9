import { t } from '../texts/texts.ts';
import { changedFieldName } from './field-names.ts';

/** One field of an audit event, as a person reads it. */
export interface FieldChange {
  field: string;
  /** Empty where only that it changed is known. */
  before: string;
  after: string;
}

const MOST_SIGNS = 120;

/** The changes of an audit event about a thing of this kind; long values are cut. */
export const fieldChanges = (targetKind: string, changes: Record<string, readonly unknown[]>): FieldChange[] =>
  Object.entries(changes).map(([path, [before, after]]) => ({
    field: changedFieldName(targetKind, path),
    ...(isWithheld(before, after)
      ? { before: '', after: t('changed') }
      : { before: valueText(before), after: valueText(after) }),
  }));

/** The service stores this word on both sides in place of what may hold secrets. */
const isWithheld = (before: unknown, after: unknown): boolean => before === 'changed' && after === 'changed';

/** Returns a value in a line; `–` where there is none. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? t('Yes') : t('No');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MOST_SIGNS ? `${text.slice(0, MOST_SIGNS)}…` : text;
}
