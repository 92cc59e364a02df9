import type { CarrierName } from '../../shared/carriers/registry.ts';
import { ID_PATTERN, newId } from '../../shared/ids.ts';
import { changesBetween } from '../audit/changes.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import type { SecretKeys } from '../db/secret-keys.ts';
import type { Actor } from '../http/authenticate.ts';
import { workspaceExists } from '../workspaces/create-workspace.ts';

/** The commands of the operator's command line, and what they share. */

/** A command cannot be run. */
export class OperatorError extends Error {}

/** A command was called wrongly. */
export class UsageError extends OperatorError {}

export interface OperatorDeps {
  sql: Sql;
  wallMs: number;
  /** Who runs the command, for the audit trail; left out: `OPERATOR`. */
  by?: Actor;
  /** Whether the service has an account with a carrier; left out where that is unknown. */
  hasAccount?: (carrier: CarrierName) => boolean;
  /** The keys of sealed secrets; left out where they are unknown. */
  secretKeys?: () => Promise<SecretKeys>;
  /** Takes a line while the command works. */
  onProgress?: (line: string) => void;
}

/** Options with a value. */
export const OPTIONS = [
  'address',
  'agent',
  'amount',
  'browser-price',
  'by',
  'calls',
  'caller-verification',
  'category',
  'concurrency',
  'criteria',
  'currency',
  'custom',
  'days',
  'description',
  'enabled',
  'folder',
  'from',
  'gstin',
  'icon',
  'lut',
  'max',
  'members',
  'min-topup',
  'minutes',
  'model',
  'monthly-fee',
  'name',
  'number',
  'numbers',
  'once',
  'percent',
  'price',
  'provider',
  'recordings',
  'redemptions',
  'requests',
  'role',
  'sac',
  'secret',
  'severity',
  'streams',
  'strikes',
  'to',
  'until',
  'words',
  'workspace',
] as const;
/** Options without a value. */
export const FLAGS = ['first', 'list'] as const;
export type OptionName = (typeof OPTIONS)[number];
export type FlagName = (typeof FLAGS)[number];
export type Options = { [Name in OptionName]?: string } & { [Name in FlagName]?: boolean };

export interface Command {
  /** One word or two: `workspace create`. */
  name: string;
  /** The arguments, as the help shows them: `WORKSPACE REASON`. */
  usage: string;
  description: string;
  /** A whole command as it is typed, without the program's name: `workspace create 'Acme Stores'`. */
  example: string;
  /** The number of arguments, or their minimum and maximum. */
  positionals: number | readonly [number, number];
  /** The options it takes. */
  options?: readonly (OptionName | FlagName)[];
  /** Shows lists and states, and nothing of people's documents, speech or secrets: for the role `read`. */
  reads?: true;
  /** Asks nobody for a key: a deployment runs it. */
  unattended?: true;
  /** Works on a schema that this program does not run on, too. */
  anySchema?: true;
  /** @returns lines for a person, and a result for a script; `failed`: the exit code says so. */
  run(
    deps: OperatorDeps,
    args: string[],
    options: Options,
  ): Promise<{ lines: string[]; result: object; failed?: boolean }>;
}

/** Commands that the help shows together. */
export interface CommandGroup {
  title: string;
  commands: readonly Command[];
}

const OPERATOR_NAME = 'operator';
/** The programs of the service themselves, such as the one that makes the first workspace. */
export const OPERATOR: Actor = { kind: 'service', id: OPERATOR_NAME, name: OPERATOR_NAME };

/** Throws the reason that a rule returned, so that its transaction is rolled back. */
export function throwIfRefused<Result>(result: Result | string): asserts result is Exclude<Result, string> {
  if (typeof result === 'string') throw new OperatorError(result);
}

export async function checkWorkspace(sql: Sql, workspaceId: string): Promise<void> {
  if (!ID_PATTERN.test(workspaceId) || !(await workspaceExists(sql, workspaceId))) {
    throw new OperatorError(`workspace ${workspaceId} not found`);
  }
}

export function checkedText(what: string, text: string, max: number): string {
  if (text.trim() === '' || text.length > max) throw new OperatorError(`${what} has 1 to ${max} characters`);
  return text;
}

export function requiredOption(name: OptionName, value: string | undefined): string {
  if (value === undefined || value === '') throw new UsageError(`--${name} is missing`);
  return value;
}

/** The integer of an option; undefined when it is missing. */
export function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^-?\d{1,12}$/.test(text)) throw new OperatorError(`${name} is a whole number`);
  return Number(text);
}

export function yesOrNo(name: OptionName, text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text !== 'yes' && text !== 'no') throw new OperatorError(`--${name} is yes or no`);
  return text === 'yes';
}

export function currencyOf(text = 'INR'): 'INR' | 'USD' {
  if (text !== 'INR' && text !== 'USD') throw new OperatorError('--currency is INR or USD');
  return text;
}

/** Leaves out undefined fields. */
export function definedFields<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> | null } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

export const day = (date: Date | null): string => date?.toISOString().slice(0, 16).replace('T', ' ') ?? '';

export interface ServiceEvent {
  by: Actor;
  /** `plan.updated` */
  action: string;
  target: { kind: string; id: string; name: string };
  /** The fields before and after; `{}` where there are none. */
  before: object;
  now: object;
  at_ms: number;
}

/** Writes an audit event that belongs to no workspace, in the transaction of the change. */
export async function writeServiceEvent(tx: Transaction, event: ServiceEvent): Promise<void> {
  const { by, action, target, before, now, at_ms } = event;
  await tx`
    insert into service_events (id, at, action, actor_id, actor_name, target_kind, target_id, target_name, changes)
    values (
      ${newId(at_ms)}, ${new Date(at_ms)}, ${action}, ${by.id}, ${by.name}, ${target.kind}, ${target.id}, ${target.name},
      ${tx.json(changesBetween(before, now) as never)}
    )`;
}
