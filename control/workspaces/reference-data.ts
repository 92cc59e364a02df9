import { z } from 'zod';
import { ROLES } from './workspace-record.ts';

/** The fixed lists of forms: each an array of {id, name}. */

const named = (names: Record<string, string>) => Object.entries(names).map(([id, name]) => ({ id, name }));

/** Also used by the business details (KYC). */
export const BUSINESS_TYPES = {
  proprietorship: 'Proprietorship',
  partnership: 'Partnership',
  llp: 'Limited liability partnership',
  private_limited: 'Private limited company',
  public_limited: 'Public limited company',
  trust: 'Trust or society',
  individual: 'Individual',
  foreign: 'Company outside India',
} as const;

/** Also used by the documents of the business details. */
export const DOCUMENT_KINDS = {
  registration: 'Certificate of registration',
  tax: 'Tax registration',
  identity: 'Proof of identity',
  address: 'Proof of address',
  authorization: 'Letter of authorization',
  other: 'Other',
} as const;

const INDUSTRIES = {
  automotive: 'Automotive',
  banking: 'Banking and lending',
  ecommerce: 'E-commerce and retail',
  education: 'Education',
  energy: 'Energy and utilities',
  government: 'Government and public services',
  healthcare: 'Healthcare',
  hospitality: 'Hotels and restaurants',
  insurance: 'Insurance',
  logistics: 'Logistics and delivery',
  manufacturing: 'Manufacturing',
  media: 'Media and entertainment',
  nonprofit: 'Non-profit',
  outsourcing: 'Contact centres and outsourcing',
  professional_services: 'Professional services',
  real_estate: 'Real estate',
  recruitment: 'Recruitment and staffing',
  technology: 'Software and technology',
  telecom: 'Telecommunications',
  travel: 'Travel',
  other: 'Other',
};

const USE_CASES = {
  appointments: 'Booking and reminding of appointments',
  collections: 'Payment reminders and collections',
  customer_support: 'Customer support',
  feedback: 'Feedback and surveys',
  lead_qualification: 'Lead qualification',
  notifications: 'Notifications',
  order_updates: 'Orders and deliveries',
  reception: 'Reception and call routing',
  recruitment: 'Screening of candidates',
  sales: 'Sales',
  verification: 'Verification and confirmation',
  other: 'Other',
};

const TEAM_SIZES = {
  '1': 'Only me',
  '2-10': '2 to 10',
  '11-50': '11 to 50',
  '51-200': '51 to 200',
  '201-1000': '201 to 1,000',
  '1001+': 'More than 1,000',
};

const ROLE_NAMES = { owner: 'Owner', admin: 'Admin', developer: 'Developer', viewer: 'Viewer' };

/** ISO 3166-1, alpha-2: the 249 codes given out. */
const COUNTRY_CODES =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
  'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO ' +
  'FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE ' +
  'JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO ' +
  'MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW ' +
  'PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM ' +
  'TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW';

/** ISO 639-1: English and the languages of India that voices and transcribers speak, then others. */
const LANGUAGE_CODES = 'hi en bn gu kn ml mr or pa ta te as ur ne ar de es fr id it ja ko nl pl pt ru th tr vi zh';

const namedBy = (type: 'region' | 'language', codes: string) => {
  const names = new Intl.DisplayNames('en', { type });
  return codes.split(' ').map((id) => ({ id, name: names.of(id) ?? id }));
};

/** Zones that the platform lists under names replaced decades ago. */
const RENAMED_ZONES: Record<string, string> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

function zones() {
  const known = Intl.supportedValuesOf('timeZone').map((zone) => RENAMED_ZONES[zone] ?? zone);
  return [...new Set([...known, 'UTC'])].sort().map((id) => ({ id, name: id.replaceAll('_', ' ') }));
}

const list = z
  .array(
    z
      .object({ id: z.string().describe('what is sent'), name: z.string().describe('what people read') })
      .meta({ id: 'Choice' }),
  )
  .describe('choices of a form, in their order');
export const referenceDataRecord = z
  .object({
    business_types: list,
    industries: list,
    use_cases: list,
    team_sizes: list,
    document_kinds: list,
    countries: list.describe('ISO 3166-1, two letters'),
    languages: list.describe('ISO 639-1'),
    timezones: list.describe('IANA names'),
    roles: list,
  })
  .meta({ id: 'Masters' });

/** By name. */
export const COUNTRIES = namedBy('region', COUNTRY_CODES).sort((a, b) => a.name.localeCompare(b.name, 'en'));

export const REFERENCE_DATA: z.output<typeof referenceDataRecord> = {
  business_types: named(BUSINESS_TYPES),
  industries: named(INDUSTRIES),
  use_cases: named(USE_CASES),
  team_sizes: named(TEAM_SIZES).sort((a, b) => Number.parseInt(a.id, 10) - Number.parseInt(b.id, 10)),
  document_kinds: named(DOCUMENT_KINDS),
  countries: COUNTRIES,
  languages: namedBy('language', LANGUAGE_CODES),
  timezones: zones(),
  roles: ROLES.map((id) => ({ id, name: ROLE_NAMES[id] })),
};
