import { schemaState } from '../db/check-schema.ts';
import { connectDatabase } from '../db/connect.ts';
import { migrate } from '../db/migrate.ts';
import { type Command, day } from './command.ts';
import { tableOf } from './table.ts';

/** The schema of the database. */

/** Applies the migrations of this program to the database at this address. @returns the names applied now. */
export async function migrateDatabase(url: string, onProgress: (line: string) => void): Promise<string[]> {
  const sql = connectDatabase({ url, name: 'antiphon-migrate', max: 1 });
  try {
    return await migrate(sql, undefined, onProgress);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

export const MIGRATION_COMMANDS: readonly Command[] = [
  {
    name: 'migrate',
    unattended: true,
    usage: '[--list]',
    description:
      'apply the migrations that the database lacks, before the program that brings them starts; --list shows them only',
    example: 'migrate',
    positionals: 0,
    options: ['list'],
    anySchema: true,
    async run({ sql, onProgress }, _args, { list = false }) {
      if (!list) {
        const applied = await migrate(sql, undefined, onProgress);
        const lines = applied.length === 0 ? ['nothing to apply'] : applied.map((name) => `applied ${name}`);
        return { result: { applied }, lines };
      }
      const state = await schemaState(sql);
      const rows = [
        ...state.applied.map(({ name, applied_at }) => ({
          name,
          state: state.newer.includes(name) ? 'of a newer program' : 'applied',
          at: day(applied_at),
        })),
        ...state.pending.map((name) => ({ name, state: 'pending', at: '' })),
      ];
      const lines = tableOf(rows, 'no migrations', {
        migration: ({ name }) => name,
        state: ({ state }) => state,
        applied: ({ at }) => at,
      });
      return { result: state, lines: state.refusal === null ? lines : [...lines, state.refusal] };
    },
  },
];
