import { ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { changeProblemText } from '../data/problem-text.ts';
import {
  postAccountSessionsRevokeOthers as endOthers,
  deleteAccountSessionsSessionId as endSession,
  getAccountSessions as readSessions,
  type Session,
} from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { timeText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';

/** Where the person is signed in: each session can be ended, and all but this one. */
export function SessionList() {
  const client = useQueryClient();
  const sessions = useQuery({ queryKey: ['sessions'], queryFn: ({ signal }) => ok(readSessions({}, { signal })) });
  const readAgain = () => void client.invalidateQueries({ queryKey: ['sessions'] });
  const onError = (error: unknown) => toast(changeProblemText(error), { tone: 'error' });
  const end = useMutation({
    mutationFn: ({ id }: Session) => ok(endSession(id)),
    onSuccess: (_ended, session) => toast(t('{{client}} was signed out.', { client: clientOf(session) })),
    onError,
    onSettled: readAgain,
  });
  const others = useMutation({
    mutationFn: () => ok(endOthers()),
    onSuccess: ({ revoked }) => toast(tn('{{count}} session was ended.', '{{count}} sessions were ended.', revoked)),
    onError,
    onSettled: readAgain,
  });
  const nowMs = Date.now();
  return (
    <section class="card" aria-labelledby="sessions-title">
      <h2 id="sessions-title">{t('Where you are signed in')}</h2>
      {sessions.data ? (
        <ul class="rows">
          {sessions.data.map((session) => (
            <li key={session.id}>
              <span class="row-text">
                <span>
                  {clientOf(session)}{' '}
                  {session.current && (
                    <span class="chip" data-tone="good">
                      {t('this device')}
                    </span>
                  )}
                </span>
                <span class="quiet small">
                  {t('{{address}} · last seen {{time}}', {
                    address: session.address,
                    time: timeText(session.last_seen_at, nowMs),
                  })}
                </span>
              </span>
              {!session.current && (
                <button
                  type="button"
                  class="plain"
                  aria-label={t('End {{client}} from {{address}}', {
                    client: clientOf(session),
                    address: session.address,
                  })}
                  onClick={() => end.mutate(session)}
                >
                  {t('End')}
                </button>
              )}
            </li>
          ))}
        </ul>
      ) : sessions.isPending ? (
        <Loading what={t('your sessions')} />
      ) : (
        <Problem error={sessions.error} what={t('your sessions')} onRetry={() => void sessions.refetch()} />
      )}
      {(sessions.data?.length ?? 0) > 1 && (
        <div>
          <button
            type="button"
            class="secondary"
            aria-disabled={others.isPending}
            onClick={() => !others.isPending && others.mutate()}
          >
            {t('End all others')}
          </button>
        </div>
      )}
    </section>
  );
}

const clientOf = ({ client }: Session): string => client || t('An unknown program');
