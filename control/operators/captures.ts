import { createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { CaptureEntry, CaptureLine } from '../../shared/capture.ts';
import { readCaptureFile } from '../../shared/capture-file.ts';
import { redactContent } from '../../shared/capture-redaction.ts';
import { ID_PATTERN } from '../../shared/ids.ts';
import { setCaptured } from '../agents/captured-agents.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { workspaceOfCall } from '../calls/call-lookups.ts';
import { type Command, checkWorkspace, day, linesOf, OPERATOR, type OperatorDeps, OperatorError } from './command.ts';

/** Tapes of calls: whose are made, and how one leaves the machine. The format: `shared/capture.ts`. */

async function setAgentCapture({ sql, wallMs }: OperatorDeps, workspace_id: string, agent_id: string, tape: boolean) {
  await checkWorkspace(sql, workspace_id);
  return sql.begin(async (tx) => {
    const agent = ID_PATTERN.test(agent_id) ? await setCaptured(tx, workspace_id, agent_id, tape) : null;
    if (!agent) throw new OperatorError(`agent ${agent_id} not found`);
    await writeAudit(tx, {
      workspace_id,
      actor: OPERATOR,
      action: tape ? 'agent.tape_on' : 'agent.tape_off',
      target: { kind: 'agent', id: agent_id, name: agent.name },
      at_ms: wallMs,
    });
    return { workspace_id, agent_id, tape };
  });
}

const CAPTURE_SUFFIX = '.capture.gz';
/** The call goes on, or its engine died. */
const UNFINISHED_SUFFIX = '.capture.gz.part';

/**
 * Writes the tape to a file of its own; one that ends in the middle is marked as cut there. @returns its lines.
 */
export async function exportCapture(folder: string, callId: string, to: string, words: boolean): Promise<number> {
  const from = await capturePath(folder, callId);
  let lines = 0;
  const part = `${to}.part`;
  const { lines: source, isComplete: isWhole } = readCaptureFile(from);
  async function* shown() {
    let last = '';
    for await (const text of source) {
      last = text;
      const line = words ? text : redactLine(text);
      if (line === null) continue;
      lines++;
      yield `${line}\n`;
    }
    if (await isWhole()) return;
    lines++;
    const t = last === '' ? 0 : ((JSON.parse(last) as Partial<CaptureEntry>).t ?? 0);
    yield `${JSON.stringify({ t, k: 'truncated', reason: 'the file ends in the middle' } satisfies CaptureEntry)}\n`;
  }
  try {
    await pipeline(Readable.from(shown()), createGzip(), createWriteStream(part, { mode: 0o600 }));
    await rename(part, to);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
  return lines;
}

async function capturePath(folder: string, callId: string): Promise<string> {
  if (!ID_PATTERN.test(callId)) throw new OperatorError(`${callId} is no call's id`);
  for (const ending of [CAPTURE_SUFFIX, UNFINISHED_SUFFIX]) {
    const path = join(folder, callId + ending);
    if (await stat(path).catch(() => null)) return path;
  }
  throw new OperatorError(`there is no tape of call ${callId} in ${folder}`);
}

/** In the trail of the workspace whose call it is, where that is known here: before it is done. */
async function auditCall({ sql, wallMs }: OperatorDeps, callId: string, action: string, data: Record<string, boolean>) {
  const workspace_id = await workspaceOfCall(sql, callId);
  if (workspace_id === null) return;
  const target = { kind: 'call', id: callId, name: '' };
  await writeAudit(sql, { workspace_id, actor: OPERATOR, action, target, data, at_ms: wallMs });
}

async function listCaptures(folder: string) {
  const found = (await readdir(folder)).flatMap((name) => {
    const ending = [CAPTURE_SUFFIX, UNFINISHED_SUFFIX].find((one) => name.endsWith(one));
    return ending ? [{ name, call_id: name.slice(0, -ending.length), whole: ending === CAPTURE_SUFFIX }] : [];
  });
  const tapes = await Promise.all(
    found.map(async ({ name, ...tape }) => {
      // One that became whole, or was deleted, meanwhile.
      const file = await stat(join(folder, name)).catch(() => null);
      return file ? [{ ...tape, size_bytes: file.size, made_at: file.mtime }] : [];
    }),
  );
  return tapes.flat().sort((a, b) => b.made_at.getTime() - a.made_at.getTime());
}

function redactLine(text: string): string | null {
  const line = redactContent(JSON.parse(text) as CaptureLine);
  return line && JSON.stringify(line);
}

function capturesDir(): string {
  const folder = process.env.TAPES_DIR ?? '';
  if (folder === '') throw new OperatorError('TAPES_DIR is missing: the folder where media writes tapes');
  return folder;
}

export const CAPTURE_COMMANDS: readonly Command[] = [
  ...([true, false] as const).map(
    (tape): Command => ({
      name: tape ? 'tape on' : 'tape off',
      usage: 'WORKSPACE AGENT',
      description: tape ? "tape the agent's calls from now on: all that is said, for engineers" : 'tape none any more',
      positionals: 2,
      async run(deps, [workspace, agent]) {
        const result = await setAgentCapture(deps, workspace!, agent!, tape);
        return { result, lines: [tape ? "the agent's next calls are taped" : 'no further call is taped'] };
      },
    }),
  ),
  {
    name: 'tape list',
    usage: '',
    description: 'the tapes in TAPES_DIR, the newest first; an unfinished one: its call goes on, or its engine died',
    positionals: 0,
    async run() {
      const folder = capturesDir();
      const tapes = await listCaptures(folder);
      const lines = linesOf(tapes, 'there are no tapes', ({ call_id, size_bytes, made_at, whole }) =>
        [call_id, day(made_at), `${Math.ceil(size_bytes / 1_024)} KiB`, ...(whole ? [] : ['unfinished'])].join('  '),
      );
      return { result: { tapes }, lines };
    },
  },
  {
    name: 'tape delete',
    usage: 'CALL',
    description: 'delete the tape of a call; nothing else does',
    positionals: 1,
    async run(deps, [call]) {
      const path = await capturePath(capturesDir(), call!);
      await auditCall(deps, call!, 'tape.deleted', {});
      await rm(path);
      return { result: { call_id: call }, lines: [`the tape of call ${call} is deleted`] };
    },
  },
  {
    name: 'tape export',
    usage: 'CALL FILE [--words yes|no]',
    description: 'copy a tape to a file; without --words yes nothing that was said is on the copy',
    positionals: 2,
    options: ['words'],
    async run(deps, [call, file], { words = 'no' }) {
      if (words !== 'yes' && words !== 'no') throw new OperatorError('--words is yes or no');
      await capturePath(capturesDir(), call!);
      await auditCall(deps, call!, 'tape.exported', { words: words === 'yes' });
      const lines = await exportCapture(capturesDir(), call!, file!, words === 'yes');
      return { result: { call_id: call, file, lines }, lines: [`${file}: ${lines} lines`] };
    },
  },
];
