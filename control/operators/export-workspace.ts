import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { systemClock } from '../../shared/clock.ts';
import { readEnv } from '../../shared/env.ts';
import { openRecordingStore, RECORDING_SETTINGS } from '../../shared/recordings/store-settings.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { writeArchive } from '../exports/write-archive.ts';
import { type Command, checkWorkspace, OPERATOR, type OperatorDeps, requiredOption, yesOrNo } from './command.ts';

/** Writes the archive that owners make with `POST /workspace/exports` to a folder, at once. */
async function exportWorkspace(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  workspace_id: string,
  folder: string,
  recordings: boolean,
) {
  await checkWorkspace(sql, workspace_id);
  const store = recordings ? openRecordingStore(readEnv(z.object(RECORDING_SETTINGS)), systemClock) : null;
  const target = { kind: 'workspace', id: workspace_id, name: '' };
  await writeAudit(sql, { workspace_id, actor: by, action: 'workspace.exported', target, data: { recordings }, at_ms });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `workspace-${workspace_id}.zip`);
  const part = `${path}.part`;
  const { archive, progress } = writeArchive({
    sql,
    clock: systemClock,
    workspace_id,
    recordings: store,
    at: new Date(at_ms),
  });
  try {
    await pipeline(archive, createWriteStream(part, { mode: 0o600 }));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return { workspace_id, file: path, size_bytes: (await stat(path)).size, ...progress };
}

export const EXPORT_COMMANDS: readonly Command[] = [
  {
    name: 'workspace export',
    usage: 'WORKSPACE --to FOLDER [--recordings yes|no]',
    description:
      'write all that a workspace has to an archive in a folder: JSON lines for each kind of record, and with --recordings yes the recordings, for which the settings of their store are needed',
    example: 'workspace export WORKSPACE --to exports --recordings yes',
    positionals: 1,
    options: ['to', 'recordings'],
    async run(deps, [workspace], { to, recordings }) {
      const folder = requiredOption('to', to);
      const result = await exportWorkspace(deps, workspace!, folder, yesOrNo('recordings', recordings) ?? false);
      const { file, records, recording_count } = result;
      return { result, lines: [`${file}: ${records} records and ${recording_count} recordings`] };
    },
  },
];
