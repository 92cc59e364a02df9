/** What espeak-ng is asked for: its own names for languages, variants and speeds (`espeak-ng --voices`). */

const FALLBACK = 'en-us';
const NORMAL_WORDS_PER_MINUTE = 165;

/** Tags whose espeak-ng name is another, region first. There is no Indian English; the British one is nearest. */
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

/** Languages whose espeak-ng name is their own. */
const SPOKEN = new Set(
  (
    'af am an ar as az ba be bg bn bs ca cmn cs cy da de el eo es et eu fa fi ga gd gn gu he hi hr ht hu hy ia id is ' +
    'it ja ka kk kn ko kok ku ky la lb lt lv mi mk ml mr ms mt my nb ne nl om or pa pl pt qu ro ru sd si sk sl sq ' +
    'sr sv sw ta te th tk tn tr tt ug uk ur uz vi yue'
  ).split(' '),
);

/** The `-v` argument: a language espeak-ng speaks (American English when it does not), with the variant if one is named. */
export function espeakVoice(language: string, voiceId: string): string {
  const tag = language.trim().toLowerCase().replaceAll('_', '-');
  const primary = tag.split('-')[0]!;
  const name = RENAMED[tag] ?? RENAMED[primary] ?? (SPOKEN.has(primary) ? primary : FALLBACK);
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/.test(voiceId) ? `${name}+${voiceId}` : name;
}

/** 1 is 165 words per minute; speeds outside 0.6 to 1.5 are brought into it. */
export function wordsPerMinute(speed: number): number {
  const inRange = Number.isFinite(speed) ? Math.min(1.5, Math.max(0.6, speed)) : 1;
  return Math.round(NORMAL_WORDS_PER_MINUTE * inRange);
}
