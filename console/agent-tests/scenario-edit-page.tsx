import { ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useLocation, useRoute } from 'preact-iso';
import { AgentHead, useAgent } from '../agents/agent-head.tsx';
import { formProblemText } from '../data/problem-text.ts';
import {
  type Agent,
  putAgentsAgentIdTestsScenarioId as changeScenario,
  postAgentsAgentIdTests as makeScenario,
  getAgentsAgentIdTestsScenarioId as readScenario,
  type TestScenario,
} from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';
import { NumberField, TextArea, TextField } from '../ui/fields.tsx';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { Loading, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { useForm } from '../ui/use-form.ts';
import { PairRows } from './pair-rows.tsx';
import { criterionErrors, draftOf, emptyScenario, MAX_CRITERIA, valuesOf } from './scenario-values.ts';
import './agent-tests.css';

/** Makes a scenario, or changes one. */
export function ScenarioEditPage() {
  const { agent_id = '', scenario_id = '' } = useRoute().params;
  const agent = useAgent(agent_id);
  const scenario = useQuery({
    queryKey: ['scenario', agent_id, scenario_id],
    queryFn: ({ signal }) => ok(readScenario(agent_id, scenario_id, {}, { signal })),
    enabled: scenario_id !== '',
    // What is written in the form is not replaced.
    refetchOnWindowFocus: false,
  });
  const failed = [agent, scenario].find(({ isError, data }) => isError && !data);
  const ready = agent.data && (scenario_id === '' || scenario.data);
  return (
    <main class="wide-page">
      {failed ? (
        <Problem error={failed.error} what={t('the scenario')} onRetry={() => void failed.refetch()} />
      ) : !ready ? (
        <Loading what={t('the scenario')} />
      ) : (
        <>
          <AgentHead agent={agent.data!} />
          <h2>{scenario.data ? t('Change the scenario') : t('New scenario')}</h2>
          <ScenarioForm agent={agent.data!} scenario={scenario.data ?? null} />
        </>
      )}
    </main>
  );
}

function ScenarioForm({ agent, scenario }: { agent: Agent; scenario: TestScenario | null }) {
  const { route } = useLocation();
  const queries = useQueryClient();
  const form = useForm(scenario ? valuesOf(scenario, agent.variables) : emptyScenario(agent.variables));
  const { values, set, errors } = form;
  const body = () => draftOf(values, scenario?.user_data);
  const save = useMutation({
    mutationFn: () =>
      scenario ? ok(changeScenario(agent.id, scenario.id, body())) : ok(makeScenario(agent.id, body())),
    onSuccess: (saved) => {
      // Nothing is unsaved any more when the page is left.
      form.reset(values);
      queries.setQueryData(['scenario', agent.id, saved.id], saved);
      void queries.invalidateQueries({ queryKey: ['scenarios', agent.id] });
      toast(t('The scenario is saved.'));
      route(`/agents/${agent.id}/tests/${saved.id}`);
    },
    onError: form.showErrors,
  });
  const criteria = criterionErrors(errors, values.criteria);
  return (
    <form
      class="form scenario-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!save.isPending) save.mutate();
      }}
    >
      <LeaveGuard changed={form.changed} />
      <TextField
        label={t('Name')}
        value={values.name}
        onChange={(value) => set('name', value)}
        maxLength={120}
        error={errors.name}
      />
      <TextArea
        label={t('Caller')}
        hint={t('Who calls, and what they want. The simulated caller follows it.')}
        rows={5}
        maxLength={4_000}
        value={values.persona}
        onChange={(value) => set('persona', value)}
        error={errors.persona}
      />
      <TextField
        label={t('What the caller says first')}
        hint={t('Left empty: the caller waits for the agent.')}
        maxLength={500}
        value={values.first_message}
        onChange={(value) => set('first_message', value)}
        error={errors.first_message}
      />
      <fieldset class="row-fields">
        <legend>{t('Criteria')}</legend>
        <p class="quiet hint">{t('What must be true of the conversation. A run passes when all are met.')}</p>
        {values.criteria.map((each, at) => (
          <div key={at} class="row-field">
            <TextField
              label={t('Criterion {{number}}', { number: at + 1 })}
              value={each}
              maxLength={500}
              onChange={(value) => set('criteria', values.criteria.with(at, value))}
              error={criteria[at] || undefined}
            />
            {values.criteria.length > 1 && (
              <button
                type="button"
                class="plain"
                aria-label={t('Remove criterion {{number}}', { number: at + 1 })}
                onClick={() => set('criteria', values.criteria.toSpliced(at, 1))}
              >
                {t('Remove')}
              </button>
            )}
          </div>
        ))}
        {errors.criteria && <p class="error">{errors.criteria}</p>}
        {values.criteria.length < MAX_CRITERIA && (
          <button type="button" class="secondary" onClick={() => set('criteria', [...values.criteria, ''])}>
            {t('Add a criterion')}
          </button>
        )}
      </fieldset>
      <div class="form-row">
        <NumberField
          label={t('Most turns of the caller')}
          hint={t('The conversation ends after so many.')}
          min={2}
          max={40}
          step={1}
          value={values.max_turns}
          onChange={(value) => set('max_turns', value)}
          error={errors.max_turns}
        />
        <TextField
          label={t('Language of the caller')}
          hint={t('Such as hi or en-IN. Left empty: that of the agent.')}
          value={values.language}
          onChange={(value) => set('language', value)}
          error={errors.language}
        />
      </div>
      <PairRows
        legend={t('Values of variables')}
        hint={t('What the agent knows of this caller: values for the variables of its welcome message and prompt.')}
        nameLabel={t('Variable')}
        valueLabel={t('Value')}
        addLabel={t('Add a value')}
        pairs={values.user_data}
        onChange={(pairs) => set('user_data', pairs)}
        error={firstError(errors, 'user_data')}
      />
      <PairRows
        legend={t('Results of tools')}
        hint={t(
          'What the model receives when it calls a tool; no request is sent. Tools that are not named here answer ok. With a result for transfer_call the caller comes back to the agent.',
        )}
        nameLabel={t('Tool')}
        valueLabel={t('Result')}
        addLabel={t('Add a result')}
        long
        names={agent.tools.map(({ name }) => name)}
        pairs={values.tool_results}
        onChange={(pairs) => set('tool_results', pairs)}
        error={firstError(errors, 'tool_results')}
      />
      <p class="error" role="alert">
        {formProblemText(save.error)}
      </p>
      <div class="buttons">
        <button type="submit" class="primary" aria-disabled={save.isPending}>
          {save.isPending ? t('One moment…') : t('Save the scenario')}
        </button>
        <a
          class="secondary link-button"
          href={scenario ? `/agents/${agent.id}/tests/${scenario.id}` : `/agents/${agent.id}/tests`}
        >
          {t('Cancel')}
        </a>
        <CopyCurl
          call={(opts) =>
            scenario
              ? changeScenario(agent.id, scenario.id, body(), {}, opts)
              : makeScenario(agent.id, body(), {}, opts)
          }
        />
      </div>
    </form>
  );
}

/** What is wrong with a field or anything in it. */
const firstError = (errors: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.entries(errors).find(([path]) => path === name || path.startsWith(`${name}.`))?.[1];
