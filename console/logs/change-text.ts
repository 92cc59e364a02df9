/** One field of an audit event, as a person reads it. */
export interface FieldChange {
  field: string;
  before: string;
  after: string;
}

const MOST_SIGNS = 120;

/** The changes of an audit event; long values are cut. */
export const fieldChanges = (changes: Record<string, readonly unknown[]>): FieldChange[] =>
  Object.entries(changes).map(([field, [before, after]]) => ({
    field,
    before: valueText(before),
    after: valueText(after),
  }));

/** Returns a value in a line; `–` where there is none. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MOST_SIGNS ? `${text.slice(0, MOST_SIGNS)}…` : text;
}
