import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { ID_PATTERN } from '../../shared/ids.ts';
import { type TapeLine, withoutWords } from '../../shared/tape.ts';
import { setTaped } from '../agents/taped-agents.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { type Command, checkWorkspace, day, linesOf, OPERATOR, type OperatorDeps, OperatorError } from './command.ts';

/** Tapes of calls: whose are made, and how one leaves the machine. The format: `shared/tape.ts`. */

async function switchTape({ sql, wallMs }: OperatorDeps, workspace_id: string, agent_id: string, tape: boolean) {
  await checkWorkspace(sql, workspace_id);
  return sql.begin(async (tx) => {
    const agent = ID_PATTERN.test(agent_id) ? await setTaped(tx, workspace_id, agent_id, tape) : null;
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

/** Writes the tape to a file of its own. @returns its lines. */
export async function exportTape(folder: string, callId: string, to: string, words: boolean): Promise<number> {
  if (!ID_PATTERN.test(callId)) throw new OperatorError(`${callId} is no call's id`);
  const from = join(folder, `${callId}.tape.gz`);
  if (!(await stat(from).catch(() => null))) throw new OperatorError(`there is no tape of call ${callId} in ${folder}`);
  let lines = 0;
  const part = `${to}.part`;
  const source = createInterface({ input: createReadStream(from).pipe(createGunzip()), crlfDelay: 1_000 });
  async function* shown() {
    for await (const text of source) {
      const line = words ? text : JSON.stringify(withoutWords(JSON.parse(text) as TapeLine));
      lines++;
      yield `${line}\n`;
    }
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

function tapesDir(): string {
  const folder = process.env.TAPES_DIR ?? '';
  if (folder === '') throw new OperatorError('TAPES_DIR is missing: the folder where media writes tapes');
  return folder;
}

export const TAPE_COMMANDS: readonly Command[] = [
  ...([true, false] as const).map(
    (tape): Command => ({
      name: tape ? 'tape on' : 'tape off',
      takes: 'WORKSPACE AGENT',
      about: tape ? "tape the agent's calls from now on: all that is said, for engineers" : 'tape none any more',
      words: 2,
      async run(deps, [workspace, agent]) {
        const result = await switchTape(deps, workspace!, agent!, tape);
        return { result, lines: [tape ? "the agent's next calls are taped" : 'no further call is taped'] };
      },
    }),
  ),
  {
    name: 'tape list',
    takes: '',
    about: 'the tapes in TAPES_DIR, the newest first',
    words: 0,
    async run() {
      const folder = tapesDir();
      const names = (await readdir(folder)).filter((name) => name.endsWith('.tape.gz'));
      const tapes = await Promise.all(
        names.map(async (name) => {
          const { size, mtime } = await stat(join(folder, name));
          return { call_id: name.slice(0, -'.tape.gz'.length), size_bytes: size, made_at: mtime };
        }),
      );
      tapes.sort((a, b) => b.made_at.getTime() - a.made_at.getTime());
      const lines = linesOf(tapes, 'there are no tapes', ({ call_id, size_bytes, made_at }) =>
        [call_id, day(made_at), `${Math.ceil(size_bytes / 1_024)} KiB`].join('  '),
      );
      return { result: { tapes }, lines };
    },
  },
  {
    name: 'tape export',
    takes: 'CALL FILE [--words yes|no]',
    about: 'copy a tape to a file; without --words yes nothing that was said is on the copy',
    words: 2,
    options: ['words'],
    async run(_deps, [call, file], { words = 'no' }) {
      if (words !== 'yes' && words !== 'no') throw new OperatorError('--words is yes or no');
      const lines = await exportTape(tapesDir(), call!, file!, words === 'yes');
      return { result: { call_id: call, file, lines }, lines: [`${file}: ${lines} lines`] };
    },
  },
];
