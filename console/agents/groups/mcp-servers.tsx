import { ok } from '@oazapfts/runtime';
import { useMutation } from '@tanstack/preact-query';
import { fieldErrors } from '../../data/field-errors.ts';
import { changeProblemText } from '../../data/problem-text.ts';
import { fetchWithin } from '../../data/requests.ts';
import { postToolsMcp as listTools, type McpToolList } from '../../generated/api.ts';
import { t } from '../../texts/texts.ts';
import { HeaderFields } from '../../tools/header-fields.tsx';
import { NumberField, TextArea, TextField } from '../../ui/fields.tsx';
import type { McpServer } from '../draft.ts';
import { EditedList } from '../edited-list.tsx';
import { Section } from '../setting.tsx';
import type { Editor } from '../use-draft.ts';

const MAX_SERVERS = 5;
/** Longer than the service waits for a server, twice. */
const LIST_WITHIN_MS = 20_000;

const newServer = (): McpServer => ({ name: '', url: '', headers: {}, tools: [], timeout_seconds: 8 });

/** Servers whose tools the model can call, without each being described here. */
export function McpServers({ editor }: { editor: Editor }) {
  const { draft, errors, agent } = editor;
  return (
    <Section
      title={t('MCP servers')}
      hint={t('Servers of the Model Context Protocol over streamable HTTP. Their tools are listed when a call begins.')}
    >
      <EditedList
        items={draft.mcp_servers}
        max={MAX_SERVERS}
        add={t('Add a server')}
        itemName={({ name }, at) => name || t('Server {{count}}', { count: at + 1 })}
        empty={newServer}
        error={errors.mcp_servers}
        onChange={(servers) => editor.set('mcp_servers', servers)}
      >
        {(server, change, at) => (
          <>
            <ServerFields server={server} change={change} errors={errorsWithin(errors, `mcp_servers.${at}.`)} />
            <ListedTools server={server} agentId={agent.id} />
          </>
        )}
      </EditedList>
    </Section>
  );
}

interface ServerFieldsProps {
  server: McpServer;
  change: (fields: Partial<McpServer>) => void;
  errors: Record<string, string>;
}

function ServerFields({ server, change, errors }: ServerFieldsProps) {
  const allowed = Object.entries(errors).find(([path]) => path.startsWith('tools'))?.[1];
  return (
    <>
      <TextField
        label={t('Name')}
        hint={t(
          'Stands before the name of a tool where another tool has that name: small letters, digits and underscores.',
        )}
        placeholder="shop"
        value={server.name}
        onChange={(name) => change({ name })}
        error={errors.name}
        maxLength={20}
      />
      <TextField
        type="url"
        label={t('Address')}
        placeholder="https://mcp.example.com/mcp"
        value={server.url}
        onChange={(url) => change({ url })}
        error={errors.url}
        maxLength={2_000}
      />
      <HeaderFields
        headers={Object.entries(server.headers).map(([name, value]) => ({ name, value }))}
        onChange={(rows) => change({ headers: Object.fromEntries(rows.map(({ name, value }) => [name, value])) })}
        errors={errors}
      />
      <TextArea
        label={t('Tools that may be called')}
        hint={t('One name in a line, as the server calls it. Left empty: all of them.')}
        rows={3}
        value={server.tools.join('\n')}
        onChange={(text) => change({ tools: text === '' ? [] : text.split('\n') })}
        error={allowed}
      />
      <NumberField
        label={t('Time-out')}
        unit={t('seconds')}
        hint={t('The request is given up after this time, 1 to 30 seconds.')}
        value={server.timeout_seconds}
        onChange={(value) => change({ timeout_seconds: value ?? 8 })}
        error={errors.timeout_seconds}
        min={1}
        max={30}
      />
    </>
  );
}

/** Asks the server now, with what the form holds, and shows what the model would get. */
function ListedTools({ server, agentId }: { server: McpServer; agentId: string }) {
  const listing = useMutation({
    mutationFn: () => ok(listTools({ server, agent_id: agentId }, {}, { fetch: fetchWithin(LIST_WITHIN_MS) })),
  });
  return (
    <>
      <div class="buttons">
        <button
          type="button"
          class="secondary"
          aria-disabled={listing.isPending}
          onClick={() => !listing.isPending && listing.mutate()}
        >
          {listing.isPending ? t('One moment…') : t('List its tools')}
        </button>
      </div>
      <div aria-live="polite">
        {listing.isError && (
          <p class="error">{Object.values(fieldErrors(listing.error))[0] ?? changeProblemText(listing.error)}</p>
        )}
        {listing.data && !listing.isPending && <Listed list={listing.data} />}
      </div>
    </>
  );
}

function Listed({ list }: { list: McpToolList }) {
  if (list.error !== '') return <p class="error">{list.error}</p>;
  if (list.tools.length === 0) return <p class="quiet">{t('The server has no tools.')}</p>;
  return (
    <ul class="rows" aria-label={t('Tools of the server')}>
      {list.tools.map(({ name, called, description, problem }) => (
        <li key={name}>
          <span class="row-text">
            <code>{called || name}</code>
            <span class="quiet small">{description}</span>
            {problem !== '' && <span class="quiet small">{t('Not for the model: {{problem}}', { problem })}</span>}
          </span>
        </li>
      ))}
    </ul>
  );
}

function errorsWithin(errors: Record<string, string>, beginning: string): Record<string, string> {
  const own = Object.entries(errors).filter(([path]) => path.startsWith(beginning));
  return Object.fromEntries(own.map(([path, text]) => [path.slice(beginning.length), text]));
}
