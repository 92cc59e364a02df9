import { unfreezeAgent } from '../agents/frozen-agents.ts';
import { decideAppeal, openAppeals } from '../guardrails/incidents.ts';
import { allRules, type RuleFields, setRule } from '../guardrails/rules.ts';
import {
  type Command,
  checkedText,
  checkWorkspace,
  day,
  definedFields,
  OPERATOR,
  type OperatorDeps,
  OperatorError,
  type Options,
  throwIfRefused,
  wholeNumber,
  writeServiceEvent,
  yesOrNo,
} from './command.ts';
import { tableOf } from './table.ts';

export async function decideAppealAs(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  incident_id: string,
  to: 'upheld' | 'dismissed',
  answer: string,
) {
  checkedText('an answer', answer, 2_000);
  const incident = await sql.begin(async (tx) => {
    const result = await decideAppeal(tx, { incident_id, to, answer, actor: by, at_ms });
    throwIfRefused(result);
    return result;
  });
  return { id: incident.id, workspace_id: incident.workspace_id, agent_id: incident.agent_id, status: incident.status };
}

export async function liftFreeze(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  workspace_id: string,
  agent_id: string,
) {
  await checkWorkspace(sql, workspace_id);
  const lifted = await sql.begin((tx) => unfreezeAgent(tx, { workspace_id, agent_id, actor: by, at_ms }));
  if (!lifted) throw new OperatorError(`no frozen agent ${agent_id} in this workspace`);
  return { workspace_id, agent_id };
}

/** Creates a rule (`id` null) or changes one. */
export async function saveRule(
  { sql, wallMs: at_ms, by = OPERATOR }: OperatorDeps,
  id: string | null,
  fields: Partial<RuleFields>,
) {
  return sql.begin(async (tx) => {
    const result = await setRule(tx, id, fields, at_ms);
    throwIfRefused(result);
    const { before, now } = result;
    const target = { kind: 'guardrail_rule', id: now.id, name: now.name };
    const action = before ? 'guardrail_rule.updated' : 'guardrail_rule.created';
    await writeServiceEvent(tx, { by, action, target, before: before ?? {}, now, at_ms });
    return now;
  });
}

const RULE_OPTIONS = ['name', 'description', 'category', 'severity', 'strikes', 'enabled'] as const;

const fieldsOf = (options: Options) =>
  definedFields({
    name: options.name,
    description: options.description,
    category: options.category,
    severity: options.severity,
    strikes: wholeNumber('--strikes', options.strikes),
    enabled: yesOrNo('enabled', options.enabled),
  }) as Partial<RuleFields>;

const APPEALS: Command[] = [
  {
    name: 'appeal list',
    reads: true,
    usage: '',
    description: 'list open appeals against guardrail incidents',
    example: 'appeal list',
    positionals: 0,
    async run({ sql }) {
      const rows = await openAppeals(sql);
      const lines = tableOf(rows, 'no open appeals', {
        incident: ({ id }) => id,
        appealed: ({ appealed_at }) => day(appealed_at),
        rule: ({ rule_name }) => rule_name,
        agent: ({ agent_name }) => agent_name,
        action: ({ action }) => action,
        appeal: ({ appeal_text }) => appeal_text,
      });
      return { result: rows, lines };
    },
  },
  ...(
    [
      ['uphold', 'upheld', 'reject the appeal', 'the agent did threaten the caller'],
      [
        'dismiss',
        'dismissed',
        'accept the appeal: the strike is removed, and the agent is unfrozen',
        'the caller said it',
      ],
    ] as const
  ).map(
    ([verb, to, about, answer]): Command => ({
      name: `appeal ${verb}`,
      usage: 'INCIDENT ANSWER',
      description: about,
      example: `appeal ${verb} INCIDENT '${answer}'`,
      positionals: 2,
      async run(deps, [incident, answer]) {
        return { result: await decideAppealAs(deps, incident!, to, answer!), lines: [`the incident is ${to}`] };
      },
    }),
  ),
  {
    name: 'agent unfreeze',
    usage: 'WORKSPACE AGENT',
    description: 'unfreeze an agent without an appeal',
    example: 'agent unfreeze WORKSPACE AGENT',
    positionals: 2,
    async run(deps, [workspace, agent]) {
      return { result: await liftFreeze(deps, workspace!, agent!), lines: ['the agent is unfrozen'] };
    },
  },
];

const RULES: Command[] = [
  {
    name: 'rule list',
    reads: true,
    usage: '',
    description: 'list the guardrail rules',
    example: 'rule list',
    positionals: 0,
    async run({ sql }) {
      const rows = await allRules(sql);
      const lines = tableOf(rows, 'no rules', {
        rule: ({ id }) => id,
        state: ({ enabled }) => (enabled ? 'on' : 'off'),
        severity: ({ severity }) => severity,
        category: ({ category }) => category,
        strikes: ({ strikes }) => strikes,
        name: ({ name }) => name,
      });
      return { result: rows, lines };
    },
  },
  {
    name: 'rule add',
    usage: 'NAME --description TEXT [--category C] [--severity violation|warning] [--strikes N] [--enabled yes|no]',
    description: 'create a rule for all workspaces; N violations within 30 days freeze an agent, 0: never',
    example: "rule add 'No threats' --description 'The agent never threatens the caller.' --category abuse --strikes 3",
    positionals: 1,
    options: RULE_OPTIONS.slice(1),
    async run(deps, [name], options) {
      const rule = await saveRule(deps, null, { ...fieldsOf(options), name: name! });
      return { result: rule, lines: [`rule  ${rule.id}`] };
    },
  },
  {
    name: 'rule set',
    usage: 'RULE [--name TEXT] [the options of rule add]',
    description: 'change the given fields of a rule',
    example: 'rule set RULE --enabled no',
    positionals: 1,
    options: RULE_OPTIONS,
    async run(deps, [id], options) {
      return { result: await saveRule(deps, id!, fieldsOf(options)), lines: ['the rule is changed'] };
    },
  },
];

export const GUARDRAIL_COMMANDS: Command[] = [...APPEALS, ...RULES];
