import { writeFile } from 'node:fs/promises';
import { decideCallerId, logoForReview, waitingCallerIds } from '../caller-id/decide-caller-id.ts';
import { decideKyc, documentForReview, kycForReview, waitingKyc } from '../kyc/decide-kyc.ts';
import { decideLimitRequest, openLimitRequests, workspaceOfLimitRequest } from '../workspaces/limit-requests.ts';
import {
  type Command,
  checkedText,
  checkWorkspace,
  day,
  OPERATOR,
  type OperatorDeps,
  OperatorError,
  throwIfRefused,
} from './command.ts';
import { recordLines, tableOf } from './table.ts';

/** Requests of workspaces: approval of business details, more live calls, a shown caller id. */

export async function decideBusinessDetails(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  workspace_id: string,
  rejection: string | null,
) {
  await checkWorkspace(sql, workspace_id);
  const approved = rejection === null;
  const reason = rejection === null ? '' : checkedText('a reason', rejection, 1_000);
  await sql.begin(async (tx) => {
    const refusal = await decideKyc(tx, { workspace_id, approved, reason, actor: by, at_ms });
    if (refusal !== null) throw new OperatorError(refusal);
  });
  return { workspace_id, kyc_status: approved ? 'approved' : 'rejected' };
}

export async function decideLimit(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  request_id: string,
  approved: boolean,
  answer: string,
) {
  if (answer.length > 1_000) throw new OperatorError('an answer has at most 1000 characters');
  return sql.begin(async (tx) => {
    const workspace_id = await workspaceOfLimitRequest(tx, request_id);
    const decided =
      workspace_id === null
        ? null
        : await decideLimitRequest(tx, { workspace_id, request_id, approved, answer, actor: by, at_ms });
    if (!decided) throw new OperatorError(`no open limit request ${request_id}`);
    return { ...decided, workspace_id };
  });
}

export async function decideShownCallerId(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  request_id: string,
  to: 'in_review' | 'active' | 'rejected',
  reason = '',
) {
  if (to === 'rejected') checkedText('a reason', reason, 1_000);
  const row = await sql.begin(async (tx) => {
    const result = await decideCallerId(tx, { request_id, to, reason, actor: by, at_ms });
    throwIfRefused(result);
    return result;
  });
  return { id: row.id, workspace_id: row.workspace_id, status: row.status, fee_paise: row.fee_paise };
}

const KYC: Command[] = [
  {
    name: 'kyc list',
    reads: true,
    usage: '',
    description: 'list submitted business details, oldest first',
    example: 'kyc list',
    positionals: 0,
    async run({ sql }) {
      const rows = await waitingKyc(sql);
      const lines = tableOf(rows, 'no open requests', {
        workspace: ({ workspace_id }) => workspace_id,
        submitted: ({ submitted_at }) => day(submitted_at),
        name: ({ legal_name }) => legal_name,
        type: ({ business_type }) => business_type,
      });
      return { result: rows, lines };
    },
  },
  {
    name: 'kyc show',
    usage: 'WORKSPACE',
    description: 'show the business details of a workspace',
    example: 'kyc show WORKSPACE',
    positionals: 1,
    async run({ sql }, [workspace]) {
      await checkWorkspace(sql, workspace!);
      const result = await kycForReview(sql, workspace!);
      return { result, lines: recordLines(result) };
    },
  },
  {
    name: 'kyc document',
    usage: 'WORKSPACE DOCUMENT FILE',
    description: 'write one of its documents to a file, as PDF',
    example: 'kyc document WORKSPACE DOCUMENT identity.pdf',
    positionals: 3,
    async run({ sql, wallMs: at_ms, by = OPERATOR }, [workspace_id, document_id, path]) {
      await checkWorkspace(sql, workspace_id!);
      const reading = { workspace_id: workspace_id!, document_id: document_id!, actor: by, at_ms };
      const pdf = await documentForReview(sql, reading);
      if (!pdf) throw new OperatorError(`document ${document_id} not found`);
      await writeFile(path!, pdf, { mode: 0o600 });
      return { result: { file: path, size_bytes: pdf.length }, lines: [`${path} is written`] };
    },
  },
  {
    name: 'kyc approve',
    usage: 'WORKSPACE',
    description: 'approve the business details; the workspace becomes active',
    example: 'kyc approve WORKSPACE',
    positionals: 1,
    async run(deps, [workspace]) {
      const result = await decideBusinessDetails(deps, workspace!, null);
      return { result, lines: ['the business details are approved'] };
    },
  },
  {
    name: 'kyc reject',
    usage: 'WORKSPACE REASON',
    description: 'reject the business details; the workspace sees the reason and may submit again',
    example: "kyc reject WORKSPACE 'the PAN is of another name'",
    positionals: 2,
    async run(deps, [workspace, reason]) {
      const result = await decideBusinessDetails(deps, workspace!, reason!);
      return { result, lines: ['the business details are rejected'] };
    },
  },
];

