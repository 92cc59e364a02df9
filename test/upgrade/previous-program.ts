import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type MigrationFile, readMigrationFiles } from '../../control/db/migration-files.ts';

/** The program of the release before, as `previous.json` names it, in a folder of its own. */

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface PreviousProgram {
  /** With the packages of this clone. */
  folder: string;
  /** Files of its tests: placing, dialling, answer, events, end, completion, lists, webhooks. */
  tests: string[];
  /** The migrations that it does not have. */
  added: MigrationFile[];
  /** The one of them on whose schema it does not run; null where it runs on all. */
  barrier: MigrationFile | null;
  remove(): void;
}

const git = (...args: string[]) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });

/** @returns why there is none here, such as in a shallow clone. */
export async function previousProgram(): Promise<PreviousProgram | string> {
  const { commit: named, tests } = JSON.parse(readFileSync(new URL('./previous.json', import.meta.url), 'utf8'));
  const commit: string = process.env.PREVIOUS || named;
  const found = git('cat-file', '-e', `${commit}^{commit}`);
  if (found.error || found.status !== 0) return `this clone does not have the commit ${commit} of the previous release`;
  const folder = join(mkdtempSync(join(tmpdir(), 'antiphon-previous-')), 'program');
  execFileSync('git', ['worktree', 'add', '--quiet', '--detach', folder, commit], { cwd: ROOT });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    tests,
    ...(await migrationsSince(folder)),
    remove() {
      git('worktree', 'remove', '--force', folder);
      rmSync(join(folder, '..'), { recursive: true, force: true });
    },
  };
}

async function migrationsSince(folder: string): Promise<Pick<PreviousProgram, 'added' | 'barrier'>> {
  const own = await readMigrationFiles(pathToFileURL(join(folder, 'control/db/migrations/')));
  const numbers = new Set(own.map(({ number }) => number));
  const added = (await readMigrationFiles()).filter(({ number }) => !numbers.has(number));
  const barrier = added.find(({ needsProgram }) => needsProgram !== null && !numbers.has(needsProgram));
  return { added, barrier: barrier ?? null };
}

/** Whether its control migrates by itself when it starts, as all did before `operator migrate`. */
export const migratesAtStart = (folder: string) => !existsSync(join(folder, 'control/operators/migrations.ts'));
