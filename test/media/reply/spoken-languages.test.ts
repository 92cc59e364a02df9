import { describe, expect, it } from 'vitest';
import { alignedSpokenForm, spokenForm } from '../../../media/reply/spoken-form.ts';
import { SPOKEN_FORMS } from '../../../shared/languages/spoken/registry.ts';

const CASES: Record<string, readonly (readonly [written: string, spoken: string])[]> = {
  es: [
    [
      'Son 1.250,50 € el 21/11/2026.',
      'Son mil doscientos cincuenta euros con cincuenta céntimos el veintiuno de noviembre de dos mil veintiséis.',
    ],
    ['a las 19:30', 'a las diecinueve y media'],
    ['1 €, 21 €, 101 €', 'un euro, veintiún euros, ciento un euros'],
    ['2.000.000 €', 'dos millones de euros'],
    ['2,5 kg', 'dos coma cinco kilos'],
    ['el código 4821', 'el código cuatro ocho dos uno'],
    ['ana@correo.com', 'ana arroba correo punto com'],
  ],
  fr: [
    ['12,50 € à 19:30', 'douze euros cinquante à dix-neuf heures trente'],
    ['1 250 €, 3,05 €', 'mille deux cent cinquante euros, trois euros et cinq centimes'],
    ['80 €, 71 kg, 281 %', 'quatre-vingts euros, soixante et onze kilos, deux cent quatre-vingt-un pour cent'],
    ['le 01/05/2026', 'le premier mai deux mille vingt-six'],
  ],
  de: [
    [
      '1.250,50 € am 21.11.2026',
      'tausendzweihundertfünfzig Euro fünfzig am einundzwanzigsten November zweitausendsechsundzwanzig',
    ],
    ['1 €, 21 €, 101.000 €', 'ein Euro, einundzwanzig Euro, hunderteintausend Euro'],
    ['seit 1999', 'seit neunzehnhundertneunundneunzig'],
    ['um 13:05', 'um dreizehn Uhr fünf'],
  ],
  pt: [
    ['R$ 1.250,50', 'mil duzentos e cinquenta reais e cinquenta centavos'],
    ['R$ 1.100 ou R$ 1.101', 'mil e cem reais ou mil cento e um reais'],
    ['às 14:30, R$ 500/mês', 'às quatorze e meia, quinhentos reais por mês'],
  ],
  ar: [
    ['السعر 1,250 $', 'السعر ألف ومئتان وخمسون دولار'],
    ['٢٥% الساعة 19:30', 'خمسة وعشرون بالمئة الساعة السابعة والنصف مساء'],
    ['2000 SAR أو 5000 $', 'ألفان ريال أو خمسة آلاف دولار'],
  ],
  ta: [
    ['₹1,25,000 ஆகும்', 'ஒரு லட்சத்து இருபத்தி ஐந்து ஆயிரம் ரூபாய் ஆகும்'],
    ['மாலை 7:30', 'மாலை ஏழு முப்பது'],
    ['ஓடிபி 4821', 'ஓடிபி நான்கு எட்டு இரண்டு ஒன்று'],
  ],
  te: [
    ['₹1,500 మరియు ₹1', 'వెయ్యి ఐదు వందల రూపాయలు మరియు ఒక రూపాయి'],
    ['19:30 కి', 'సాయంత్రం ఏడు ముప్పై కి'],
  ],
  bn: [
    ['₹৫০০ এবং ₹1.50', 'পাঁচশো টাকা এবং এক টাকা পঞ্চাশ পয়সা'],
    ['২১/১১/২০২৬ তারিখে, 13:30', 'একুশ নভেম্বর দুই হাজার ছাব্বিশ তারিখে, দুপুর দেড়টা'],
  ],
  mr: [
    ['₹1,25,150', 'एक लाख पंचवीस हजार एकशे पन्नास रुपये'],
    ['19:30', 'संध्याकाळी साडे सात वाजता'],
  ],
};

describe.each(Object.entries(CASES))('the spoken form in %s', (language, cases) => {
  it.each(cases)('of "%s"', (written, spoken) => {
    expect(spokenForm(written, language)).toBe(spoken.normalize('NFC'));
  });

  it('has a name of its own for every number up to 1,200', () => {
    const names = Array.from({ length: 1_200 }, (_, at) => spokenForm(`${at + 1}%`, language));
    expect(new Set(names).size).toBe(1_200);
    expect(names.filter((name) => /\d|undefined/.test(name))).toEqual([]);
  });
});

it('there are cases for every language whose spoken form is data', () => {
  expect(Object.keys(CASES).sort()).toEqual(Object.keys(SPOKEN_FORMS).sort());
});

it('the alignment ends words where they end in the written text', () => {
  const written = 'Son 1.250,50 € y ya.';
  const { alignment } = alignedSpokenForm(written, 'es');
  expect(alignment.map((point) => written.slice(0, point.written))).toEqual([
    'Son',
    'Son 1.250,50 €',
    'Son 1.250,50 € y',
    written,
  ]);
});
