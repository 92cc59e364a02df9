import { readdir, readFile } from 'node:fs/promises';

/**
 * The files `migrations/NNNN_name.sql`, and what the comment at the head of each says of it besides prose:
 *
 * - `-- needs program NNNN: why`: it takes something away, so from now on only programs that have migration NNNN run on the
 *   schema. Without this line it only adds, and every older program goes on.
 * - `-- no transaction`: its statements run one by one, each of them repeatable (`concurrent-index.ts`).
 */
export interface MigrationFile {
  /** `0042_finished_calls.sql` */
  name: string;
  number: number;
  text: string;
  /** The number after `needs program`, or null. */
  needsProgram: number | null;
  transaction: boolean;
}

export const MIGRATIONS = new URL('./migrations/', import.meta.url);

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;

/** Reads the files in their order. @throws when a head cannot be understood. */
export async function readMigrationFiles(folder = MIGRATIONS): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => FILE_NAME.test(name)).sort();
  const files = await Promise.all(
    names.map(async (name) => parseMigrationFile(name, await readFile(new URL(name, folder), 'utf8'))),
  );
  const numbers = new Set(files.map(({ number }) => number));
  for (const { name, number, needsProgram } of files) {
    if (needsProgram === null || (needsProgram <= number && numbers.has(needsProgram))) continue;
    throw new Error(`${name}: "needs program" names this migration or an earlier one`);
  }
  return files;
}

/** @param name a file name that matches the pattern. */
export function parseMigrationFile(name: string, text: string): MigrationFile {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('--'));
  const head = end < 0 ? lines : lines.slice(0, end);
  const needs = head.filter((line) => line.startsWith('-- needs program'));
  const [, program] = /^-- needs program (\d{4}): \S/.exec(needs[0] ?? '') ?? [];
  if (needs.length > 1 || (needs.length === 1 && program === undefined)) {
    throw new Error(`${name}: the form is one line "-- needs program 0042: why"`);
  }
  return {
    name,
    number: Number(FILE_NAME.exec(name)![1]),
    text,
    needsProgram: program === undefined ? null : Number(program),
    transaction: !head.some((line) => line.trim() === '-- no transaction'),
  };
}

/** The statements of a file without a transaction. Each ends at a semicolon at the end of a line. */
export function statementsOf({ text }: MigrationFile): string[] {
  const withoutComments = text.replace(/^\s*--.*$/gm, '');
  return withoutComments
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
