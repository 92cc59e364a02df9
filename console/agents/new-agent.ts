import type { Catalog, CatalogEntry } from '../generated/api.ts';

/** A new agent from its name and language, with providers that work in the language. */

export interface NewAgent {
  name: string;
  language: string;
  welcome_message: string;
  system_prompt: string;
}

type Models = Pick<Catalog, 'tts_models' | 'stt_models'>;

const WELCOME: Record<string, string> = {
  en: 'Hello, how can I help you?',
  hi: 'नमस्ते, मैं आपकी क्या मदद कर सकती हूँ?',
};

/** Returns what an agent says and does of which nothing else is known. */
export const plainTexts = (name: string, language: string) => ({
  welcome_message: WELCOME[language] ?? WELCOME.en!,
  system_prompt: `You are ${name}, a friendly assistant on the telephone. Answer briefly, in short sentences. Ask when you do not understand.`,
});

/** Returns the request that makes the agent. What is not in it gets the API's defaults. */
export function newAgentBody({ name, language, ...texts }: NewAgent, catalog: Models) {
  const voice = modelFor(catalog.tts_models ?? [], language);
  const transcriber = modelFor(catalog.stt_models ?? [], language);
  return {
    name,
    ...texts,
    voice: { ...(voice && { provider: voice.provider as 'elevenlabs', model: voice.id }), language },
    transcriber: {
      ...(transcriber && { provider: transcriber.provider as 'deepgram', model: transcriber.id }),
      language,
    },
  };
}

export const speaks = ({ languages }: Pick<CatalogEntry, 'languages'>, language: string): boolean =>
  languages.length === 0 || language === '' || languages.includes(language);

/** The usual model when it works in the language, else the first one that does; those of this machine last. */
function modelFor(models: readonly CatalogEntry[], language: string): CatalogEntry | undefined {
  const usable = models.filter((each) => each.available && speaks(each, language));
  return (
    usable.find((each) => each.default) ??
    usable.toSorted((a, b) => Number(a.provider === 'local') - Number(b.provider === 'local'))[0]
  );
}
