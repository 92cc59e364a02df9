import { ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { changeProblemText } from '../data/problem-text.ts';
import { useMay } from '../data/session.ts';
import {
  type Agent,
  type AgentShare,
  deleteAgentSharesToken as endShare,
  postAgentShares as makeShare,
  getAgentShares as readShares,
} from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { CopyButton, CopyCurl } from '../ui/copy.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/fields.tsx';
import { timeText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';

const NEVER = 'never';
const SHARES = ['agent-shares'];

/** Links by which anyone with an account can read and copy an agent as it was. */
export function Shares({ agent }: { agent: Pick<Agent, 'id' | 'name' | 'version'> }) {
  const mayEdit = useMay()('agents.edit');
  const shares = useQuery({ queryKey: SHARES, queryFn: ({ signal }) => ok(readShares({}, { signal })) });
  const own = shares.data?.filter(({ agent_id }) => agent_id === agent.id) ?? [];
  return (
    <section class="panel" aria-labelledby="shares-title">
      <h2 id="shares-title">{t('Shared links')}</h2>
      <p class="quiet">
        {t(
          'Anyone with an account who has such a link can look at the agent as it is now and copy it into their own workspace. Later changes, knowledge, transfer numbers, webhook addresses and header values are not shared.',
        )}
      </p>
      {mayEdit && <NewShare agentId={agent.id} />}
      {shares.isError ? (
        <Problem error={shares.error} what={t('the shared links')} onRetry={() => void shares.refetch()} />
      ) : shares.isPending ? (
        <Loading what={t('the shared links')} />
      ) : own.length === 0 ? (
        <p class="quiet">{t('This agent is not shared.')}</p>
      ) : (
        <ul class="rows shares">
          {own.map((share) => (
            <ShareRow key={share.token} share={share} mayEnd={mayEdit} />
          ))}
        </ul>
      )}
    </section>
  );
}

function NewShare({ agentId }: { agentId: string }) {
  const queries = useQueryClient();
  const [days, setDays] = useState('30');
  const body = () => ({ agent_id: agentId, expires_in_days: days === NEVER ? null : Number(days) });
  const make = useMutation({
    mutationFn: () => ok(makeShare(body())),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: SHARES });
      toast(t('The link is ready to be copied.'));
    },
  });
  const choices = [1, 7, 30, 90].map((each) => ({
    value: String(each),
    label: tn('{{count}} day', '{{count}} days', each),
  }));
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!make.isPending) make.mutate();
      }}
    >
      <div class="new-share">
        <SelectField
          label={t('The link works for')}
          value={days}
          onChange={setDays}
          options={[...choices, { value: NEVER, label: t('Until it is ended') }]}
        />
        <button type="submit" class="secondary" aria-disabled={make.isPending}>
          {make.isPending ? t('One moment…') : t('Make a link')}
        </button>
        <CopyCurl call={(opts) => makeShare(body(), {}, opts)} />
      </div>
      <p class="error" role="alert">
        {make.isError && changeProblemText(make.error)}
      </p>
    </form>
  );
}

function ShareRow({ share, mayEnd }: { share: AgentShare; mayEnd: boolean }) {
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const end = useMutation({
    mutationFn: () => ok(endShare(share.token)),
    onSuccess: () => {
      setAsking(false);
      void queries.invalidateQueries({ queryKey: SHARES });
      toast(t('The link does not work any more.'));
    },
  });
  const { url, version, created_by, created_at, expires_at, copies } = share;
  return (
    <li>
      <div class="row-text">
        <a href={url} class="share-link">
          {url}
        </a>
        <span class="quiet small">
          {[
            t('Version {{version}}', { version }),
            t('made by {{name}} on {{time}}', { name: created_by, time: timeText(created_at, Date.now()) }),
            expires_at === null
              ? t('works until it is ended')
              : t('works until {{time}}', { time: timeText(expires_at, Date.now()) }),
            copies === 0 ? t('not copied yet') : tn('copied {{count}} time', 'copied {{count}} times', copies),
          ].join(', ')}
        </span>
      </div>
      <CopyButton text={url}>{t('Copy the link')}</CopyButton>
      {mayEnd && (
        <button type="button" class="plain" onClick={() => setAsking(true)}>
          {t('End')}
        </button>
      )}
      {asking && (
        <ConfirmDialog
          title={t('End this link?')}
          action={t('End the link')}
          busy={end.isPending}
          error={end.isError ? changeProblemText(end.error) : undefined}
          onConfirm={() => end.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>{t('Nobody can open it any more. Copies that were made stay.')}</p>
        </ConfirmDialog>
      )}
    </li>
  );
}
