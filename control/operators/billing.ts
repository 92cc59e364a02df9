import type { AlertThresholds } from '../alerts/alert-policy.ts';
import { changeThresholds } from '../alerts/manage-thresholds.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { findSeller, type Seller, setSeller } from '../billing/invoices/seller.ts';
import { lastAudit } from '../money-audit/money-audit.ts';
import { moneyDifferences } from '../money-audit/money-differences.ts';
import {
  type Command,
  checkWorkspace,
  day,
  definedFields,
  OPERATOR,
  type OperatorDeps,
  type Options,
  throwIfRefused,
  wholeNumber,
  writeServiceEvent,
} from './command.ts';
import { tableOf } from './table.ts';

/** Who issues invoices, when owners are alerted, and whether the money adds up. */

export async function saveSeller(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  change: Partial<Seller>,
): Promise<Seller> {
  return sql.begin(async (tx) => {
    const result = await setSeller(tx, change, at_ms);
    throwIfRefused(result);
    const target = { kind: 'seller', id: 'seller', name: result.now.name };
    await writeServiceEvent(tx, { by, action: 'seller.updated', target, ...result, at_ms });
    return result.now;
  });
}

function sellerLines({ name, address, gstin, sac, lut }: Seller): string[] {
  return [
    name,
    ...address.split('\n').filter(Boolean),
    gstin === '' ? 'no GSTIN: no GST is charged' : `GSTIN ${gstin}`,
    `SAC ${sac}`,
    lut === '' ? 'no letter of undertaking for exports' : `letter of undertaking ${lut}`,
  ];
}

export async function saveThresholds(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  workspace_id: string,
  change: { [Name in keyof AlertThresholds]?: number | null },
): Promise<AlertThresholds> {
  await checkWorkspace(sql, workspace_id);
  return sql.begin(async (tx) => {
    const result = await changeThresholds(tx, workspace_id, change);
    throwIfRefused(result);
    const { before, now } = result;
    const names = Object.keys(change) as (keyof AlertThresholds)[];
    const changes = Object.fromEntries(names.map((name) => [name, [before[name], now[name]] as [number, number]]));
    if (names.length > 0) {
      const target = { kind: 'workspace', id: workspace_id, name: '' };
      await writeAudit(tx, {
        ...{ workspace_id, actor: by, action: 'workspace.alerts_changed', target, changes, at_ms },
      });
    }
    return now;
  });
}

const threshold = (name: 'minutes' | 'calls' | 'percent', options: Options) =>
  options[name] === 'default' ? null : wholeNumber(`--${name}`, options[name]);

export const BILLING_COMMANDS: Command[] = [
  {
    name: 'invoice seller',
    usage: '[--name TEXT] [--address LINES] [--gstin GSTIN] [--sac CODE] [--lut NUMBER]',
    description:
      'who issues the invoices: show it, or change what is given. With a GSTIN, GST is charged on top-ups; commas divide the ' +
      'lines of an address; issued invoices stay as they are',
    example:
      "invoice seller --name 'Acme Voice Pvt Ltd' --address '1 MG Road, Bengaluru 560001' --gstin 29AAGCB7383J1Z4",
    positionals: 0,
    options: ['name', 'address', 'gstin', 'sac', 'lut'],
    async run(deps, _args, { name, address, gstin, sac, lut }) {
      const lines = address
        ?.split(',')
        .map((line) => line.trim())
        .join('\n');
      const change = definedFields({ name, address: lines, gstin: gstin?.toUpperCase(), sac, lut }) as Partial<Seller>;
      const seller = Object.keys(change).length === 0 ? await findSeller(deps.sql) : await saveSeller(deps, change);
      return { result: seller, lines: sellerLines(seller) };
    },
  },
  {
    name: 'alert thresholds',
    usage: 'WORKSPACE [--minutes N|default] [--calls N|default] [--percent N|default]',
    description:
      'when the owner is alerted: credits for fewer minutes; at least so many finished calls in 15 minutes, of which so many ' +
      'percent failed. Shows them, or changes what is given',
    example: 'alert thresholds WORKSPACE --minutes 60',
    positionals: 1,
    options: ['minutes', 'calls', 'percent'],
    async run(deps, [workspace], options) {
      const change = Object.fromEntries(
        Object.entries({
          low_balance_minutes: threshold('minutes', options),
          failing_min_calls: threshold('calls', options),
          failing_percent: threshold('percent', options),
        }).filter(([, value]) => value !== undefined),
      );
      const now = await saveThresholds(deps, workspace!, change);
      const calls = `${now.failing_percent} % of at least ${now.failing_min_calls} calls failed`;
      return { result: now, lines: [`credits for fewer than ${now.low_balance_minutes} minutes`, calls] };
    },
  },
  {
    name: 'billing audit',
    reads: true,
    usage: '',
    description:
      'compare wallets, ledger, invoices, fees, payments and renewals now, and show what the last nightly audit found in the ' +
      "gateways' lists; the exit code is 1 when something differs",
    example: 'billing audit',
    positionals: 0,
    async run({ sql, wallMs }) {
      const [now, nightly] = [await moneyDifferences(sql, wallMs), await lastAudit(sql)];
      const differences = [...now, ...nightly.findings.filter(({ subject }) => subject === 'gateway')];
      const night = nightly.finished_at
        ? `last nightly audit: ${day(nightly.finished_at)}`
        : 'no nightly audit has run yet: payments are not compared with the gateways';
      const missing = nightly.not_compared.map((gateway) => `not compared then: ${gateway}`);
      const table = tableOf(differences, 'everything adds up', {
        subject: ({ subject }) => subject,
        workspace: ({ workspace_id }) => workspace_id,
        difference: ({ difference }) => difference,
      });
      return {
        result: { differences, finished_at: nightly.finished_at, not_compared: nightly.not_compared },
        lines: [...table, night, ...missing],
        failed: differences.length > 0,
      };
    },
  },
];
