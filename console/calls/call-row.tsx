import { type Currency, money } from '../billing/money.ts';
import type { CallSummary } from '../generated/api.ts';
import { latencyText, lengthText, timeText } from '../ui/format.ts';
import { directionText, otherEnd, statusText } from './call-texts.ts';

export const ROW_HEIGHT_PX = 64;

export const COLUMNS = [
  { name: 'when', title: 'When' },
  { name: 'with', title: 'With' },
  { name: 'agent', title: 'Agent' },
  { name: 'status', title: 'Status' },
  { name: 'length', title: 'Length' },
  { name: 'reply', title: 'Reply after' },
  { name: 'cost', title: 'Cost' },
] as const;

type Column = (typeof COLUMNS)[number]['name'];

/** One call of the list; all of it is the link to the call. */
export function CallRow({ call, topPx }: { call: CallSummary; topPx: number }) {
  const { text, tone } = statusText(call);
  const { created_at, agent_name, duration_seconds, avg_first_audio_ms, cost_paise, currency } = call;
  return (
    <li class="call-row" style={{ height: `${ROW_HEIGHT_PX}px`, transform: `translateY(${topPx}px)` }}>
      <Cell name="when">
        <time dateTime={created_at}>{timeText(created_at, Date.now())}</time>
      </Cell>
      <Cell name="with">
        <a href={`/calls/${call.id}`}>{otherEnd(call)}</a>
        <span class="quiet">{directionText(call)}</span>
      </Cell>
      <Cell name="agent">{agent_name || '–'}</Cell>
      <Cell name="status">
        <span class="chip" data-tone={tone}>
          {text}
        </span>
      </Cell>
      <Cell name="length">{duration_seconds > 0 ? lengthText(duration_seconds) : '–'}</Cell>
      <Cell name="reply">{avg_first_audio_ms === null ? '–' : latencyText(avg_first_audio_ms)}</Cell>
      <Cell name="cost">{cost_paise > 0 ? money(cost_paise, currency as Currency) : '–'}</Cell>
    </li>
  );
}

const TITLES = Object.fromEntries(COLUMNS.map(({ name, title }) => [name, title])) as Record<Column, string>;

/** The column's title stands above for the eye only. */
function Cell({ name, children }: { name: Column; children: preact.ComponentChildren }) {
  return (
    <div data-cell={name}>
      <span class="hidden-title">{TITLES[name]}: </span>
      {children}
    </div>
  );
}
