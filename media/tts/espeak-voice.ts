/** espeak-ng's own names for languages, variants and speeds (`espeak-ng --voices`). */

const FALLBACK = 'en-us';
const NORMAL_WORDS_PER_MINUTE = 165;

/** Tags with another name in espeak-ng. It has no Indian English; the British one is nearest. */
const RENAMED: Record<string, string> = {
  en: 'en-us',
  'en-us': 'en-us',
  'en-ca': 'en-us',
  'en-gb': 'en-gb',
  'en-au': 'en-gb',
  'en-nz': 'en-gb',
  'en-ie': 'en-gb',
  'en-in': 'en-gb',
  'en-za': 'en-gb',
  fr: 'fr-fr',
  'fr-be': 'fr-be',
  'fr-ch': 'fr-ch',
  'es-mx': 'es-419',
  'es-us': 'es-419',
  'es-419': 'es-419',
  'es-ar': 'es-419',
  'es-co': 'es-419',
  'pt-br': 'pt-br',
  no: 'nb',
  nn: 'nb',
  zh: 'cmn',
  'zh-hk': 'yue',
  iw: 'he',
  in: 'id',
};

/** Languages with the same name in espeak-ng. */
const LANGUAGES = new Set(
  (
    'af am an ar as az ba be bg bn bs ca cmn cs cy da de el eo es et eu fa fi ga gd gn gu he hi hr ht hu hy ia id is ' +
    'it ja ka kk kn ko kok ku ky la lb lt lv mi mk ml mr ms mt my nb ne nl om or pa pl pt qu ro ru sd si sk sl sq ' +
    'sr sv sw ta te th tk tn tr tt ug uk ur uz vi yue'
  ).split(' '),
);

/** Returns the `-v` argument: the language, or American English where espeak-ng does not speak it, with the variant if there is one. */
export function espeakVoice(language: string, voiceId: string): string {
  const tag = language.trim().toLowerCase().replaceAll('_', '-');
  const primary = tag.split('-')[0]!;
  const name = RENAMED[tag] ?? RENAMED[primary] ?? (LANGUAGES.has(primary) ? primary : FALLBACK);
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/.test(voiceId) ? `${name}+${voiceId}` : name;
}

/** Returns the `-s` argument for a speed; 1 is 165 words per minute, and speeds are limited to 0.6 to 1.5. */
export function wordsPerMinute(speed: number): number {
  const inRange = Number.isFinite(speed) ? Math.min(1.5, Math.max(0.6, speed)) : 1;
  return Math.round(NORMAL_WORDS_PER_MINUTE * inRange);
}
