import { E164_PATTERN } from '../../shared/phone.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { eraseCallsWith } from '../exports/erase-calls-with.ts';
import {
  type Command,
  checkWorkspace,
  OPERATOR,
  type OperatorDeps,
  OperatorError,
  requiredOption,
  wholeNumber,
} from './command.ts';

/** What is kept of calls, and for how long. */

const MAX_DAYS = 3_650;
/** In place of a number of days. */
const OF_THE_SERVICE = 'default';
const FOR_EVER = 'forever';

/** Requests the erasure of the calls with one person; control carries it out. */
export async function requestCallErasure(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  workspace_id: string,
  number: string,
) {
  await checkWorkspace(sql, workspace_id);
  if (!E164_PATTERN.test(number)) throw new OperatorError('--number is a number like +919811112222');
  return sql.begin(async (tx) => {
    const { exports_removed, ...calls } = await eraseCallsWith(tx, { workspace_id, actor: by }, number, at_ms);
    return exports_removed > 0 ? { ...calls, exports_removed } : calls;
  });
}

/** Sets for how many days a workspace's calls are kept; 0: for ever, null: as the service is set. */
export async function setRetention(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  workspace_id: string,
  days: number | null,
) {
  await checkWorkspace(sql, workspace_id);
  await sql.begin(async (tx) => {
    const [before] = await tx<{ call_retention_days: number | null }[]>`
      select call_retention_days from workspaces where id = ${workspace_id} for no key update`;
    await tx`update workspaces set call_retention_days = ${days} where id = ${workspace_id}`;
    const target = { kind: 'workspace', id: workspace_id, name: '' };
    const changes = { call_retention_days: [before!.call_retention_days, days] as [number | null, number | null] };
    await writeAudit(tx, { workspace_id, actor: by, action: 'workspace.updated', target, changes, at_ms });
  });
  return { workspace_id, call_retention_days: days };
}

function daysOf(text: string): number | null {
  if (text === OF_THE_SERVICE) return null;
  if (text === FOR_EVER) return 0;
  const days = wholeNumber('--days', text)!;
  if (days < 1 || days > MAX_DAYS) throw new OperatorError(`--days is from 1 to ${MAX_DAYS}`);
  return days;
}

export const CALL_DATA_COMMANDS: readonly Command[] = [
  {
    name: 'call retention',
    usage: 'WORKSPACE --days COUNT|forever|default',
    description:
      "set for how long a workspace's calls are kept, with their recordings, transcripts, timelines, deliveries and server logs; default: as CALL_RETENTION_DAYS says",
    example: 'call retention WORKSPACE --days 90',
    positionals: 1,
    options: ['days'],
    async run(deps, [workspace], { days }) {
      const result = await setRetention(deps, workspace!, daysOf(requiredOption('days', days)));
      const kept = result.call_retention_days;
      const time = kept === null ? 'as long as the service is set to' : kept === 0 ? 'for ever' : `for ${kept} days`;
      return { result, lines: [`calls of the workspace are kept ${time}`] };
    },
  },
  {
    name: 'call erase',
    usage: 'WORKSPACE --number NUMBER',
    description:
      'delete all calls with one person, with recordings, transcripts, timelines, deliveries and server logs; exports of the workspace are removed; what they cost stays in the ledger, and captures have a command of their own',
    example: 'call erase WORKSPACE --number +919811112222',
    positionals: 1,
    options: ['number'],
    async run(deps, [workspace], { number }) {
      const result = await requestCallErasure(deps, workspace!, requiredOption('number', number));
      const { calls, going_on } = result;
      const later = going_on > 0 ? `; ${going_on} of them are queued or go on, and are deleted when they are over` : '';
      const lines = [`${calls} calls are deleted within the next minutes${later}`];
      if ('exports_removed' in result)
        lines.push('exports of the workspace are removed, because the calls are in them');
      return { result, lines };
    },
  },
];
