import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { HttpError, validationError } from '../http/errors.ts';
import { parsePhoneNumber } from './contact-number.ts';

/** A parsed file of contacts: CSV (RFC 4180) in UTF-8 with a header. */
export interface ContactFile {
  /** The header, with unique names. */
  columns: string[];
  phone_column: string;
  /** The other columns as keys of user_data. */
  keys: string[];
  /** Valid, duplicate and invalid rows; empty ones are not counted. */
  total_rows: number;
  valid_rows: number;
  duplicate_rows: number;
  invalid_rows: number;
  errors: RowError[];
  /** The first rows by column. */
  preview: Record<string, string>[];
  /** The text of a JSON list of [row, E.164, [values in the order of `keys`, null for an empty cell]]. */
  contacts_json: string;
}

export interface RowError {
  /** As a spreadsheet counts: the header is row 1. */
  row: number;
  /** Empty when the error is about the whole row. */
  column: string;
  msg: string;
}

export interface ReadOptions {
  /** Empty to detect it by its name. */
  phoneColumn: string;
  /** Digits. */
  countryCode: string;
}

export const MAX_FILE_BYTES = 5 * 1024 * 1024;
export const MAX_ROWS = 10_000;
const MAX_COLUMNS = 100;
const MAX_KEY_LENGTH = 64;
const MAX_VALUE_LENGTH = 2_000;
const MAX_ERRORS = 100;
const PREVIEW_ROWS = 5;
const PREVIEW_LENGTH = 200;
/** Empty lines are skipped, up to this many lines. */
const MAX_LINES = 10 * MAX_ROWS;
/** The event loop runs other requests after each chunk. */
const CHUNK_BYTES = 4 * 1024;
const PHONE_COLUMNS = ['phone', 'phone_number', 'to_number', 'number', 'mobile', 'contact_number'];

/**
 * Parses a file in chunks, so that the event loop is not blocked.
 * @throws HttpError 415 when it is not text, 422 when it has no valid row or cannot be parsed to its end.
 */
export async function readContactFile(file: Buffer, options: ReadOptions): Promise<ContactFile> {
  const text = utf8Bytes(file);
  const { delimiter, start } = detectDelimiter(text);
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: 256 * 1024,
  });
  const reader = createRowReader(options);
  const source = Readable.from(chunksOf(text.subarray(start)));
  try {
    for await (const cells of source.pipe(parser) as AsyncIterable<string[]>) reader.take(cells);
  } catch (error) {
    throw error instanceof CsvError ? fileError(csvErrorText(error, parser.info.records + 1)) : error;
  } finally {
    source.destroy();
  }
  return reader.done();
}

function createRowReader({ phoneColumn, countryCode }: ReadOptions) {
  let line = 0;
  let header: Header | null = null;
  const file = { total_rows: 0, duplicate_rows: 0, invalid_rows: 0 };
  const errors: RowError[] = [];
  const preview: Record<string, string>[] = [];
  const contacts: string[] = [];
  const seen = new Set<string>();

  /** Returns what is wrong with the row; null for a contact, also a duplicate one. */
  function takeRow(cells: string[], { columns, phoneAt }: Header): Omit<RowError, 'row'> | null {
    if (cells.slice(columns.length).some((cell) => cell.trim() !== '')) {
      return { column: '', msg: 'the row has more cells than the header' };
    }
    const read = parsePhoneNumber(cells[phoneAt] ?? '', countryCode);
    if ('msg' in read) return { column: columns[phoneAt]!, msg: read.msg };
    const values: (string | null)[] = [];
    for (let at = 0; at < columns.length; at++) {
      if (at === phoneAt) continue;
      const value = (cells[at] ?? '').trim();
      if (value.length > MAX_VALUE_LENGTH) {
        return { column: columns[at]!, msg: `a value has at most ${MAX_VALUE_LENGTH} characters` };
      }
      values.push(value === '' ? null : value);
    }
    if (seen.has(read.number)) file.duplicate_rows++;
    else contacts.push(JSON.stringify([line, read.number, values]));
    seen.add(read.number);
    return null;
  }

  function shown(cells: string[], { columns }: Header): Record<string, string> {
    return Object.fromEntries(
      columns.map((name, at) => [name, (cells[at] ?? '').slice(0, PREVIEW_LENGTH).toWellFormed()]),
    );
  }

  return {
    take(cells: string[]): void {
      if (++line > MAX_LINES) throw fileError('the file has too many empty lines');
      // Spreadsheets write rows of empty cells.
      if (cells.every((cell) => cell.trim() === '')) return;
      if (!header) {
        header = headerOf(cells, phoneColumn);
        return;
      }
      if (++file.total_rows > MAX_ROWS) throw fileError(`the file has more than ${MAX_ROWS} rows`);
      if (preview.length < PREVIEW_ROWS) preview.push(shown(cells, header));
      const wrong = takeRow(cells, header);
      if (!wrong) return;
      file.invalid_rows++;
      if (errors.length < MAX_ERRORS) errors.push({ row: line, ...wrong });
    },
    done(): ContactFile {
      if (!header) throw fileError('the file is empty');
      if (contacts.length === 0) {
        const [first] = errors;
        throw fileError(
          first ? `no row is valid; row ${first.row}: ${first.msg}` : 'the file has a header and no rows',
        );
      }
      const { columns, keys, phoneAt } = header;
      const facts = { ...file, valid_rows: contacts.length, errors, preview };
      return { columns, phone_column: columns[phoneAt]!, keys, ...facts, contacts_json: `[${contacts.join(',')}]` };
    },
  };
}

