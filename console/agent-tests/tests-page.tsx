import { ok } from '@oazapfts/runtime';
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { AgentHead, useAgent } from '../agents/agent-head.tsx';
import { useMay } from '../data/session.ts';
import {
  getAgentsAgentIdTests as readScenarios,
  postAgentsAgentIdTestsRunAll as runAll,
  type TestScenario,
} from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { timeText } from '../ui/format.ts';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { RunForm } from './run-form.tsx';
import { isUnfinished, runStatus, verdictsOf } from './run-texts.ts';
import { Suggestions } from './suggestions.tsx';
import './agent-tests.css';

const REFRESH_MS = 3_000;

/** The test scenarios of an agent with their last verdicts; all are run from here. */
export function TestsPage() {
  const { agent_id = '' } = useRoute().params;
  const mayEdit = useMay()('agents.edit');
  const queries = useQueryClient();
  const [suggesting, setSuggesting] = useState(false);
  const agent = useAgent(agent_id);
  const scenarios = useQuery({
    queryKey: ['scenarios', agent_id],
    queryFn: ({ signal }) => ok(readScenarios(agent_id, {}, { signal })),
    refetchInterval: ({ state }) =>
      state.data?.some(({ last_run }) => last_run && isUnfinished(last_run.status)) ? REFRESH_MS : false,
  });
  const failed = [agent, scenarios].find(({ isError, data }) => isError && !data);
  const start = async (body: Parameters<typeof runAll>[1]) => {
    const { runs } = await ok(runAll(agent_id, body));
    toast(tn('{{count}} test runs now.', '{{count}} tests run now.', runs.length));
    await queries.invalidateQueries({ queryKey: ['scenarios', agent_id] });
  };
  return (
    <main class="wide-page">
      {failed ? (
        <Problem error={failed.error} what={t('the tests')} onRetry={() => void failed.refetch()} />
      ) : !agent.data || !scenarios.data ? (
        <Loading what={t('the tests')} />
      ) : (
        <>
          <AgentHead agent={agent.data} />
          <div class="page-head">
            <Verdicts scenarios={scenarios.data} />
            {mayEdit && (
              <div class="buttons test-buttons">
                <button type="button" class="secondary" onClick={() => setSuggesting(true)}>
                  {t('Suggest scenarios')}
                </button>
                <a class="secondary link-button" href={`/agents/${agent_id}/tests/new`}>
                  {t('New scenario')}
                </a>
              </div>
            )}
          </div>
          {scenarios.data.length === 0 ? (
            <Nothing title={t('There are no test scenarios yet.')}>
              {t('A scenario is a simulated caller, and what must be true of the conversation with the agent.')}
            </Nothing>
          ) : (
            <>
              {mayEdit && (
                <RunForm
                  action={t('Run all')}
                  call={(body) => (opts) => runAll(agent_id, body, {}, opts)}
                  run={start}
                />
              )}
              <ScenarioTable agentId={agent_id} scenarios={scenarios.data} />
            </>
          )}
          {suggesting && <Suggestions agentId={agent_id} onClose={() => setSuggesting(false)} />}
        </>
      )}
    </main>
  );
}

function Verdicts({ scenarios }: { scenarios: readonly TestScenario[] }) {
  const { passed, failed, unfinished } = verdictsOf(scenarios);
  const texts = [
    tn('{{count}} scenario', '{{count}} scenarios', scenarios.length),
    ...(passed > 0 ? [tn('{{count}} passed', '{{count}} passed', passed)] : []),
    ...(failed > 0 ? [tn('{{count}} without success', '{{count}} without success', failed)] : []),
    ...(unfinished > 0 ? [tn('{{count}} to go', '{{count}} to go', unfinished)] : []),
  ];
  return (
    <p class="quiet" role="status">
      {texts.join(' · ')}
    </p>
  );
}

function ScenarioTable({ agentId, scenarios }: { agentId: string; scenarios: readonly TestScenario[] }) {
  return (
    <ul class="rows scenarios" aria-label={t('Scenarios')}>
      {scenarios.map(({ id, name, persona, criteria, last_run }) => (
        <li key={id}>
          <div class="row-text">
            <a href={`/agents/${agentId}/tests/${id}`}>{name}</a>
            <span class="quiet small one-line">{persona}</span>
          </div>
          <span class="quiet small scenario-criteria">
            {tn('{{count}} criterion', '{{count}} criteria', criteria.length)}
          </span>
          <span class="scenario-run">
            <StatusChip run={last_run} />
            {last_run?.finished_at && (
              <time class="quiet small" dateTime={last_run.finished_at}>
                {timeText(last_run.finished_at, Date.now())}
              </time>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

function StatusChip({ run }: { run: TestScenario['last_run'] }) {
  if (!run) return <span class="chip">{t('Not run yet')}</span>;
  const { text, tone } = runStatus(run.status);
  return (
    <span class="chip" data-tone={tone}>
      {text}
    </span>
  );
}
