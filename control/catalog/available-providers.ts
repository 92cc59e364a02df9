import type { Settings } from '../../shared/providers/manifest.ts';
import {
  LANGUAGE_MODELS,
  type LlmProvider,
  SYNTHESIZERS,
  type SynthesizerProvider,
  TRANSCRIBERS,
  type TranscriberProvider,
} from '../../shared/providers/registry.ts';
import { missingSettingOf } from '../../shared/providers/settings.ts';

/** The providers that this service has credentials for. Those of this machine need none. */
export interface AvailableProviders {
  llm: ReadonlySet<string>;
  voice: ReadonlySet<string>;
  transcriber: ReadonlySet<string>;
  /** What an agent gets that names none: the first that is available; where none is, the first of all. */
  defaults: DefaultProviders;
}

export interface DefaultProviders {
  llm: LlmProvider;
  voice: SynthesizerProvider;
  transcriber: TranscriberProvider;
}

/** @param config the settings of the manifests, the same in both programs. */
export function availableProviders(config: Readonly<Record<string, unknown>>): AvailableProviders {
  const usable = <const Manifests extends readonly { name: string; settings: Settings }[]>(manifests: Manifests) =>
    manifests
      .filter((manifest) => missingSettingOf(manifest, config) === null)
      .map(({ name }) => name) as Manifests[number]['name'][];
  const llm = usable(LANGUAGE_MODELS);
  const voice = usable(SYNTHESIZERS);
  const transcriber = usable(TRANSCRIBERS);
  return {
    llm: new Set<string>(llm),
    voice: new Set<string>(voice),
    transcriber: new Set<string>(transcriber),
    defaults: {
      llm: llm[0] ?? LANGUAGE_MODELS[0].name,
      voice: voice[0] ?? SYNTHESIZERS[0].name,
      transcriber: transcriber[0] ?? TRANSCRIBERS[0].name,
    },
  };
}