interface Header {
  columns: string[];
  keys: string[];
  phoneAt: number;
}

function headerOf(cells: string[], phoneColumn: string): Header {
  const names = cells.map((cell) => cell.trim());
  while (names.at(-1) === '') names.pop();
  if (names.length > MAX_COLUMNS + 1) throw fileError(`the file has more than ${MAX_COLUMNS + 1} columns`);
  const columns = uniqueNames(
    names.map((name, at) => name || `column ${at + 1}`),
    ' ',
  );
  const plain = columns.map(keyOf);
  const asked = keyOf(phoneColumn);
  const wanted = asked === '' ? PHONE_COLUMNS : [asked];
  const found = wanted.map((name) => plain.indexOf(name)).find((at) => at >= 0);
  if (found === undefined) {
    const msg = asked === '' ? `no column is called ${PHONE_COLUMNS.join(', ')}: send phone_column` : 'no such column';
    throw validationError(msg, ['phone_column'], phoneColumn || null);
  }
  const keys = uniqueNames(
    plain.filter((_, at) => at !== found),
    '_',
  );
  const long = keys.find((key) => key.length > MAX_KEY_LENGTH);
  if (long !== undefined) {
    throw fileError(`a column's name has at most ${MAX_KEY_LENGTH} characters: ${long.slice(0, 40)}…`);
  }
  return { columns, keys, phoneAt: found };
}

const keyOf = (name: string) => name.trim().toLowerCase().replace(/\s+/g, '_');

/** Makes names unique: the second `note` becomes `note 2`. */
function uniqueNames(names: string[], space: string): string[] {
  const used = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let count = 2; used.has(own); count++) own = `${name}${space}${count}`;
    used.add(own);
    return own;
  });
}

/** Returns the bytes after the byte order mark, checked to be UTF-8. */
function utf8Bytes(file: Buffer): Buffer {
  const starts = (...bytes: number[]) => bytes.every((byte, at) => file[at] === byte);
  const hasMark = starts(0xef, 0xbb, 0xbf);
  const text = hasMark ? file.subarray(3) : file;
  const saveAs = 'save it as CSV in UTF-8';
  if (starts(0xff, 0xfe) || starts(0xfe, 0xff)) throw fileError(`the file is in UTF-16: ${saveAs}`);
  if (text.includes(0)) {
    // In UTF-16 every other byte of Latin text is zero.
    const head = text.subarray(0, 64);
    const zeros = head.reduce((count, byte) => count + (byte === 0 ? 1 : 0), 0);
    if (zeros * 3 > head.length && !starts(0x50, 0x4b)) throw fileError(`the file is in UTF-16: ${saveAs}`);
    throw new HttpError(415, 'only CSV files');
  }
  // ZIP (workbooks), PDF, PNG.
  if (starts(0x50, 0x4b, 3, 4) || starts(0x25, 0x50, 0x44, 0x46) || starts(0x89, 0x50, 0x4e, 0x47)) {
    throw new HttpError(415, 'only CSV files');
  }
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(text);
  } catch {
    throw fileError(`the file is not in UTF-8: ${saveAs}`);
  }
  return text;
}

/** The most frequent separator in the header outside quotes, or that of Excel's first line `sep=;`. */
function detectDelimiter(text: Buffer): { delimiter: string; start: number } {
  const head = text.subarray(0, 64 * 1024).toString('utf8');
  const declared = /^"?sep=([,;\t])"?\r?\n/i.exec(head);
  if (declared) return { delimiter: declared[1]!, start: Buffer.byteLength(declared[0]) };
  const counts = new Map([',', ';', '\t'].map((sign) => [sign, 0]));
  let quoted = false;
  let any = false;
  for (const sign of head) {
    if (sign === '"') quoted = !quoted;
    else if (!quoted && (sign === '\n' || sign === '\r')) {
      // Empty lines before the header are skipped.
      if (any) break;
    } else {
      any ||= sign.trim() !== '';
      if (!quoted && counts.has(sign)) counts.set(sign, counts.get(sign)! + 1);
    }
  }
  const [delimiter] = [...counts].sort((a, b) => b[1] - a[1])[0]!;
  return { delimiter, start: 0 };
}

async function* chunksOf(text: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += CHUNK_BYTES) {
    await nextTurn();
    yield text.subarray(at, at + CHUNK_BYTES);
  }
}

function csvErrorText(error: CsvError, row: number): string {
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return `a quotation mark is never closed, at or after row ${row}`;
  if (error.code === 'CSV_MAX_RECORD_SIZE') return `row ${row} is too long: is a quotation mark not closed?`;
  return `row ${row} cannot be read as CSV`;
}

const fileError = (msg: string) => validationError(msg, ['file']);
