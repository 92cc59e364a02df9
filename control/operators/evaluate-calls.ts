import { writeFileSync } from 'node:fs';
import { ID_PATTERN } from '../../shared/ids.ts';
import type { ModelRun } from '../analysis/analyst.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { type Command, checkWorkspace, OPERATOR, type OperatorDeps, OperatorError, wholeNumber } from './command.ts';
import { answersOf, figuresOf } from './evaluation/figures.ts';
import { judgeCalls, openJudge, readCriteria } from './evaluation/judge-calls.ts';
import { type EvaluatedSet, readCalls } from './evaluation/read-calls.ts';
import { type Evaluation, reportPage } from './evaluation/report-page.ts';
import { rowsOf } from './evaluation/rows.ts';
import { tableOf } from './table.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 7;
const MAX_DAYS = 366;
const DEFAULT_CALLS = 500;
const MAX_CALLS = 5_000;

/** Reads finished calls, and counts how they went. With criteria, a model judges each call. */
export async function evaluateCalls(
  { sql, wallMs: at_ms, by = OPERATOR, onProgress }: OperatorDeps,
  set: EvaluatedSet,
  judging: { run: ModelRun; criteria: readonly string[] } | null = null,
): Promise<{ evaluation: Evaluation; page: string }> {
  const { workspace_id, agent_id } = set;
  await checkWorkspace(sql, workspace_id);
  if (agent_id !== null && !ID_PATTERN.test(agent_id)) throw new OperatorError(`${agent_id} is not an agent's id`);
  const calls = await readCalls(sql, set);
  const judged = judging && (await judgeCalls(judging.run, judging.criteria, calls, onProgress));
  const numbers = agent_id === null ? [] : [...new Set(calls.map((call) => call.agent_version))].sort((a, b) => b - a);
  const evaluation: Evaluation = {
    ...set,
    all: figuresOf(calls),
    versions: numbers.map((version) => {
      return { version, figures: figuresOf(calls.filter((call) => call.agent_version === version)) };
    }),
    judged,
  };
  const target = { kind: 'workspace', id: workspace_id, name: '' };
  const data = { calls: calls.length, judged: judged !== null, ...(agent_id === null ? {} : { agent_id }) };
  await writeAudit(sql, { workspace_id, actor: by, action: 'calls.evaluated', target, data, at_ms });
  const answers = calls.flatMap(({ events }) => answersOf(events));
  const latencies = {
    felt: answers.map(({ felt_ms }) => felt_ms),
    engine: answers.flatMap(({ engine_ms }) => engine_ms ?? []),
  };
  return { evaluation, page: reportPage(evaluation, latencies) };
}

function linesOf({ all, versions, judged }: Evaluation): string[] {
  const sets = [
    { name: 'all', figures: all },
    ...versions.map(({ version, figures }) => ({ name: `version ${version}`, figures })),
  ];
  const rows = rowsOf(sets.map(({ figures }) => figures));
  const columns = sets.map(({ name }, at) => [name, (row: (typeof rows)[number]) => row.cells[at]] as const);
  const figures = tableOf(rows, '', { 'of answered calls': ({ name }) => name, ...Object.fromEntries(columns) });
  if (!judged) return figures;
  const criteria = tableOf(judged.criteria, '', {
    met: ({ passed, of }) => `${passed} of ${of}`,
    criterion: ({ text }) => text,
  });
  return [...figures, '', ...criteria, ...(judged.failed > 0 ? [`${judged.failed} calls could not be judged`] : [])];
}

export const EVALUATION_COMMANDS: readonly Command[] = [
  {
    name: 'call evaluate',
    usage: 'WORKSPACE [--agent AGENT] [--days COUNT] [--until TIME] [--max COUNT] [--criteria FILE] [--to FILE]',
    description:
      'count how finished calls went: latency, talk-over, missed and false interruptions, silences; with --criteria a model (AGENT_TEST_MODEL) judges each call by every line of the file; --to writes the report as a page',
    example: 'call evaluate WORKSPACE --agent AGENT --days 7 --to report.html',
    positionals: 1,
    options: ['agent', 'days', 'until', 'max', 'criteria', 'to'],
    async run(deps, [workspace], { agent, days, until: end, max, criteria, to }) {
      const until = end === undefined ? new Date(deps.wallMs) : new Date(end);
      if (Number.isNaN(until.getTime())) throw new OperatorError('--until is a time like 2026-11-29T00:00:00Z');
      const count = between('--days', days, DEFAULT_DAYS, MAX_DAYS);
      const set: EvaluatedSet = {
        ...{ workspace_id: workspace!, agent_id: agent ?? null, until },
        since: new Date(until.getTime() - count * DAY_MS),
        max: between('--max', max, DEFAULT_CALLS, MAX_CALLS),
      };
      const judging = criteria === undefined ? null : { criteria: readCriteria(criteria), run: openJudge() };
      const { evaluation, page } = await evaluateCalls(deps, set, judging);
      if (to !== undefined) writeFileSync(to, page);
      return {
        result: evaluation,
        lines: [...linesOf(evaluation), ...(to === undefined ? [] : ['', `written to ${to}`])],
      };
    },
  },
];

function between(name: string, text: string | undefined, usual: number, most: number): number {
  const number = wholeNumber(name, text) ?? usual;
  if (number < 1 || number > most) throw new OperatorError(`${name} is from 1 to ${most}`);
  return number;
}
