import { useEffect, useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { copySharedAgent, readSharedAgent } from './api.ts';
import type { SharedAgent as Shared } from './api-records.ts';
import { useMay, useSession } from './data/session.ts';
import { Heading } from './heading.tsx';
import './agents/agents.css';

const GONE = 'This link does not work any more: the agent is no longer shared. Ask the sender for a new one.';

/** The page of a share's link: shows the agent, and copies it into the user's workspace to talk to it there. */
export function SharedAgent() {
  const { token = '' } = useRoute().params;
  const { me, onSignedOut } = useSession();
  const { workspace } = me;
  const mayCopy = useMay()('agents.edit');
  const { route } = useLocation();
  const [shared, setShared] = useState<Shared | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [copying, setCopying] = useState(false);

  useEffect(() => {
    void readSharedAgent(token).then((result) => {
      if (result.ok) setShared(result.value);
      else if (result.status === 401) onSignedOut();
      else setError(result.status === 404 ? GONE : result.detail || 'The agent could not be loaded. Try again.');
    });
  }, [token, onSignedOut]);

  async function copy() {
    setCopying(true);
    const result = await copySharedAgent(token);
    setCopying(false);
    if (result.ok) route(`/agents/${result.value.id}/talk`);
    else if (result.status === 401) onSignedOut();
    else setError(result.status === 404 ? GONE : result.detail || 'The agent could not be copied. Try again.');
  }

  return (
    <main class="list-page">
      <Heading title={shared?.agent_name ?? 'A shared agent'} />
      {error && (
        <p class="notice" role="alert">
          {error}
        </p>
      )}
      {shared && (
        <>
          <p class="quiet">Shared by {shared.workspace_name}</p>
          {mayCopy ? (
            <p>
              <button type="button" class="primary" disabled={copying} onClick={copy}>
                Copy to {workspace?.name ?? 'my workspace'}, and talk
              </button>
            </p>
          ) : (
            <p class="quiet">Only who may create agents in {workspace?.name ?? 'a workspace'} can copy it.</p>
          )}
          <Details shared={shared} />
        </>
      )}
    </main>
  );
}

const languageNames = new Intl.DisplayNames('en', { type: 'language' });

/** The code itself where it is none of BCP 47. */
function languageName(code: string): string {
  try {
    return (code && languageNames.of(code)) || code;
  } catch {
    return code;
  }
}

function Details({ shared: { agent } }: { shared: Shared }) {
  const { llm, voice, transcriber, tools } = agent;
  const parts: [name: string, text: string][] = [
    ['Language', languageName(voice.language ?? '')],
    ['Model', `${llm.model} of ${llm.provider}`],
    ['Voice', voice.voice_name || voice.provider],
    ['Transcriber', transcriber.provider],
    ['Tools', tools.map(({ name }) => name).join(', ')],
    ['Begins with', agent.welcome_message],
    ['Prompt', agent.system_prompt],
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
