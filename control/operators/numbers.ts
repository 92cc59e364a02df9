import type { AuditAction } from '../../shared/audit-actions.ts';
import { CARRIER_NAMES, type CarrierName } from '../../shared/carriers/registry.ts';
import { maskNumber } from '../../shared/phone.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { type FindingKind, readAudit } from '../numbers/audit-store.ts';
import { addNumber, connectNumber, type OnWritten } from '../numbers/connect-number.ts';
import { missingAccount } from './carrier-accounts.ts';
import {
  type Command,
  checkWorkspace,
  day,
  OPERATOR,
  type OperatorDeps,
  OperatorError,
  requiredOption,
} from './command.ts';
import { tableOf } from './table.ts';

export interface AddedNumber {
  workspace_id: string;
  number: string;
  provider: CarrierName;
  agent_id?: string | undefined;
}

/** Masks the number: phone numbers do not belong in the audit trail. */
const audit =
  (
    { wallMs: at_ms, by = OPERATOR }: OperatorDeps,
    action: AuditAction,
    number: string,
    data: Record<string, string>,
  ): OnWritten =>
  async (tx, workspace_id) =>
    writeAudit(tx, {
      workspace_id,
      actor: by,
      action,
      target: { kind: 'number', id: maskNumber(number), name: maskNumber(number) },
      data,
      at_ms,
    });

export async function addPhoneNumber(deps: OperatorDeps, added: AddedNumber): Promise<AddedNumber> {
  const { sql, wallMs } = deps;
  await checkWorkspace(sql, added.workspace_id);
  const { number, provider, agent_id = '' } = added;
  const refusal = await addNumber(sql, wallMs, added, audit(deps, 'number.added', number, { provider, agent_id }));
  if (refusal !== null) throw new OperatorError(refusal);
  return added;
}

export async function connectPhoneNumber(deps: OperatorDeps, number: string, agentId: string) {
  const { sql, wallMs } = deps;
  const onWritten = audit(deps, 'number.connected', number, { agent_id: agentId });
  const refusal = await connectNumber(sql, wallMs, number, agentId, onWritten);
  if (refusal !== null) throw new OperatorError(refusal);
  return { number, agent_id: agentId };
}

const MEANINGS: Record<FindingKind, string> = {
  unknown: 'paid for at the carrier, unknown here',
  not_released: 'given up here, still at the carrier',
  gone: 'a workspace has it, gone at the carrier',
};

export const NUMBER_COMMANDS: Command[] = [
  {
    name: 'number add',
    usage: 'NUMBER --workspace ID --provider CARRIER [--agent ID]',
    description: `add a number of the account with ${CARRIER_NAMES.slice(0, -1).join(', ')} or ${CARRIER_NAMES.at(-1)}; --agent connects it`,
    example: 'number add +911140000002 --workspace WORKSPACE --provider twilio --agent AGENT',
    positionals: 1,
    options: ['workspace', 'provider', 'agent'],
    async run(deps, [number], options) {
      const provider = requiredOption('provider', options.provider) as CarrierName;
      if (!CARRIER_NAMES.includes(provider))
        throw new OperatorError(`--provider is one of ${CARRIER_NAMES.join(', ')}`);
      const workspace_id = requiredOption('workspace', options.workspace);
      const result = await addPhoneNumber(deps, { workspace_id, number: number!, provider, agent_id: options.agent });
      const warnings = deps.hasAccount?.(provider) === false ? [missingAccount(provider)] : [];
      const lines = [`${number} is added${options.agent ? ' and connected' : ''}`, ...warnings];
      return { result: { ...result, warnings }, lines };
    },
  },
  {
    name: 'number connect',
    usage: 'NUMBER --agent ID',
    description: 'connect a number to an agent',
    example: 'number connect +911140000002 --agent AGENT',
    positionals: 1,
    options: ['agent'],
    async run(deps, [number], options) {
      const result = await connectPhoneNumber(deps, number!, requiredOption('agent', options.agent));
      return { result, lines: [`${number} is connected to agent ${result.agent_id}`] };
    },
  },
  {
    name: 'number audit',
    reads: true,
    usage: '',
    description: 'list numbers that are not the same here and at their carrier, and orders that wait for a carrier',
    example: 'number audit',
    positionals: 0,
    async run({ sql }) {
      const audit = await readAudit(sql);
      const lines = [
        ...tableOf(audit.carriers, 'no carrier has been compared yet', {
          carrier: ({ provider }) => provider,
          compared: ({ finished_at }) => day(finished_at),
          error: ({ error }) => error,
        }),
        '',
        ...tableOf(audit.findings, 'all numbers are the same here and at their carriers', {
          number: ({ number }) => number,
          carrier: ({ provider }) => provider,
          finding: ({ kind }) => MEANINGS[kind],
          workspace: ({ workspace_id }) => workspace_id,
          found: ({ found_at }) => day(found_at),
        }),
        '',
        ...tableOf(audit.orders, 'no order waits for its carrier', {
          number: ({ number }) => number,
          carrier: ({ provider }) => provider,
          order: ({ state }) => state,
          workspace: ({ workspace_id }) => workspace_id,
          since: ({ since }) => day(since),
          reason: ({ reason }) => reason,
        }),
      ];
      return { result: audit, lines };
    },
  },
];
