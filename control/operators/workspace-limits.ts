import { writeAudit } from '../audit/write-audit.ts';
import { lockWorkspace } from '../workspaces/lock-workspace.ts';
import { notifyWorkspace } from '../workspaces/notify-workspace.ts';
import { fixConcurrency, limitsSetFor, setRequestsPerMinute } from '../workspaces/plan.ts';
import { type Command, checkWorkspace, OPERATOR, type OperatorDeps, OperatorError, wholeNumber } from './command.ts';
import { recordLines } from './table.ts';

/** What the service's team sets for one workspace: how many live calls it may have, and how many requests. */

const MAX_LIVE_CALLS = 100;
const MAX_REQUESTS = 1_000_000;
/** In place of a number of live calls. */
const OF_THE_PLAN = 'plan';

interface NewLimits {
  /** Live calls without the lines that were bought; null: what the plan grants. Undefined: as it is. */
  concurrency: number | null | undefined;
  /** Requests per minute of each key and connected app. */
  requests: number | undefined;
}

/** Sets the limits; calls that are live go on. */
export async function setLimits(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  workspace_id: string,
  { concurrency, requests }: NewLimits,
) {
  await checkWorkspace(sql, workspace_id);
  return sql.begin(async (tx) => {
    await lockWorkspace(tx, workspace_id);
    const before = (await limitsSetFor(tx, workspace_id))!;
    if (concurrency !== undefined) await fixConcurrency(tx, workspace_id, concurrency);
    if (requests !== undefined) await setRequestsPerMinute(tx, workspace_id, requests);
    const now = (await limitsSetFor(tx, workspace_id))!;
    const fields = ['concurrency_limit', 'api_requests_per_minute'] as const;
    const changed = fields.filter((field) => before[field] !== now[field]);
    if (changed.length > 0) {
      const changes = Object.fromEntries(
        changed.map((field) => [field, [before[field], now[field]] as [number, number]]),
      );
      const target = { kind: 'workspace', id: workspace_id, name: '' };
      await writeAudit(tx, { workspace_id, actor: by, action: 'workspace.limits_set', target, changes, at_ms });
    }
    if (changed.includes('concurrency_limit')) {
      const text = `From now on the workspace may have ${now.concurrency_limit} live calls at once; it was ${before.concurrency_limit}.`;
      await notifyWorkspace(tx, { workspace_id, subject: 'Your limit of live calls is changed', text, at_ms });
    }
    return now;
  });
}

function liveCalls(text: string | undefined): number | null | undefined {
  if (text === OF_THE_PLAN) return null;
  return between('--concurrency', text, MAX_LIVE_CALLS);
}

function between(name: string, text: string | undefined, max: number): number | undefined {
  const value = wholeNumber(name, text);
  if (value !== undefined && (value < 1 || value > max)) throw new OperatorError(`${name} is from 1 to ${max}`);
  return value;
}

export const WORKSPACE_LIMIT_COMMANDS: readonly Command[] = [
  {
    name: 'workspace limits',
    usage: 'WORKSPACE [--concurrency COUNT|plan] [--requests COUNT]',
    description:
      'show or set how many live calls a workspace may have besides the lines it bought, more or fewer than its plan grants, and the API requests per minute of each of its keys',
    example: 'workspace limits WORKSPACE --concurrency 3 --requests 600',
    positionals: 1,
    options: ['concurrency', 'requests'],
    async run(deps, [workspace], { concurrency, requests }) {
      const limits = {
        concurrency: liveCalls(concurrency),
        requests: between('--requests', requests, MAX_REQUESTS),
      };
      const result = await setLimits(deps, workspace!, limits);
      return { result, lines: recordLines(result) };
    },
  },
];
