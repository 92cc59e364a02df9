/** Results as tables for the terminal. */

/** What stands to the right besides numbers: money, nothing, no limit. */
const AMOUNT = /^(|any|-?[\d.]+ [A-Z]{3})$/;

type Cell = string | number | null | undefined;

/** Prints rows under the names of their columns, numbers and money to the right; `none` when there are no rows. */
export function tableOf<Row>(
  rows: readonly Row[],
  none: string,
  columns: Readonly<Record<string, (row: Row) => Cell>>,
): string[] {
  if (rows.length === 0) return [none];
  const cells = rows.map((row) => Object.values(columns).map((cell) => cell(row) ?? ''));
  const table = [Object.keys(columns).map((name) => name.toUpperCase()), ...cells.map((row) => row.map(String))];
  const columnsOf = Object.keys(columns).map((_, at) => ({
    width: Math.max(...table.map((row) => row[at]!.length)),
    isNumber: cells.every((row) => typeof row[at] === 'number' || AMOUNT.test(`${row[at]}`)),
  }));
  return table.map((row) =>
    row
      .map((text, at) => {
        const { width, isNumber } = columnsOf[at]!;
        return isNumber ? text.padStart(width) : text.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}

/** Prints a record as a line per field, what lies inside a field under its name: `address.city  Bengaluru`. */
export function recordLines(record: object): string[] {
  const fields = fieldsOf(record, '');
  const width = Math.max(...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${value}`.trimEnd());
}

function fieldsOf(record: object, prefix: string): [name: string, value: string][] {
  return Object.entries(record).flatMap(([name, value]): [string, string][] => {
    const path = prefix + name;
    if (value instanceof Date) return [[path, value.toISOString()]];
    if (typeof value === 'object' && value !== null) return fieldsOf(value, `${path}.`);
    return [[path, String(value ?? '')]];
  });
}

/** `500.00 INR`; a fraction of the smallest unit is kept: `0.0003 INR`. */
export function money(paise: number, currency: string): string {
  const amount = Number.isInteger(paise) ? (paise / 100).toFixed(2) : `${Number((paise / 100).toFixed(8))}`;
  return `${amount} ${currency}`;
}
