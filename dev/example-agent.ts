import { fileURLToPath } from 'node:url';
import { availableProviders } from '../control/catalog/available-providers.ts';
import { answerBooking, BOOKING_AGENT } from '../fixtures/conversations/booking.ts';
import { startOpenAiSimulator } from '../fixtures/simulators/openai.ts';
import { localSynthesizer } from '../shared/providers/local-speech.ts';
import { languageModelManifest, SYNTHESIZERS } from '../shared/providers/registry.ts';
import { LANGUAGE_MODEL_SETTINGS, SPEECH_SETTINGS } from '../shared/providers/settings.ts';
import { createApiClient } from './api-client.ts';
import type { Stack } from './stack.ts';

/** The agent that `make up` creates once, so that there is somebody to talk to. */

const NAME = 'Example: restaurant table';
const SCRIPTED_NAME = `${NAME} (scripted, no model key set)`;
const LANGUAGE_MODELS_DIR = fileURLToPath(new URL('../fixtures/language-models', import.meta.url));
/** The recorded caller of the demo pauses for three quarters of a second in the middle of a sentence. */
const ENDPOINTING_MS = 600;

export interface ExampleSetup {
  /** As the API takes it. */
  config: { name: string; [field: string]: unknown };
  /** The model is a script, because no key of a language model is set. */
  scripted: boolean;
  /** What it thinks, listens and speaks with, for people. */
  providers: string;
}

/** Chooses the first providers whose settings are in the environment; without any, those of this machine and a script. */
export function exampleSetup(env: NodeJS.ProcessEnv): ExampleSetup {
  const declared = { ...LANGUAGE_MODEL_SETTINGS, ...SPEECH_SETTINGS };
  const config = Object.fromEntries(
    Object.entries(declared).map(([name, field]) => [name, env[name] || field.parse(undefined)]),
  );
  const { llm, defaults } = availableProviders(config);
  const scripted = llm.size === 0;
  const model = scripted ? 'custom' : defaults.llm;
  const localTranscriber = { provider: 'local', model: 'booking', language: 'en' };
  const localVoice = { provider: 'local', voice_id: localSynthesizer.defaultVoice, language: 'en' };
  const { defaultVoice = '' } = SYNTHESIZERS.find(({ name }) => name === defaults.voice) ?? {};
  const modelName = scripted
    ? 'a script instead of a model (no model key is set)'
    : languageModelManifest(model)!.label;
  return {
    config: {
      ...BOOKING_AGENT,
      name: scripted ? SCRIPTED_NAME : NAME,
      llm: { provider: model },
      transcriber:
        defaults.transcriber === 'local'
          ? { ...localTranscriber, endpointing_ms: ENDPOINTING_MS }
          : {
              provider: defaults.transcriber,
              language: 'en',
              endpointing_ms: ENDPOINTING_MS,
              fallbacks: [localTranscriber],
            },
      voice:
        defaults.voice === 'local'
          ? localVoice
          : { provider: defaults.voice, voice_id: defaultVoice, language: 'en', fallbacks: [localVoice] },
    },
    scripted,
    providers: `${modelName}; transcriber: ${defaults.transcriber}, voice: ${defaults.voice}`,
  };
}

export interface ExampleModel {
  /** Settings of control and media. */
  settings: Record<string, string>;
  close(): Promise<void>;
}

/** Starts the scripted model where the example needs it. */
export async function startExampleModel(setup: ExampleSetup, env: NodeJS.ProcessEnv): Promise<ExampleModel> {
  const speech = { LANGUAGE_MODELS_DIR: env.LANGUAGE_MODELS_DIR || LANGUAGE_MODELS_DIR };
  if (!setup.scripted) return { settings: speech, close: async () => {} };
  const model = await startOpenAiSimulator({ answer: answerBooking });
  return {
    settings: { ...speech, LLM_BASE_URL: model.url, LLM_API_KEY: model.apiKey },
    close: () => model.close(),
  };
}

interface Stored {
  agent_id: string;
  version: number;
  config: ExampleSetup['config'];
}

/**
 * Creates the agent at the first start. At a later one its providers follow the keys that are set, unless somebody has changed
 * the agent. @returns its id; null when it was deleted.
 */
export async function exampleAgent(stack: Stack, apiKey: string, setup: ExampleSetup): Promise<string | null> {
  const api = createApiClient(stack.apiUrl, apiKey);
  const store = ({ id, version }: { id: string; version: number }) =>
    JSON.stringify({ agent_id: id, version, config: setup.config } satisfies Stored);
  const stored: Stored = JSON.parse(
    await stack.home.readOrCreate('example-agent.json', async () => {
      // A start may have been interrupted between creating the agent and storing it.
      const found = (await api.agents()).find(({ name }) => name === setup.config.name);
      return store(found ?? (await api.createAgent(setup.config)));
    }),
  );
  const agent = (await api.agents()).find(({ id }) => id === stored.agent_id);
  if (!agent) return null;
  const outdated = JSON.stringify(stored.config) !== JSON.stringify(setup.config);
  if (outdated && agent.version === stored.version) {
    stack.home.write('example-agent.json', store(await api.updateAgent(agent.id, setup.config)));
  }
  return agent.id;
}
