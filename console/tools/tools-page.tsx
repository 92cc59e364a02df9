import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useMay } from '../data/session.ts';
import { getTools as readTools, type Tool } from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { t, tn } from '../texts/texts.ts';
import { timeText } from '../ui/format.ts';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import './tools.css';

/** The tools that the workspace saved, to be added to agents. */
export function ToolsPage() {
  const may = useMay();
  const tools = useQuery({ queryKey: ['tools'], queryFn: ({ signal }) => ok(readTools({}, { signal })) });
  return (
    <main class="wide-page">
      <div class="page-head">
        <Heading title={t('Tools')} />
        {may('agents.edit') && (
          <a class="primary button-link head-end" href="/tools/new">
            {t('New tool')}
          </a>
        )}
      </div>
      <p class="quiet">{t('Requests to your own services that a model may send while it talks.')}</p>
      {tools.data ? (
        tools.data.length === 0 ? (
          <Nothing title={t('There are no saved tools yet.')}>
            {t('Save one here, try it out, and add it to agents in their settings.')}
          </Nothing>
        ) : (
          <ul class="rows tool-list">
            {tools.data.map((tool) => (
              <ToolRow key={tool.id} tool={tool} />
            ))}
          </ul>
        )
      ) : tools.isError ? (
        <Problem error={tools.error} what={t('the tools')} onRetry={() => void tools.refetch()} />
      ) : (
        <Loading what={t('the tools')} />
      )}
    </main>
  );
}

function ToolRow({ tool }: { tool: Tool }) {
  return (
    <li>
      <div class="row-text">
        <a class="tool-name" href={`/tools/${tool.id}`}>
          {tool.name}
        </a>
        <span class="tool-description">{tool.description}</span>
        <span class="quiet small">
          {tool.method} {tool.url}
        </span>
      </div>
      <div class="tool-use quiet small">
        <span>
          {tool.used_by_agents === 0
            ? t('used by no agent')
            : tn('used by {{count}} agent', 'used by {{count}} agents', tool.used_by_agents)}
        </span>
        <span>{t('Changed {{time}}', { time: timeText(tool.updated_at, Date.now()) })}</span>
      </div>
    </li>
  );
}
