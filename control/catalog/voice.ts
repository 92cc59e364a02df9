/** A voice of a synthesizer. */
export interface Voice {
  provider: string;
  voice_id: string;
  name: string;
  gender: Gender;
  /** ISO 639 codes; empty: any that its models speak. */
  languages: string[];
  models: string[];
  accent: string;
  description: string;
}

export type Gender = 'female' | 'male' | 'neutral';

/** What a list of voices is narrowed by; what is left out matches all. */
export interface VoiceFilter {
  provider?: string | undefined;
  model?: string | undefined;
  language?: string | undefined;
  gender?: Gender | undefined;
  /** Part of name, accent, description or id. */
  q?: string | undefined;
}

export function matches(voice: Voice, { provider, model, language, gender, q }: VoiceFilter): boolean {
  if (provider !== undefined && voice.provider !== provider) return false;
  if (model !== undefined && !voice.models.includes(model)) return false;
  if (language !== undefined && !speaks(voice, language)) return false;
  if (gender !== undefined && voice.gender !== gender) return false;
  if (q === undefined) return true;
  const wanted = q.toLowerCase();
  return [voice.name, voice.accent, voice.description, voice.voice_id].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}

export function speaks({ languages }: Pick<Voice, 'languages'>, language: string): boolean {
  return languages.length === 0 || languages.includes(baseLanguage(language));
}

/** The ISO 639 code of a language tag: `hi` of `hi-IN`. */
export function baseLanguage(tag: string): string {
  const base = tag.trim().toLowerCase().split(/[-_]/)[0]!;
  // Sarvam writes Odia `od`.
  return base === 'od' ? 'or' : base;
}

/**
 * The voice of an agent that names none: the provider's default where it speaks the language, else the first that does.
 *
 * @param voices of the provider and model, by name; empty while its list is not known.
 */
export function defaultVoice(voices: readonly Voice[], usual: string, language: string): { id: string; name: string } {
  const preferred = voices.find(({ voice_id }) => voice_id === usual);
  const fitting = preferred && speaks(preferred, language) ? preferred : voices.find((each) => speaks(each, language));
  const chosen = fitting ?? preferred ?? voices[0];
  return { id: chosen?.voice_id ?? usual, name: chosen?.name ?? '' };
}
