import type { AuditAction } from '../../shared/audit-actions.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { workspaceOfCall } from '../calls/call-lookups.ts';
import {
  applyDeadEvent,
  type DeadEvent,
  decodeDeadEvent,
  deleteDeadEvent,
  findDeadEvent,
  oldestDeadEvents,
} from '../calls/events/dead-events.ts';
import type { Transaction } from '../db/connect.ts';
import {
  type Command,
  day,
  OPERATOR,
  type OperatorDeps,
  OperatorError,
  writeServiceEvent,
  yesOrNo,
} from './command.ts';
import { recordLines, tableOf } from './table.ts';

/** Events of calls that could not be applied: listing, showing, replaying and dropping them. */

const MAX_LISTED = 200;
/** With `all`: the oldest ones. */
const MAX_AT_ONCE = 10_000;
const ALL = 'all';

async function requiredEvent({ sql }: Pick<OperatorDeps, 'sql'>, id: string): Promise<DeadEvent> {
  const letter = await findDeadEvent(sql, id);
  if (!letter) throw new OperatorError(`no dead letter ${id}`);
  return letter;
}

/** Writes an audit event of the call's workspace, or one of the service where the call is not known. */
async function audit(
  tx: Transaction,
  { wallMs: at_ms, by = OPERATOR }: Pick<OperatorDeps, 'wallMs' | 'by'>,
  { id, call_id, reason }: Omit<DeadEvent, 'raw'>,
  action: AuditAction,
): Promise<void> {
  const target = { kind: 'dead_letter', id, name: '' };
  const workspace_id = await workspaceOfCall(tx, call_id);
  if (workspace_id === null)
    await writeServiceEvent(tx, { by, action, target, before: { call_id, reason }, now: {}, at_ms });
  else await writeAudit(tx, { workspace_id, actor: by, action, target, data: { call_id, reason }, at_ms });
}

/** What an event holds; what was said only with `words`. */
async function showEvent(deps: OperatorDeps, id: string, words: boolean) {
  const { raw, ...letter } = await requiredEvent(deps, id);
  const event = decodeDeadEvent({ raw });
  if (words) await deps.sql.begin((tx) => audit(tx, deps, letter, 'dead_letter.read'));
  const { message, data_json, transcript, ending, ...facts } = event ?? {};
  const said = words ? { message, data_json, transcript, ending } : {};
  return { ...letter, bytes: raw.length, event: event && { ...facts, ...said } };
}

/** Applies a dead letter to its call and removes it. Throws when it still cannot be applied. */
async function replay(deps: OperatorDeps, id: string): Promise<void> {
  const { sql, wallMs } = deps;
  const letter = await requiredEvent({ sql }, id);
  await sql.begin(async (tx) => {
    if (!(await deleteDeadEvent(tx, id))) return;
    const refusal = await applyDeadEvent(tx, letter, wallMs);
    if (refusal !== null) throw new OperatorError(refusal);
    await audit(tx, deps, letter, 'dead_letter.replayed');
  });
}

async function drop(deps: OperatorDeps, id: string): Promise<void> {
  const { sql } = deps;
  const letter = await requiredEvent({ sql }, id);
  await sql.begin(async (tx) => {
    if (await deleteDeadEvent(tx, id)) await audit(tx, deps, letter, 'dead_letter.dropped');
  });
}

/** Does the work with one dead letter or all. What fails stays, with its reason. */
async function each(deps: OperatorDeps, id: string, work: (id: string) => Promise<unknown>) {
  const ids = id === ALL ? (await oldestDeadEvents(deps.sql, MAX_AT_ONCE)).map(({ id }) => id) : [id];
  const done: string[] = [];
  const refused: { id: string; reason: string }[] = [];
  for (const id of ids) {
    try {
      await work(id);
      done.push(id);
    } catch (error) {
      if (ids.length === 1) throw error;
      refused.push({ id, reason: (error as Error).message });
    }
  }
  return { done, refused };
}

export const DEAD_EVENT_COMMANDS: readonly Command[] = [
  {
    name: 'dead-letters list',
    reads: true,
    usage: '',
    description: 'list events of calls that could not be applied, oldest first',
    example: 'dead-letters list',
    positionals: 0,
    async run({ sql }) {
      const letters = await oldestDeadEvents(sql, MAX_LISTED);
      const lines = tableOf(letters, 'no dead letters', {
        id: ({ id }) => id,
        received: ({ received_at }) => day(received_at),
        call: ({ call_id }) => call_id,
        number: ({ seq }) => seq ?? '',
        reason: ({ reason }) => reason,
      });
      return { result: letters, lines };
    },
  },
  {
    name: 'dead-letters show',
    usage: 'ID [--words yes]',
    description: 'show a dead letter; with --words yes also what was said, which is written to the audit trail',
    example: 'dead-letters show ID',
    positionals: 1,
    options: ['words'],
    async run(deps, [id], { words }) {
      const result = await showEvent(deps, id!, yesOrNo('words', words) ?? false);
      return { result, lines: recordLines(result) };
    },
  },
  {
    name: 'dead-letters replay',
    usage: 'ID|all',
    description:
      'apply a dead letter to its call, at the end of the timeline, and remove it; what cannot be applied stays',
    example: 'dead-letters replay ID',
    positionals: 1,
    async run(deps, [id]) {
      const result = await each(deps, id!, (id) => replay(deps, id));
      return { result, ...summaryOf(result, 'replayed') };
    },
  },
  {
    name: 'dead-letters drop',
    usage: 'ID|all',
    description: 'remove a dead letter without applying it',
    example: 'dead-letters drop ID',
    positionals: 1,
    async run(deps, [id]) {
      const result = await each(deps, id!, (id) => drop(deps, id));
      return { result, ...summaryOf(result, 'dropped') };
    },
  },
];

function summaryOf({ done, refused }: Awaited<ReturnType<typeof each>>, verb: string) {
  const lines = [`${done.length} ${verb}`, ...refused.map(({ id, reason }) => `${id} stays: ${reason}`)];
  return { lines, failed: refused.length > 0 };
}