const LIMITS: Command[] = [
  {
    name: 'limit list',
    reads: true,
    usage: '',
    description: 'list open requests for more live calls',
    example: 'limit list',
    positionals: 0,
    async run({ sql }) {
      const rows = await openLimitRequests(sql);
      const lines = tableOf(rows, 'no open requests', {
        request: ({ id }) => id,
        made: ({ created_at }) => day(created_at),
        workspace: ({ workspace_name }) => workspace_name,
        now: ({ concurrency_limit }) => concurrency_limit,
        requested: ({ requested_limit }) => requested_limit,
        reason: ({ reason }) => reason,
      });
      return { result: rows, lines };
    },
  },
  {
    name: 'limit approve',
    usage: 'REQUEST [ANSWER]',
    description: 'set the requested limit',
    example: "limit approve REQUEST 'from today'",
    positionals: [1, 2],
    async run(deps, [request, answer = '']) {
      const result = await decideLimit(deps, request!, true, answer);
      return { result, lines: [`the limit is ${result.requested_limit}`] };
    },
  },
  {
    name: 'limit decline',
    usage: 'REQUEST ANSWER',
    description: 'decline the request; the limit stays',
    example: "limit decline REQUEST 'after the first paid month'",
    positionals: 2,
    async run(deps, [request, answer]) {
      const result = await decideLimit(deps, request!, false, checkedText('an answer', answer!, 1_000));
      return { result, lines: ['the request is declined'] };
    },
  },
];

const CALLER_IDS: Command[] = [
  {
    name: 'caller-id list',
    reads: true,
    usage: '',
    description: 'list open requests for a shown caller id',
    example: 'caller-id list',
    positionals: 0,
    async run({ sql }) {
      const rows = await waitingCallerIds(sql);
      const lines = tableOf(rows, 'no open requests', {
        request: ({ id }) => id,
        made: ({ created_at }) => day(created_at),
        status: ({ status }) => status,
        name: ({ display_name }) => display_name,
        reason: ({ call_reason }) => call_reason,
        numbers: ({ numbers }) => numbers.join(' '),
      });
      return { result: rows, lines };
    },
  },
  {
    name: 'caller-id logo',
    usage: 'REQUEST FILE',
    description: 'write the logo of a request to a file',
    example: 'caller-id logo REQUEST logo.jpg',
    positionals: 2,
    async run({ sql, wallMs, by = OPERATOR }, [request, path]) {
      const found = await logoForReview(sql, request!, by, wallMs);
      if (!found) throw new OperatorError(`caller-id request ${request} not found`);
      await writeFile(path!, found.logo, { mode: 0o600 });
      return { result: { file: path, type: found.logo_type }, lines: [`${path} is written (${found.logo_type})`] };
    },
  },
  ...(
    [
      ['review', 'in_review', 'mark the request as in review'],
      ['approve', 'active', 'show the caller id from now on'],
    ] as const
  ).map(
    ([verb, to, about]): Command => ({
      name: `caller-id ${verb}`,
      usage: 'REQUEST',
      description: about,
      example: `caller-id ${verb} REQUEST`,
      positionals: 1,
      async run(deps, [request]) {
        const result = await decideShownCallerId(deps, request!, to);
        return { result, lines: [`the request is ${result.status.replace('_', ' ')}`] };
      },
    }),
  ),
  {
    name: 'caller-id reject',
    usage: 'REQUEST REASON',
    description: 'reject the request; its numbers are free for another one',
    example: "caller-id reject REQUEST 'the logo is of another company'",
    positionals: 2,
    async run(deps, [request, reason]) {
      const result = await decideShownCallerId(deps, request!, 'rejected', reason!);
      return { result, lines: ['the request is rejected'] };
    },
  },
];

export const REQUEST_COMMANDS: Command[] = [...KYC, ...LIMITS, ...CALLER_IDS];
