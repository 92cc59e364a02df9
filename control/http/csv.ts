import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';

/** What may stand in a cell; null is an empty one. */
export type Cell = string | number | boolean | null;

/**
 * Rows as CSV (RFC 4180, UTF-8, no byte-order mark), written as they are read: a slow reader slows the source down, one that
 * goes away ends it.
 * @param parts rows by the hundred.
 */
export function csvStream(columns: readonly string[], parts: AsyncIterable<readonly (readonly Cell[])[]>): Readable {
  async function* lines() {
    yield csvLines([columns]);
    for await (const rows of parts) if (rows.length > 0) yield csvLines(rows);
  }
  return Readable.from(lines(), { objectMode: false, highWaterMark: 1 });
}

export function csvLines(rows: readonly (readonly Cell[])[]): string {
  return stringify(
    rows.map((row) => row.map(safeCell)),
    { record_delimiter: '\r\n', quoted_match: /[\r\n\t]/, cast: { boolean: String } },
  );
}

/** What a spreadsheet takes for the beginning of a formula, as OWASP lists it ("CSV Injection"), wide forms included. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
/** A number, or a telephone number: computes to nothing but itself. */
const PLAIN_NUMBER = /^[+-]?\d{1,20}(?:\.\d{1,20})?$/;

/**
 * A cell a spreadsheet cannot run: text that begins like a formula gets a leading quote. Numbers do not, negative ones and
 * telephone numbers like +919811112222 included.
 */
export function safeCell(cell: Cell): Cell {
  if (typeof cell !== 'string' || !FORMULA.test(cell) || PLAIN_NUMBER.test(cell)) return cell;
  return `'${cell}`;
}
