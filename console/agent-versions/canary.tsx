import { HttpError, ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { changeProblemText } from '../data/problem-text.ts';
import { useMay } from '../data/session.ts';
import {
  type AgentCanary,
  deleteAgentsAgentIdCanary as dropCanary,
  postAgentsAgentIdCanaryPromote as promoteCanary,
  getAgentsAgentIdCanary as readCanary,
  putAgentsAgentIdCanary as setCanary,
} from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { NumberField, SelectField } from '../ui/fields.tsx';
import { timeText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { CanaryFigures } from './canary-figures.tsx';

/** Calls go on while one looks. */
const REFRESH_MS = 60_000;
const USUAL_PERCENT = 10;

interface CanaryProps {
  agentId: string;
  /** The version in use. */
  current: number;
  /** Those that are stored, newest first. */
  numbers: readonly number[];
}

const canaryKey = (agentId: string) => ['agent-canary', agentId];

/** Null without one. */
async function canaryOf(agentId: string, signal: AbortSignal): Promise<AgentCanary | null> {
  try {
    return await ok(readCanary(agentId, {}, { signal }));
  } catch (error) {
    if (error instanceof HttpError && error.status === 404) return null;
    throw error;
  }
}

/** The agent's canary; null without one. */
export const useCanary = (agentId: string) =>
  useQuery({
    queryKey: canaryKey(agentId),
    queryFn: ({ signal }) => canaryOf(agentId, signal),
    refetchInterval: REFRESH_MS,
  });

/** The version that a share of the agent's new calls uses, how its calls go beside the others, and the ways to end it. */
export function Canary({ agentId, current, numbers }: CanaryProps) {
  const mayEdit = useMay()('agents.edit');
  const canary = useCanary(agentId);
  return (
    <section class="panel" aria-labelledby="canary-title">
      <h2 id="canary-title">{t('Canary')}</h2>
      <p class="quiet">
        {t(
          'A share of the new calls can go to another version, so that its figures can be compared before all use it.',
        )}
      </p>
      {canary.isError ? (
        <Problem error={canary.error} what={t('the canary')} onRetry={() => void canary.refetch()} />
      ) : canary.data === undefined ? (
        <Loading what={t('the canary')} />
      ) : canary.data ? (
        <Running agentId={agentId} canary={canary.data} mayEdit={mayEdit} />
      ) : (
        <>
          <p>{t('All new calls use version {{version}}.', { version: current })}</p>
          {mayEdit && <NewCanary agentId={agentId} numbers={numbers.filter((each) => each !== current)} />}
        </>
      )}
    </section>
  );
}

function useRefresh(agentId: string) {
  const queries = useQueryClient();
  return () => {
    for (const queryKey of [canaryKey(agentId), ['agent', agentId], ['agent-versions', agentId], ['agents']]) {
      void queries.invalidateQueries({ queryKey });
    }
  };
}

function NewCanary({ agentId, numbers }: { agentId: string; numbers: readonly number[] }) {
  const [version, setVersion] = useState(numbers[0]);
  if (version === undefined) {
    return (
      <p class="quiet">{t('Change the settings and save them for a share of the calls. Then they can begin here.')}</p>
    );
  }
  return (
    <ShareForm agentId={agentId} version={version} percent={USUAL_PERCENT} action={t('Start the canary')}>
      <SelectField
        label={t('Version of the canary')}
        value={String(version)}
        onChange={(next) => setVersion(Number(next))}
        options={numbers.map((each) => ({ value: String(each), label: String(each) }))}
      />
    </ShareForm>
  );
}

interface ShareFormProps {
  agentId: string;
  version: number;
  percent: number;
  action: string;
  children?: ComponentChildren;
}

function ShareForm({ agentId, version, percent: before, action, children }: ShareFormProps) {
  const refresh = useRefresh(agentId);
  const [percent, setPercent] = useState<number | null>(before);
  const body = () => ({ version, percent: percent ?? before });
  const set = useMutation({
    mutationFn: () => ok(setCanary(agentId, body())),
    onSuccess: (canary) => {
      refresh();
      toast(t('{{percent}} % of the new calls use version {{version}}.', { ...canary }));
    },
  });
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!set.isPending) set.mutate();
      }}
    >
      <div class="new-share">
        {children}
        <NumberField
          label={t('Share of the new calls')}
          unit="%"
          min={1}
          max={99}
          step={1}
          value={percent}
          onChange={setPercent}
        />
        <button type="submit" class="secondary" aria-disabled={set.isPending}>
          {set.isPending ? t('One moment…') : action}
        </button>
        <CopyCurl call={(opts) => setCanary(agentId, body(), {}, opts)} />
      </div>
      <p class="error" role="alert">
        {set.isError && changeProblemText(set.error)}
      </p>
    </form>
  );
}

interface RunningProps {
  agentId: string;
  canary: AgentCanary;
  mayEdit: boolean;
}

function Running({ agentId, canary, mayEdit }: RunningProps) {
  const { version, percent, started_at, started_by } = canary;
  const [asking, setAsking] = useState<'promote' | 'drop' | null>(null);
  return (
    <>
      <p>
        <strong>{t('{{percent}} % of the new calls use version {{version}}.', { percent, version })}</strong>{' '}
        <span class="quiet">
          {t('started by {{name}} on {{time}}', { name: started_by, time: timeText(started_at, Date.now()) })}
        </span>
      </p>
      <CanaryFigures canary={canary} />
      {mayEdit && (
        <>
          <ShareForm
            key={percent}
            agentId={agentId}
            version={version}
            percent={percent}
            action={t('Change the share')}
          />
          <div class="new-share">
            <button type="button" class="primary" onClick={() => setAsking('promote')}>
              {t('Use it for all calls')}
            </button>
            <button type="button" class="secondary" onClick={() => setAsking('drop')}>
              {t('End the canary')}
            </button>
          </div>
        </>
      )}
      {asking && <EndDialog agentId={agentId} version={version} by={asking} onClose={() => setAsking(null)} />}
    </>
  );
}

interface EndDialogProps {
  agentId: string;
  version: number;
  by: 'promote' | 'drop';
  onClose: () => void;
}

function EndDialog({ agentId, version, by, onClose }: EndDialogProps) {
  const refresh = useRefresh(agentId);
  const promotes = by === 'promote';
  const end = useMutation({
    mutationFn: async () => {
      await (promotes ? ok(promoteCanary(agentId)) : ok(dropCanary(agentId)));
    },
    onSuccess: () => {
      onClose();
      refresh();
      toast(promotes ? t('All new calls use the canary’s settings.') : t('The canary has ended.'));
    },
  });
  return (
    <ConfirmDialog
      title={promotes ? t('Use version {{version}} for all calls?', { version }) : t('End the canary?')}
      action={promotes ? t('Use it for all calls') : t('End the canary')}
      busy={end.isPending}
      error={end.isError ? changeProblemText(end.error) : undefined}
      onConfirm={() => end.mutate()}
      onClose={onClose}
    >
      <p>
        {promotes
          ? t('Its settings are saved as a new version. Calls that begin from then on use them.')
          : t('Calls that begin from then on use the version in use. Its figures are not shown any more.')}
      </p>
    </ConfirmDialog>
  );
}
