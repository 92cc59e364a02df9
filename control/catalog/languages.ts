import type { ModelFacts } from '../../shared/providers/manifest.ts';
import { SYNTHESIZERS, TRANSCRIBERS } from '../../shared/providers/registry.ts';

export interface Language {
  /** ISO 639. */
  code: string;
  name: string;
  native_name: string;
}

const ENGLISH = new Intl.DisplayNames('en', { type: 'language' });

/** Every language that a transcriber or a voice works in, by English name. */
export const LANGUAGES: readonly Language[] = [...new Set([...SYNTHESIZERS, ...TRANSCRIBERS].flatMap(languagesOf))]
  .map((code) => ({ code, name: ENGLISH.of(code) ?? code, native_name: nativeName(code) }))
  .sort((a, b) => a.name.localeCompare(b.name, 'en'));

function languagesOf({ models }: { models: Readonly<Record<string, ModelFacts>> }) {
  return Object.values(models).flatMap(({ languages }) => languages ?? []);
}

/** The language's name for itself; in English where the platform does not know it. */
function nativeName(code: string): string {
  return new Intl.DisplayNames([code, 'en'], { type: 'language' }).of(code) ?? code;
}
