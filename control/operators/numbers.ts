import { CARRIER_NAMES, type CarrierName } from '../../shared/carriers/registry.ts';
import { maskNumber } from '../../shared/phone.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { addNumber, connectNumber, type OnWritten } from '../numbers/connect-number.ts';
import { type Command, checkWorkspace, OPERATOR, type OperatorDeps, OperatorError, requiredOption } from './command.ts';

export interface AddedNumber {
  workspace_id: string;
  number: string;
  provider: CarrierName;
  agent_id?: string | undefined;
}

/** Masks the number: phone numbers do not belong in the audit trail. */
const audit =
  (action: string, number: string, data: Record<string, string>, at_ms: number): OnWritten =>
  async (tx, workspace_id) =>
    writeAudit(tx, {
      workspace_id,
      actor: OPERATOR,
      action,
      target: { kind: 'number', id: maskNumber(number), name: maskNumber(number) },
      data,
      at_ms,
    });

export async function addPhoneNumber({ sql, wallMs }: OperatorDeps, added: AddedNumber): Promise<AddedNumber> {
  await checkWorkspace(sql, added.workspace_id);
  const { number, provider, agent_id = '' } = added;
  const refusal = await addNumber(sql, wallMs, added, audit('number.added', number, { provider, agent_id }, wallMs));
  if (refusal !== null) throw new OperatorError(refusal);
  return added;
}

export async function connectPhoneNumber({ sql, wallMs }: OperatorDeps, number: string, agentId: string) {
  const onWritten = audit('number.connected', number, { agent_id: agentId }, wallMs);
  const refusal = await connectNumber(sql, wallMs, number, agentId, onWritten);
  if (refusal !== null) throw new OperatorError(refusal);
  return { number, agent_id: agentId };
}

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
      return { result, lines: [`${number} is added${options.agent ? ' and connected' : ''}`] };
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
];
