import { countryText } from './number-texts.ts';

/** Countries of ISO 3166 in which carriers rent out numbers. */
const CODES = (
  'AE AR AT AU BA BB BE BG BH BR CA CH CL CO CR CY CZ DE DK DO DZ EC EE EG ES FI FR GB GE GH GR GT HK HR HU ID IE IL IN IS IT ' +
  'JM JO JP KE KR KZ LT LU LV MA MD MK MT MU MX MY NG NL NO NZ PA PE PH PK PL PR PT QA RO RS SA SE SG SI SK SN SV TH TN TR ' +
  'TT TW TZ UA UG US UY UZ VE VN ZA'
).split(' ');

/** The countries with their names in the person's language, sorted by these. */
export const countryOptions = (): { value: string; label: string }[] =>
  CODES.map((value) => ({ value, label: countryText(value) })).toSorted((a, b) => a.label.localeCompare(b.label));
