import type { Voice } from '../generated/api.ts';

export interface VoiceFilter {
  words: string;
  gender: string;
  language: string;
}

/** Returns the voices that fit; one that was made for no language speaks what its models speak. */
export function fittingVoices(voices: readonly Voice[], { words, gender, language }: VoiceFilter): Voice[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return voices.filter((voice) => {
    const text = `${voice.name} ${voice.accent} ${voice.description}`.toLowerCase();
    const speaks = language === '' || voice.languages.length === 0 || voice.languages.includes(language);
    return speaks && (gender === '' || voice.gender === gender) && wanted.every((word) => text.includes(word));
  });
}
