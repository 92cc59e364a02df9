import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { money } from '../billing/money.ts';
import { useMay } from '../data/session.ts';
import { type Agent, getAgentsAgentIdPricing as readPricing } from '../generated/api.ts';
import { PinIcon } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import { timeText } from '../ui/format.ts';
import { Initial } from './initial.tsx';
import { languageName } from './language-names.ts';
import { providerName } from './provider-names.ts';

export const ROW_HEIGHT_PX = 72;

/** A price changes with the agent or with the plan. */
const PRICE_FRESH_MS = 300_000;

type Column = 'pin' | 'name' | 'number' | 'voice' | 'price' | 'changed' | 'more';

/** The list's columns; those without a title have buttons. */
export const columns = (): readonly { name: Column; title: string }[] => [
  { name: 'pin', title: '' },
  { name: 'name', title: t('Name') },
  { name: 'number', title: t('Number') },
  { name: 'voice', title: t('Voice and model') },
  { name: 'price', title: t('Per minute') },
  { name: 'changed', title: t('Last change') },
  { name: 'more', title: '' },
];

interface AgentRowProps {
  agent: Agent;
  topPx: number;
  pinned: boolean;
  onPin: () => void;
  onDuplicate: () => void;
  onDelete: () => void;
}

/** One agent of the list; its name leads to its settings. */
export function AgentRow({ agent, topPx, pinned, onPin, onDuplicate, onDelete }: AgentRowProps) {
  const may = useMay();
  const { id, name, status, phone_number, llm, voice, updated_at, updated_by } = agent;
  return (
    <li class="agent-row" style={{ height: `${ROW_HEIGHT_PX}px`, transform: `translateY(${topPx}px)` }}>
      <div data-cell="pin">
        <button
          type="button"
          class="icon-button pin"
          aria-pressed={pinned}
          aria-label={t('Pin {{name}}', { name })}
          onClick={onPin}
        >
          <PinIcon />
        </button>
      </div>
      <div data-cell="name">
        <Initial name={name} />
        <a href={`/agents/${id}`}>{name}</a>
        {status === 'paused' && <span class="chip">{t('Paused')}</span>}
        {status === 'frozen' && (
          <span class="chip" data-tone="bad">
            {t('Frozen')}
          </span>
        )}
      </div>
      <Cell name="number">{phone_number || '–'}</Cell>
      <Cell name="voice">
        <span>
          {voice.voice_name || providerName(voice.provider)} · {languageName(voice.language)}
        </span>
        <span class="quiet">{llm.model}</span>
      </Cell>
      <Cell name="price">
        <Price agent={agent} />
      </Cell>
      <Cell name="changed">
        <time dateTime={updated_at}>{timeText(updated_at, Date.now())}</time>
        <span class="quiet">{updated_by}</span>
      </Cell>
      <div data-cell="more">
        {may('calls.place') && (
          <a class="row-link" href={`/agents/${id}/talk`} aria-label={t('Talk to {{name}}', { name })}>
            {t('Talk')}
          </a>
        )}
        {may('agents.edit') && (
          <More label={t('More about {{name}}', { name })}>
            <button type="button" onClick={onDuplicate}>
              {t('Duplicate')}
            </button>
            <button type="button" onClick={onDelete}>
              {t('Delete')}
            </button>
          </More>
        )}
      </div>
    </li>
  );
}

/** The column's title stands above for the eye only. */
function Cell({ name, children }: { name: Column; children: ComponentChildren }) {
  return (
    <div data-cell={name}>
      <span class="hidden-title">{columns().find((each) => each.name === name)!.title}: </span>
      {children}
    </div>
  );
}

function Price({ agent: { id, version } }: { agent: Agent }) {
  const { data } = useQuery({
    queryKey: ['agent-price', id, version],
    queryFn: ({ signal }) => ok(readPricing(id, {}, { signal })),
    staleTime: PRICE_FRESH_MS,
  });
  return <>{data ? money(data.total_paise_per_minute, data.currency) : '–'}</>;
}

/** Buttons that open below a button; they close with a choice, a click elsewhere, and Escape. */
function More({ label, children }: { label: string; children: ComponentChildren }) {
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const menu = element.current;
      if (!menu?.open) return;
      const within = event.target instanceof Node && menu.contains(event.target);
      if (event instanceof KeyboardEvent ? event.key === 'Escape' : !within) menu.open = false;
    };
    document.addEventListener('click', close);
    document.addEventListener('keydown', close);
    return () => {
      document.removeEventListener('click', close);
      document.removeEventListener('keydown', close);
    };
  }, []);
  return (
    <details class="more" ref={element}>
      <summary aria-label={label}>⋯</summary>
      {/* biome-ignore lint/a11y: the buttons in it take the keys */}
      <div class="more-choices" onClick={() => element.current?.removeAttribute('open')}>
        {children}
      </div>
    </details>
  );
}
