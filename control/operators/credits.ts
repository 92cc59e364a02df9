import { addCoupon, listCoupons, switchCoupon } from '../billing/coupons.ts';
import { grantCredits, listGrants } from '../billing/grants.ts';
import { readTime } from '../http/times.ts';
import {
  type Command,
  checkedText,
  checkWorkspace,
  currencyOf,
  day,
  OPERATOR,
  type OperatorDeps,
  OperatorError,
  type Options,
  requiredOption,
  throwIfRefused,
  wholeNumber,
  writeServiceEvent,
  yesOrNo,
} from './command.ts';
import { money, tableOf } from './table.ts';

const MAX_PAISE = 1_000_000_000;

export async function giveCredits(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  kind: 'grant' | 'adjustment',
  workspace_id: string,
  amount_paise: number,
  note: string,
) {
  await checkWorkspace(sql, workspace_id);
  checkedText('a note', note, 200);
  const inRange =
    amount_paise !== 0 && Math.abs(amount_paise) <= MAX_PAISE && (kind === 'adjustment' || amount_paise > 0);
  if (!inRange) throw new OperatorError(`an amount is 1 to ${MAX_PAISE}; only an adjustment may be negative`);
  return sql.begin((tx) => grantCredits(tx, { workspace_id, kind, amount_paise, note, actor: by, at_ms }));
}

export async function createCoupon(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  code: string,
  options: Options,
) {
  return sql.begin(async (tx) => {
    const fields = {
      code: code.toUpperCase(),
      kind: options.percent === undefined ? 'credit' : 'topup_bonus',
      currency: currencyOf(options.currency),
      amount_paise: wholeNumber('--amount', options.amount) ?? null,
      percent: wholeNumber('--percent', options.percent) ?? null,
      max_paise: wholeNumber('--max', options.max) ?? null,
      min_topup_paise: wholeNumber('--min-topup', options['min-topup']) ?? 0,
      valid_from: timeOf('--from', options.from),
      valid_until: timeOf('--until', options.until),
      max_redemptions: wholeNumber('--redemptions', options.redemptions) ?? null,
      once_per_workspace: yesOrNo('once', options.once) ?? true,
    };
    const coupon = await addCoupon(tx, fields, at_ms);
    throwIfRefused(coupon);
    const target = { kind: 'coupon', id: coupon.id, name: coupon.code };
    await writeServiceEvent(tx, { by, action: 'coupon.created', target, before: {}, now: coupon, at_ms });
    return coupon;
  });
}

export async function setCouponEnabled(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  code: string,
  enabled: boolean,
) {
  return sql.begin(async (tx) => {
    const coupon = await switchCoupon(tx, code.toUpperCase(), enabled);
    if (!coupon) throw new OperatorError(`coupon ${code} not found`);
    const target = { kind: 'coupon', id: coupon.id, name: coupon.code };
    const action = enabled ? 'coupon.switched_on' : 'coupon.switched_off';
    await writeServiceEvent(tx, { by, action, target, before: {}, now: { enabled }, at_ms });
    return coupon;
  });
}

function timeOf(name: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = readTime(text, 'UTC');
  if (!time) throw new OperatorError(`${name} is a time such as 2026-12-31T18:30:00Z`);
  return time;
}

const COUPONS: Command[] = [
  {
    name: 'coupon list',
    reads: true,
    usage: '',
    description: 'list all coupons, newest first',
    example: 'coupon list',
    positionals: 0,
    async run({ sql }) {
      const rows = await listCoupons(sql);
      const lines = tableOf(rows, 'no coupons', {
        code: ({ code }) => code,
        state: ({ enabled }) => (enabled ? 'on' : 'off'),
        gives: ({ kind, amount_paise, percent, currency }) =>
          kind === 'credit' ? money(amount_paise ?? 0, currency) : `${percent} % of a top-up in ${currency}`,
        from: ({ valid_from }) => day(valid_from),
        until: ({ valid_until }) => day(valid_until),
      });
      return { result: rows, lines };
    },
  },
  {
    name: 'coupon add',
    usage:
      'CODE --amount PAISE | --percent N [--max PAISE] [--min-topup PAISE] [--currency INR|USD] [--from TIME] [--until TIME] ' +
      '[--redemptions N] [--once yes|no]',
    description: 'create a code for credits at once, or a bonus on the next top-up; --once: once per workspace',
    example: 'coupon add WELCOME500 --amount 50000 --redemptions 100 --until 2027-03-31T18:30:00Z',
    positionals: 1,
    options: ['amount', 'percent', 'max', 'min-topup', 'currency', 'from', 'until', 'redemptions', 'once'],
    async run(deps, [code], options) {
      const coupon = await createCoupon(deps, code!, options);
      return { result: coupon, lines: [`coupon ${coupon.code} is created`] };
    },
  },
  ...(['on', 'off'] as const).map(
    (word): Command => ({
      name: `coupon ${word}`,
      usage: 'CODE',
      description: word === 'on' ? 'enable a coupon' : 'disable a coupon',
      example: `coupon ${word} WELCOME500`,
      positionals: 1,
      async run(deps, [code]) {
        const coupon = await setCouponEnabled(deps, code!, word === 'on');
        return { result: coupon, lines: [`coupon ${coupon.code} is ${word}`] };
      },
    }),
  ),
];

const GRANTS: Command[] = [
  {
    name: 'grant list',
    reads: true,
    usage: 'WORKSPACE',
    description: 'list granted and adjusted credits',
    example: 'grant list WORKSPACE',
    positionals: 1,
    async run({ sql }, [workspace]) {
      await checkWorkspace(sql, workspace!);
      const rows = await listGrants(sql, workspace!);
      const lines = tableOf(rows, 'no grants', {
        time: ({ created_at }) => day(created_at),
        kind: ({ kind }) => kind,
        amount: ({ amount_paise, currency }) => money(amount_paise, currency),
        by: ({ by_name }) => by_name,
        note: ({ note }) => note,
      });
      return { result: rows, lines };
    },
  },
  {
    name: 'grant add',
    usage: 'WORKSPACE PAISE NOTE',
    description: 'grant free credits; the workspace sees the note',
    example: "grant add WORKSPACE 50000 'Thank you for testing'",
    positionals: 3,
    async run(deps, [workspace, paise, note]) {
      const result = await giveCredits(deps, 'grant', workspace!, wholeNumber('an amount', paise)!, note!);
      return { result, lines: [`${money(result.amount_paise, result.currency)} are granted`] };
    },
  },
  {
    name: 'grant adjust',
    usage: 'WORKSPACE NOTE --by=PAISE',
    description: 'adjust a balance; --by=-500 subtracts 500',
    example: "grant adjust WORKSPACE 'charged twice on 3 May' --by=-500",
    positionals: 2,
    options: ['by'],
    async run(deps, [workspace, note], options) {
      const paise = wholeNumber('--by', requiredOption('by', options.by))!;
      const result = await giveCredits(deps, 'adjustment', workspace!, paise, note!);
      return { result, lines: [`the balance is adjusted by ${money(result.amount_paise, result.currency)}`] };
    },
  },
];

export const CREDIT_COMMANDS: Command[] = [...COUPONS, ...GRANTS];
