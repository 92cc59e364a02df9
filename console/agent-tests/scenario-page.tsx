import { ok } from '@oazapfts/runtime';
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { AgentHead, useAgent } from '../agents/agent-head.tsx';
import { useMay } from '../data/session.ts';
import {
  getAgentsAgentIdTestsScenarioIdRuns as readRuns,
  getAgentsAgentIdTestsScenarioId as readScenario,
  deleteAgentsAgentIdTestsScenarioId as removeScenario,
  postAgentsAgentIdTestsScenarioIdRuns as startRun,
  type TestRun,
  type TestScenario,
} from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { DeleteDialog } from '../ui/delete-dialog.tsx';
import { timeText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { RunForm } from './run-form.tsx';
import { isUnfinished, runStatus } from './run-texts.ts';
import { RunView } from './run-view.tsx';
import './agent-tests.css';

const REFRESH_MS = 2_000;

/** One scenario with its runs, the newest of which is shown until another is chosen. */
export function ScenarioPage() {
  const { agent_id = '', scenario_id = '' } = useRoute().params;
  const { query, path, route } = useLocation();
  const mayEdit = useMay()('agents.edit');
  const queries = useQueryClient();
  const agent = useAgent(agent_id);
  const scenario = useQuery({
    queryKey: ['scenario', agent_id, scenario_id],
    queryFn: ({ signal }) => ok(readScenario(agent_id, scenario_id, {}, { signal })),
  });
  const runs = useQuery({
    queryKey: ['scenario-runs', scenario_id],
    queryFn: ({ signal }) => ok(readRuns(agent_id, scenario_id, {}, { signal })),
    refetchInterval: ({ state }) => (state.data?.some(({ status }) => isUnfinished(status)) ? REFRESH_MS : false),
  });
  const start = async (body: Parameters<typeof startRun>[2]) => {
    await ok(startRun(agent_id, scenario_id, body));
    route(path, true);
    void queries.invalidateQueries({ queryKey: ['scenarios', agent_id] });
    await queries.invalidateQueries({ queryKey: ['scenario-runs', scenario_id] });
  };
  const failed = [agent, scenario, runs].find(({ isError, data }) => isError && !data);
  const shown = runs.data?.find(({ id }) => id === query.run) ?? runs.data?.[0];
  return (
    <main class="wide-page">
      {failed ? (
        <Problem error={failed.error} what={t('the scenario')} onRetry={() => void failed.refetch()} />
      ) : !agent.data || !scenario.data || !runs.data ? (
        <Loading what={t('the scenario')} />
      ) : (
        <>
          <AgentHead agent={agent.data} />
          <div class="page-head">
            <h2 class="scenario-name">{scenario.data.name}</h2>
            {mayEdit && (
              <div class="buttons test-buttons">
                <a class="secondary link-button" href={`${path}/edit`}>
                  {t('Change')}
                </a>
                <RemoveScenario scenario={scenario.data} />
              </div>
            )}
          </div>
          <div class="test-columns">
            <div class="test-side">
              <ScenarioFacts scenario={scenario.data} />
              {mayEdit && (
                <RunForm
                  action={t('Run')}
                  call={(body) => (opts) => startRun(agent_id, scenario_id, body, {}, opts)}
                  run={start}
                />
              )}
              <RunList runs={runs.data} shown={shown?.id} at={path} />
            </div>
            {shown ? (
              <RunView key={shown.id} run={shown} agentName={agent.data.name} />
            ) : (
              <section class="panel">
                <p class="quiet">{t('This scenario was not run yet.')}</p>
              </section>
            )}
          </div>
        </>
      )}
    </main>
  );
}

function ScenarioFacts({ scenario }: { scenario: TestScenario }) {
  const { persona, first_message, criteria, max_turns, language, user_data, tool_results } = scenario;
  const pairs = (record: Record<string, unknown>) =>
    Object.entries(record)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n');
  const facts: [name: string, text: string][] = [
    [t('Caller'), persona],
    [t('What the caller says first'), first_message],
    [t('Criteria'), criteria.map((each) => `– ${each}`).join('\n')],
    [t('Most turns of the caller'), String(max_turns)],
    [t('Language of the caller'), language],
    [t('Values of variables'), pairs(user_data)],
    [t('Results of tools'), pairs(tool_results)],
  ];
  return (
    <section class="panel" aria-labelledby="scenario-title">
      <h2 id="scenario-title">{t('Scenario')}</h2>
      <dl class="scenario-facts">
        {facts
          .filter(([, text]) => text !== '')
          .map(([name, text]) => (
            <div key={name}>
              <dt class="quiet small">{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

function RunList({ runs, shown, at }: { runs: readonly TestRun[]; shown: string | undefined; at: string }) {
  if (runs.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="runs-title">
      <h2 id="runs-title">{t('Runs')}</h2>
      <ol class="rows runs">
        {runs.map(({ id, status, mode, queued_at, agent_version, criteria }) => {
          const { text, tone } = runStatus(status);
          const met = criteria.filter(({ passed }) => passed).length;
          return (
            <li key={id}>
              <div class="row-text">
                <a href={`${at}?run=${id}`} aria-current={id === shown ? 'true' : undefined}>
                  <time dateTime={queued_at}>{timeText(queued_at, Date.now())}</time>
                </a>
                <span class="quiet small">
                  {[
                    mode === 'voice' ? t('Aloud') : t('In text'),
                    t('Version {{version}}', { version: agent_version }),
                    ...(criteria.length > 0
                      ? [
                          tn(
                            '{{met}} of {{count}} criterion met',
                            '{{met}} of {{count}} criteria met',
                            criteria.length,
                            { met },
                          ),
                        ]
                      : []),
                  ].join(' · ')}
                </span>
              </div>
              <span class="chip" data-tone={tone}>
                {text}
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function RemoveScenario({ scenario: { id, agent_id, name } }: { scenario: TestScenario }) {
  const { route } = useLocation();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <button type="button" class="danger" onClick={() => setAsking(true)}>
        {t('Delete')}
      </button>
      {asking && (
        <DeleteDialog
          name={name}
          send={() => ok(removeScenario(agent_id, id))}
          onDeleted={() => {
            void queries.invalidateQueries({ queryKey: ['scenarios', agent_id] });
            toast(t('The scenario is deleted.'));
            route(`/agents/${agent_id}/tests`);
          }}
          onClose={() => setAsking(false)}
        >
          <p>{t('The scenario cannot be brought back, and its runs are not listed any more.')}</p>
        </DeleteDialog>
      )}
    </>
  );
}
