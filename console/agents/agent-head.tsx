import { ok } from '@oazapfts/runtime';
import { type UseQueryResult, useQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useMay } from '../data/session.ts';
import { type Agent, getAgentsAgentId as readAgent } from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { BackIcon } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import { Tabs } from '../ui/tabs.tsx';

/** Reads one agent; every page of an agent uses the same copy. */
export const useAgent = (agentId: string): UseQueryResult<Agent, Error> =>
  useQuery({ queryKey: ['agent', agentId], queryFn: ({ signal }) => ok(readAgent(agentId, {}, { signal })) });

interface AgentHeadProps {
  agent: Pick<Agent, 'id' | 'name' | 'status'>;
  /** Buttons at the right. */
  children?: ComponentChildren;
}

/** The head of every page of one agent: its name, and what there is of it. */
export function AgentHead({ agent, children }: AgentHeadProps) {
  const may = useMay();
  const at = `/agents/${agent.id}`;
  return (
    <>
      <a class="back" href="/agents">
        <BackIcon /> {t('All agents')}
      </a>
      <div class="page-head">
        <Heading title={agent.name} />
        {agent.status === 'paused' && <span class="chip">{t('Paused')}</span>}
        {agent.status === 'frozen' && (
          <span class="chip" data-tone="bad">
            {t('Frozen')}
          </span>
        )}
        {children}
      </div>
      <Tabs
        label={t('Of this agent')}
        tabs={[
          { href: at, text: t('Settings') },
          ...(may('calls.place') ? [{ href: `${at}/talk`, text: t('Talk') }] : []),
          { href: `${at}/tests`, text: t('Tests') },
          { href: `${at}/versions`, text: t('Versions') },
          ...(may('calls.view') ? [{ href: `${at}/figures`, text: t('Figures') }] : []),
        ]}
      />
    </>
  );
}
