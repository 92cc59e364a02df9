import { ok } from '@oazapfts/runtime';
import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import { otherEnd, statusText } from '../calls/call-texts.ts';
import { changeProblemText } from '../data/problem-text.ts';
import { postCallsCallIdHangup as hangUp, type LiveCalls as Live } from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { lengthText, timeText } from '../ui/format.ts';
import { toast } from '../ui/toasts.tsx';

const MOST_SHOWN = 10;

/** The calls that go on now, how many may, and how many wait. */
export function LiveCalls({ live, mayHangUp }: { live: Live; mayHangUp: boolean }) {
  const client = useQueryClient();
  const nowMs = useNow();
  const ending = useMutation({
    mutationFn: (callId: string) => ok(hangUp(callId)),
    onError: (error) => toast(changeProblemText(error), { tone: 'error' }),
    onSettled: () => client.invalidateQueries({ queryKey: ['live'] }),
  });
  const { calls, active_calls, concurrency_limit, queued_calls, oldest_queued_at } = live;
  return (
    <section class="panel" aria-labelledby="live-title">
      <h2 id="live-title">{t('Now')}</h2>
      <p>
        {t('{{active}} of {{limit}} possible calls go on.', { active: active_calls, limit: concurrency_limit })}{' '}
        {queued_calls > 0 && (
          <a href="/batches/queue">
            {tn('{{count}} waits', '{{count}} wait', queued_calls)}
            {oldest_queued_at && t(', the oldest since {{time}}', { time: timeText(oldest_queued_at, nowMs) })}
          </a>
        )}
      </p>
      {calls.length > 0 && (
        <ul class="rows live-calls">
          {calls.slice(0, MOST_SHOWN).map((call) => (
            <li key={call.id}>
              <span class="row-text">
                <a href={`/calls/${call.id}`}>{otherEnd(call)}</a>
                <span class="quiet small">{call.agent_name}</span>
              </span>
              <span class="chip" data-tone={statusText(call).tone}>
                {statusText(call).text}
              </span>
              <span class="amount">
                {call.started_at ? lengthText((nowMs - Date.parse(call.started_at)) / 1_000) : ''}
              </span>
              {mayHangUp && (
                <button
                  type="button"
                  class="plain"
                  aria-label={t('Hang up the call with {{number}}', { number: otherEnd(call) })}
                  disabled={ending.isPending && ending.variables === call.id}
                  onClick={() => ending.mutate(call.id)}
                >
                  {t('Hang up')}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {calls.length > MOST_SHOWN && <a href="/calls?status=live">{t('All calls that go on')}</a>}
    </section>
  );
}

/** The time, every second. */
function useNow(): number {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
