import { writeAudit } from '../audit/write-audit.ts';
import { putOnPlan } from '../billing/change-plan.ts';
import { listRenewals, retryPastDue } from '../billing/renewals/renewals.ts';
import { setOwnPrice } from '../billing/workspace-pricing.ts';
import { lockWorkspace } from '../workspaces/lock-workspace.ts';
import {
  type Command,
  checkWorkspace,
  day,
  OPERATOR,
  type OperatorDeps,
  OperatorError,
  wholeNumber,
} from './command.ts';
import { tableOf } from './table.ts';

/** A workspace's plan, its own price, and the fees of 30 days. */

const targetOf = (id: string) => ({ kind: 'workspace', id, name: '' });

export async function putWorkspaceOnPlan(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  workspace_id: string,
  plan_id: string,
) {
  await checkWorkspace(sql, workspace_id);
  const found = await sql.begin((tx) => putOnPlan(tx, { workspace_id, plan_id, actor: by, at_ms }));
  if (!found) throw new OperatorError(`plan ${plan_id} not found`);
  return { workspace_id, plan_id };
}

/** `perMinute` null: the plan's price applies again. A browser's price of null is that of the phone. */
export async function priceWorkspace(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  workspace_id: string,
  perMinute: number | null,
  inBrowser: number | null,
) {
  await checkWorkspace(sql, workspace_id);
  if ((perMinute ?? 0) < 0 || (inBrowser ?? 0) < 0) throw new OperatorError('a price is 0 or more');
  const now = { own_price_per_minute_paise: perMinute, own_browser_price_per_minute_paise: inBrowser };
  await sql.begin(async (tx) => {
    await lockWorkspace(tx, workspace_id);
    const changes = await setOwnPrice(tx, workspace_id, now);
    await writeAudit(tx, {
      ...{ workspace_id, actor: by, action: 'workspace.price_changed', target: targetOf(workspace_id) },
      ...{ changes, at_ms },
    });
  });
  return { workspace_id, ...now };
}

/** Tries the unpaid fees of a workspace now instead of once a day. */
export async function retryFees({ sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps, workspace_id: string) {
  await checkWorkspace(sql, workspace_id);
  return sql.begin(async (tx) => {
    const retried = await retryPastDue(tx, workspace_id, at_ms);
    const target = targetOf(workspace_id);
    await writeAudit(tx, {
      ...{ workspace_id, actor: by, action: 'fees.retried', target, data: { fees: retried }, at_ms },
    });
    return { workspace_id, retried };
  });
}

export const SUBSCRIPTION_COMMANDS: Command[] = [
  {
    name: 'workspace plan',
    usage: 'WORKSPACE PLAN',
    description: 'put a workspace on a plan; its first 30 days are free, with all included minutes',
    example: 'workspace plan WORKSPACE growth',
    positionals: 2,
    async run(deps, [workspace, plan]) {
      const result = await putWorkspaceOnPlan(deps, workspace!, plan!);
      return { result, lines: [`the workspace is on plan ${result.plan_id}`] };
    },
  },
  {
    name: 'workspace price',
    usage: 'WORKSPACE PAISE|plan [--browser-price PAISE|phone]',
    description:
      "set the workspace's own price of a minute, in its currency, which holds on every plan; plan: the plan's price applies again",
    example: 'workspace price WORKSPACE 375 --browser-price 300',
    positionals: 2,
    options: ['browser-price'],
    async run(deps, [workspace, price], options) {
      const perMinute = price === 'plan' ? null : wholeNumber('a price', price)!;
      const browser = options['browser-price'];
      if (perMinute === null && browser !== undefined) throw new OperatorError('--browser-price goes with a price');
      const inBrowser = browser === 'phone' ? null : (wholeNumber('--browser-price', browser) ?? null);
      const result = await priceWorkspace(deps, workspace!, perMinute, inBrowser);
      return { result, lines: [perMinute === null ? "the plan's price applies" : `a minute costs ${perMinute}`] };
    },
  },
  {
    name: 'fee list',
    reads: true,
    usage: 'WORKSPACE',
    description:
      'list the fees that a workspace pays every 30 days: until when they are paid, and since when they are unpaid',
    example: 'fee list WORKSPACE',
    positionals: 1,
    async run({ sql }, [workspace]) {
      await checkWorkspace(sql, workspace!);
      const rows = await listRenewals(sql, workspace!);
      const lines = tableOf(rows, 'no fees', {
        fee: ({ kind }) => kind,
        of: ({ subject_id }) => subject_id,
        'cycle end': ({ cycle_end }) => day(cycle_end),
        'unpaid since': ({ past_due_since }) => day(past_due_since),
        'next attempt': ({ next_attempt_at }) => day(next_attempt_at),
      });
      return { result: rows, lines };
    },
  },
  {
    name: 'fee retry',
    usage: 'WORKSPACE',
    description: 'try the unpaid fees of a workspace now, for example after credits were granted',
    example: 'fee retry WORKSPACE',
    positionals: 1,
    async run(deps, [workspace]) {
      const result = await retryFees(deps, workspace!);
      return { result, lines: [`${result.retried} unpaid fees are tried now`] };
    },
  },
];
