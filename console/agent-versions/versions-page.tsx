import { ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { AgentHead, useAgent } from '../agents/agent-head.tsx';
import { changeProblemText } from '../data/problem-text.ts';
import { useMay } from '../data/session.ts';
import {
  type AgentVersion,
  getAgentsAgentIdVersions as readVersions,
  postAgentsAgentIdVersionsVersionRestore as restoreVersion,
} from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { timeText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { Canary, useCanary } from './canary.tsx';
import { comparedIn } from './difference.ts';
import { fieldName } from './field-names.ts';
import { Shares } from './shares.tsx';
import { VersionDifference } from './version-difference.tsx';
import './versions.css';

/** The versions of an agent: who changed what and when, the difference of two, back to an earlier one, and a share of the calls for another; and its shared links. */
export function VersionsPage() {
  const { agent_id = '' } = useRoute().params;
  const { query, path, route } = useLocation();
  const agent = useAgent(agent_id);
  const versions = useQuery({
    queryKey: ['agent-versions', agent_id],
    queryFn: ({ signal }) => ok(readVersions(agent_id, {}, { signal })),
  });
  const numbers = versions.data?.map(({ version }) => version) ?? [];
  const compared = comparedIn(query, numbers);
  const compare = (from: number, to: number) => route(`${path}?from=${from}&to=${to}`, true);
  const failed = agent.isError ? agent : versions.isError ? versions : null;
  return (
    <main class="wide-page">
      {failed ? (
        <Problem error={failed.error} what={t('the versions')} onRetry={() => void failed.refetch()} />
      ) : !agent.data || !versions.data ? (
        <Loading what={t('the versions')} />
      ) : (
        <>
          <AgentHead agent={agent.data} />
          <div class="version-columns">
            <VersionList agentId={agent_id} versions={versions.data} shown={compared?.to ?? null} />
            <section class="panel" aria-labelledby="difference-title">
              <h2 id="difference-title">{t('What is different')}</h2>
              {numbers.length < 2 ? (
                <p class="quiet">{t('When the agent is changed and saved, what changed is shown here.')}</p>
              ) : (
                <>
                  <ComparedVersions
                    numbers={numbers}
                    from={compared?.from ?? numbers[1]!}
                    to={compared?.to ?? numbers[0]!}
                    onChange={compare}
                  />
                  <VersionDifference
                    agentId={agent_id}
                    from={compared?.from ?? numbers[1]!}
                    to={compared?.to ?? numbers[0]!}
                  />
                </>
              )}
            </section>
          </div>
          <Canary agentId={agent_id} current={agent.data.version} numbers={numbers} />
          <Shares agent={agent.data} />
        </>
      )}
    </main>
  );
}

interface ComparedVersionsProps {
  numbers: readonly number[];
  from: number;
  to: number;
  onChange: (from: number, to: number) => void;
}

function ComparedVersions({ numbers, from, to, onChange }: ComparedVersionsProps) {
  return (
    <div class="filters">
      <VersionChoice
        name={t('From version')}
        numbers={numbers}
        value={from}
        not={to}
        onChange={(next) => onChange(next, to)}
      />
      <VersionChoice
        name={t('To version')}
        numbers={numbers}
        value={to}
        not={from}
        onChange={(next) => onChange(from, next)}
      />
    </div>
  );
}

interface VersionChoiceProps {
  name: string;
  numbers: readonly number[];
  value: number;
  /** The other one. */
  not: number;
  onChange: (version: number) => void;
}

function VersionChoice({ name, numbers, value, not, onChange }: VersionChoiceProps) {
  return (
    <label class="filter">
      <span>{name}</span>
      <select value={String(value)} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        {numbers.map((number) => (
          <option key={number} value={String(number)} disabled={number === not}>
            {number}
          </option>
        ))}
      </select>
    </label>
  );
}

interface VersionListProps {
  agentId: string;
  versions: readonly AgentVersion[];
  /** The version whose changes are shown. */
  shown: number | null;
}

function VersionList({ agentId, versions, shown }: VersionListProps) {
  const mayEdit = useMay()('agents.edit');
  const queries = useQueryClient();
  const [asking, setAsking] = useState<number | null>(null);
  const current = versions.find((each) => each.current)?.version;
  const canary = useCanary(agentId).data;
  const restore = useMutation({
    mutationFn: (version: number) => ok(restoreVersion(agentId, String(version))),
    onSuccess: (_agent, version) => {
      setAsking(null);
      for (const queryKey of [['agent', agentId], ['agent-versions', agentId], ['agents']]) {
        void queries.invalidateQueries({ queryKey });
      }
      const undo = version === current || current === undefined ? undefined : () => restore.mutate(current);
      toast(t('The agent is as it was in version {{version}}.', { version }), undo && { undo });
    },
  });
  return (
    <section class="panel" aria-labelledby="versions-title">
      <h2 id="versions-title">{t('Versions')}</h2>
      <ol class="rows versions">
        {versions.map((each, at) => (
          <li key={each.version} aria-current={each.version === shown ? 'true' : undefined}>
            <div class="row-text">
              <span>
                <strong>{t('Version {{version}}', { version: each.version })}</strong>{' '}
                {each.current && (
                  <span class="chip" data-tone="good">
                    {t('In use')}
                  </span>
                )}
                {each.version === canary?.version && (
                  <span class="chip">{t('Canary, {{percent}} %', { percent: canary.percent })}</span>
                )}
              </span>
              <span>{changesText(each)}</span>
              <span class="quiet small">
                <time dateTime={each.saved_at}>{timeText(each.saved_at, Date.now())}</time>
                {each.saved_by && `, ${each.saved_by}`}
              </span>
              <span class="version-links small">
                {at + 1 < versions.length && (
                  <a href={`/agents/${agentId}/versions?from=${versions[at + 1]!.version}&to=${each.version}`}>
                    {t('What changed')}
                  </a>
                )}
                {!each.current && current !== undefined && (
                  <a href={`/agents/${agentId}/versions?from=${each.version}&to=${current}`}>
                    {t('Compare with the version in use')}
                  </a>
                )}
              </span>
            </div>
            {mayEdit && !each.current && (
              <button
                type="button"
                class="plain"
                aria-label={t('Restore version {{version}}', { version: each.version })}
                onClick={() => {
                  restore.reset();
                  setAsking(each.version);
                }}
              >
                {t('Restore')}
              </button>
            )}
          </li>
        ))}
      </ol>
      <p class="quiet small">{t('The ten newest versions and the one in use stay.')}</p>
      {asking !== null && (
        <ConfirmDialog
          title={t('Restore version {{version}}?', { version: asking })}
          action={t('Restore')}
          busy={restore.isPending}
          error={restore.isError ? changeProblemText(restore.error) : undefined}
          onConfirm={() => restore.mutate(asking)}
          onClose={() => setAsking(null)}
        >
          <p>{t('Its settings are saved as a new version. Calls that begin from then on use them.')}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

const NAMES_SHOWN = 3;

/** What changed, in the names of the fields. */
function changesText({ version, changes, restored_from }: AgentVersion): string {
  if (restored_from !== null) return t('Restored from version {{version}}', { version: restored_from });
  if (changes.length === 0) return version === 1 ? t('The agent was made') : t('Nothing changed');
  const names = changes.slice(0, NAMES_SHOWN).map(fieldName).join(', ');
  const others = changes.length - NAMES_SHOWN;
  return others > 0 ? `${names} ${tn('and {{count}} more', 'and {{count}} more', others)}` : names;
}
