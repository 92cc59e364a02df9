import { useMemo } from 'preact/hooks';
import { type Currency, money } from '../billing/money.ts';
import type { CallSummary } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { latencyText, lengthText, timeText } from '../ui/format.ts';
import { directionText, marksOf, otherEnd, statusText } from './call-texts.ts';

export const ROW_HEIGHT_PX = 64;

export const columns = () =>
  [
    { name: 'when', title: t('When') },
    { name: 'with', title: t('With') },
    { name: 'agent', title: t('Agent') },
    { name: 'status', title: t('Status') },
    { name: 'length', title: t('Length') },
    { name: 'reply', title: t('Reply after') },
    { name: 'cost', title: t('Cost') },
  ] as const;

/** One call of the list; all of it is the link to the call. */
export function CallRow({ call, topPx }: { call: CallSummary; topPx: number }) {
  // Drawn once, however often the list moves.
  const cells = useMemo(() => <Cells call={call} />, [call]);
  return (
    <li class="call-row" style={{ height: `${ROW_HEIGHT_PX}px`, transform: `translateY(${topPx}px)` }}>
      {cells}
    </li>
  );
}

function Cells({ call }: { call: CallSummary }) {
  const { text, tone } = statusText(call);
  const { created_at, agent_name, duration_seconds, avg_first_audio_ms, cost_paise, currency } = call;
  return (
    <>
      <Cell name="when" title={t('When')}>
        <time dateTime={created_at}>{timeText(created_at, Date.now())}</time>
      </Cell>
      <Cell name="with" title={t('With')}>
        <a href={`/calls/${call.id}`}>{otherEnd(call)}</a>
        <span class="quiet">{[directionText(call), ...marksOf(call)].join(' · ')}</span>
      </Cell>
      <Cell name="agent" title={t('Agent')}>
        {agent_name || '–'}
      </Cell>
      <Cell name="status" title={t('Status')}>
        <span class="chip" data-tone={tone}>
          {text}
        </span>
      </Cell>
      <Cell name="length" title={t('Length')}>
        {duration_seconds > 0 ? lengthText(duration_seconds) : '–'}
      </Cell>
      <Cell name="reply" title={t('Reply after')}>
        {avg_first_audio_ms === null ? '–' : latencyText(avg_first_audio_ms)}
      </Cell>
      <Cell name="cost" title={t('Cost')}>
        {cost_paise > 0 ? money(cost_paise, currency as Currency) : '–'}
      </Cell>
    </>
  );
}

interface CellProps {
  name: ReturnType<typeof columns>[number]['name'];
  title: string;
  children: preact.ComponentChildren;
}

/** The column's title stands above for the eye only. */
function Cell({ name, title, children }: CellProps) {
  return (
    <div data-cell={name}>
      <span class="hidden-title">{title}: </span>
      {children}
    </div>
  );
}
