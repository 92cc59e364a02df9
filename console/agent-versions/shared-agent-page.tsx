import { HttpError, ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useLocation, useRoute } from 'preact-iso';
import { languageName } from '../agents/language-names.ts';
import { providerName } from '../agents/provider-names.ts';
import { changeProblemText, problemText } from '../data/problem-text.ts';
import { useMay, useSession } from '../data/session.ts';
import {
  postAgentSharesTokenCopy as copyShared,
  getAgentSharesToken as readShared,
  type SharedAgent as Shared,
} from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { t } from '../texts/texts.ts';
import { Loading } from '../ui/states.tsx';
import './versions.css';

/** The page of a share's link: shows the agent, and copies it into the user's workspace to talk to it there. */
export function SharedAgentPage() {
  const { token = '' } = useRoute().params;
  const { workspace } = useSession().me;
  const mayCopy = useMay()('agents.edit');
  const { route } = useLocation();
  const queries = useQueryClient();
  const shared = useQuery({
    queryKey: ['shared-agent', token],
    queryFn: ({ signal }) => ok(readShared(token, {}, { signal })),
  });
  const copy = useMutation({
    mutationFn: () => ok(copyShared(token, {})),
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: ['agents'] });
      route(`/agents/${id}/talk`);
    },
  });
  const name = workspace?.name ?? t('my workspace');
  const error = copy.error ?? shared.error;
  return (
    <main class="list-page">
      <Heading title={shared.data?.agent_name ?? t('A shared agent')} />
      {shared.isPending && <Loading what={t('the agent')} />}
      {error && (
        <div class="notice" role="alert">
          <p>{copy.error && !isGone(copy.error) ? changeProblemText(copy.error) : refusalText(error)}</p>
          {!isGone(error) && shared.isError && (
            <button type="button" class="plain" onClick={() => void shared.refetch()}>
              {t('Try again')}
            </button>
          )}
        </div>
      )}
      {shared.data && (
        <>
          <p class="quiet">{t('Shared by {{name}}', { name: shared.data.workspace_name })}</p>
          {mayCopy ? (
            <p>
              <button
                type="button"
                class="primary"
                aria-disabled={copy.isPending}
                onClick={() => !copy.isPending && copy.mutate()}
              >
                {copy.isPending ? t('One moment…') : t('Copy to {{name}}, and talk', { name })}
              </button>
            </p>
          ) : (
            <p class="quiet">{t('Only those who may make agents in {{name}} can copy it.', { name })}</p>
          )}
          <Details shared={shared.data} />
        </>
      )}
    </main>
  );
}

const isGone = (error: unknown): boolean => error instanceof HttpError && error.status === 404;

const refusalText = (error: unknown): string =>
  isGone(error)
    ? t('This link does not work any more: the agent is no longer shared. Ask the sender for a new one.')
    : problemText(error, t('the agent'));

function Details({ shared: { agent } }: { shared: Shared }) {
  const { llm, voice, transcriber, tools } = agent;
  const parts: [name: string, text: string][] = [
    [t('Language'), languageName(voice.language)],
    [t('Model'), t('{{model}} of {{provider}}', { model: llm.model, provider: providerName(llm.provider) })],
    [t('Voice'), voice.voice_name || providerName(voice.provider)],
    [t('Transcriber'), providerName(transcriber.provider)],
    [t('Tools'), tools.map((each) => each.name).join(', ')],
    [t('Begins with'), agent.welcome_message],
    [t('Prompt'), agent.system_prompt],
  ];
  return (
    <dl class="shared-agent">
      {parts
        .filter(([, text]) => text !== '')
        .map(([name, text]) => (
          <div key={name}>
            <dt class="quiet">{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
    </dl>
  );
}
