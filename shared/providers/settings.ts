import { z } from 'zod';
import type { Settings } from './manifest.ts';
import { LANGUAGE_MODELS, type LlmProvider, languageModelManifest, SYNTHESIZERS, TRANSCRIBERS } from './registry.ts';

type SettingName<Manifest> = Manifest extends { settings: infer Declared } ? keyof Declared & string : never;
type Shape<Manifest> = { [Name in SettingName<Manifest>]: z.ZodDefault<z.ZodString> };

/** The environment variables of these manifests as fields of a zod object. Two manifests may share a setting. */
export function settingsShape<const Manifests extends readonly { settings: Settings }[]>(
  manifests: Manifests,
): Shape<Manifests[number]> {
  const fields: Record<string, z.ZodDefault<z.ZodString>> = {};
  for (const { settings } of manifests) {
    for (const [name, setting] of Object.entries(settings)) fields[name] = z.string().default(setting.default);
  }
  return fields as Shape<Manifests[number]>;
}

/** The first required setting without a value, or null when the provider can be used. */
export function missingSettingOf(
  { settings }: { settings: Settings },
  values: Readonly<Record<string, unknown>>,
): string | null {
  const missing = Object.entries(settings).find(([name, { required }]) => required && values[name] === '');
  return missing?.[0] ?? null;
}

/** For whichever program asks language models: media in calls, control about calls that are over. */
export const LANGUAGE_MODEL_SETTINGS = settingsShape(LANGUAGE_MODELS);
export type LanguageModelSettings = { [Name in keyof typeof LANGUAGE_MODEL_SETTINGS]: string };

/** Of the transcribers and synthesizers. */
export const SPEECH_SETTINGS = settingsShape([...TRANSCRIBERS, ...SYNTHESIZERS]);

/** The first setting that is missing to ask this provider, or null when it can be asked. */
export function missingSetting(provider: LlmProvider, settings: LanguageModelSettings): string | null {
  return missingSettingOf(languageModelManifest(provider)!, settings);
}
