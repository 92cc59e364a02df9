import { CsvError, parse } from 'csv-parse';
import { type TextCollector, UnreadableDocument } from './text-collector.ts';

/** Most characters of one row: a quote that is never closed takes in the rest of the file. */
const MAX_ROW_CHARACTERS = 100_000;
const MAX_COLUMNS = 500;
const DELIMITERS = [',', ';', '\t', '|'];

/** Reads a table as one line a row, each cell after the name of its column, so that a passage can be read alone. */
export async function readCsv(content: string, text: TextCollector): Promise<void> {
  const rows = parse(content, {
    ...{ bom: true, delimiter: delimiterOf(content), max_record_size: MAX_ROW_CHARACTERS },
    ...{ relax_column_count: true, relax_quotes: true, skip_empty_lines: true, trim: true },
  });
  let names: string[] | null = null;
  try {
    for await (const row of rows as AsyncIterable<string[]>) {
      if (row.length > MAX_COLUMNS) throw new UnreadableDocument(`a row has more than ${MAX_COLUMNS} columns`);
      if (names) text.add(`${lineOf(row, names)}\n`);
      else names = row;
    }
  } catch (error) {
    if (error instanceof CsvError) throw new UnreadableDocument(`the table is broken: ${reasonOf(error)}`);
    throw error;
  }
  // A file of one row has no row of names.
  if (names && text.characters === 0) text.add(names.join('; '));
}

function lineOf(row: readonly string[], names: readonly string[]): string {
  const cells = row.flatMap((cell, index) => {
    if (cell === '') return [];
    const name = names[index] ?? '';
    return name === '' ? [cell] : [`${name}: ${cell}`];
  });
  return cells.join('; ');
}

/** The one that the first line has most of. */
function delimiterOf(content: string): string {
  const first = content.slice(0, 10_000).split(/\r?\n/, 1)[0]!;
  const counts = DELIMITERS.map((delimiter) => first.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}

function reasonOf({ code, lines }: CsvError & { lines?: number }): string {
  if (code === 'CSV_MAX_RECORD_SIZE') return `row ${lines ?? ''} has more than ${MAX_ROW_CHARACTERS} characters`;
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'a quote is not closed';
  return `line ${lines ?? 'unknown'}`;
}
