import { describe, expect, it } from 'vitest';
import { spokenForm } from '../../../media/reply/spoken-form.ts';

type Case = readonly [written: string, spoken: string];

const ENGLISH: Record<string, readonly Case[]> = {
  money: [
    ['₹1,25,000', 'one lakh twenty five thousand rupees'],
    ['₹125,000', 'one lakh twenty five thousand rupees'],
    ['₹1,00,00,000', 'one crore rupees'],
    ['₹1', 'one rupee'],
    ['₹0.50', 'fifty paise'],
    ['₹1,200.50', 'one thousand two hundred rupees and fifty paise'],
    ['Rs.500', 'five hundred rupees'],
    ['Rs 500 ka bill', 'five hundred rupees ka bill'],
    ['INR 2,500', 'two thousand five hundred rupees'],
    ['The fee is ₹1,500/-.', 'The fee is one thousand five hundred rupees.'],
    ['₹2 lakh', 'two lakh rupees'],
    ['₹2.5 crore', 'two point five crore rupees'],
    ['₹2 crore 50 lakh', 'two crore fifty lakh rupees'],
    ['₹3L or ₹2Cr or ₹75k', 'three lakh rupees or two crore rupees or seventy five thousand rupees'],
    ['₹500-₹700', 'five hundred to seven hundred rupees'],
    ['Rs 500 - 700', 'five hundred to seven hundred rupees'],
    ['₹1-2 lakh', 'one to two lakh rupees'],
    ['₹500/month', 'five hundred rupees per month'],
    ['item 12 Rs. 500', 'item 12 five hundred rupees'],
    ['I have 5 ₹500 notes', 'I have 5 five hundred rupees notes'],
    ['US$ 20 or AED 5', 'twenty dollars or five dirhams'],
    ['500 INR', 'five hundred rupees'],
    ['-₹500', 'minus five hundred rupees'],
    ['$3.50', 'three dollars fifty'],
    ['$1.05', 'one dollar and five cents'],
    ['$0.99', 'ninety nine cents'],
    ['$0', 'zero dollars'],
    ['$5.500', 'five thousand five hundred dollars'],
    ['$1,234,567.89', 'one million two hundred thirty four thousand five hundred sixty seven dollars eighty nine'],
    ['$3M and $1.5 billion', 'three million dollars and one point five billion dollars'],
    ['£3.50 or 20€', 'three pounds fifty or twenty euros'],
    ['$10–20', 'ten to twenty dollars'],
  ],
  dates: [
    ['2026-11-21', 'twenty first of November twenty twenty six'],
    ['21/11/2026', 'twenty first of November twenty twenty six'],
    ['11/21/2026', 'twenty first of November twenty twenty six'],
    ['01/02/26', 'first of February twenty twenty six'],
    ['the 21 Nov 2026', 'the twenty first of November twenty twenty six'],
    ['21st of November', 'twenty first of November'],
    ['November 21, 2026', 'November twenty first, twenty twenty six'],
    ['10-12 November', 'tenth to twelfth of November'],
    ['Dec 31st', 'December thirty first'],
    ['10 march 2005', 'tenth of March two thousand five'],
    ['in May 2026', 'in May twenty twenty six'],
    ['on 5 Nov.', 'on fifth of November.'],
    ['Sat, 21 Nov', 'Saturday, twenty first of November'],
    ['Mon-Fri', 'Monday to Friday'],
    ['in 1999.', 'in nineteen ninety nine.'],
    ['in 2026 the', 'in twenty twenty six the'],
    ['Between 2019 and 2023 we grew', 'Between twenty nineteen and twenty twenty three we grew'],
    ['2024-25', 'twenty twenty four to twenty five'],
    ['the 1990s', 'the nineteen nineties'],
    ['FY2024-25', 'F Y twenty twenty four to twenty five'],
  ],
  times: [
    ['7:30 p.m.', 'seven thirty p m.'],
    ['at 7:30 p.m. today', 'at seven thirty p m today'],
    ['We open at 9 a.m., daily', 'We open at nine AM, daily'],
    ['at 19:00', 'at seven p m'],
    ['at 00:15', 'at twelve fifteen AM'],
    ['at 07:05', 'at seven oh five'],
    ['at 10:00', "at ten o'clock"],
    ['at 10:00 in the morning', 'at ten in the morning'],
    ['9:00-17:00', 'nine to five p m'],
    ['10am-5pm', 'ten AM to five p m'],
    ['7-8 pm', 'seven to eight p m'],
    ['11 a.m. - 2 p.m.', 'eleven AM to two p m.'],
    ['kal 7:30 baje aaiye', 'kal seven thirty baje aaiye'],
    ['7.30 baje', 'seven thirty baje'],
  ],
  'telephones and codes': [
    ['+91 98765 43210', 'plus nine one, nine eight seven six five, four three two one zero'],
    ['+919876543210', 'plus nine one, nine eight seven six five, four three two one zero'],
    ['9876543210', 'nine eight seven six five, four three two one zero'],
    ['Call 1800-123-4567', 'Call one eight zero zero, one two three, four five six seven'],
    ['(022) 2345 6789', 'zero two two, two three four five, six seven eight nine'],
    ['+1 415-555-2671', 'plus one, four one five, five five five, two six seven one'],
    ['555-1234', 'five five five, one two three four'],
    ['1234 5678 9012', 'one two three four, five six seven eight, nine zero one two'],
    ['Your OTP is 4829.', 'Your OTP is four eight two nine.'],
    ['PIN code 560001', 'PIN code five six zero zero zero one'],
    ['No. 204', 'number two zero four'],
    ['order #48213', 'order number four eight two one three'],
    ['Order AB12-9', 'Order A B one two, nine'],
    ['ticket #A1234, number #77', 'ticket number A one two three four, number 77'],
    ['flight AI-302', 'flight A I, three zero two'],
    ['ORDER-1234', 'ORDER, one two three four'],
    ['KA01AB1234', 'K A zero one A B one two three four'],
    ['007', 'zero zero seven'],
  ],
  'numbers and measures': [
    ['10%', 'ten percent'],
    ['10-15%', 'ten to fifteen percent'],
    ['99.9 %', 'ninety nine point nine percent'],
    ['3 km', 'three kilometres'],
    ['1 kg', 'one kilogram'],
    ['5 min. walk', 'five minutes walk'],
    ['It is 3 km. Then left', 'It is three kilometres. Then left'],
    ['1200 sq ft', 'one thousand two hundred square feet'],
    ['40 km/h', 'forty kilometres per hour'],
    ['5 kg/day', 'five kilograms per day'],
    ['-5°C', 'minus five degrees Celsius'],
    ['5\'8" tall', 'five feet eight tall'],
    ['8.5% p.a.', 'eight point five percent per annum.'],
    ['220V and 32GB', 'two hundred twenty volts and thirty two gigabytes'],
    ['10-12 people', 'ten to twelve people'],
    ['10 – 12', 'ten to twelve'],
    ['3.5', 'three point five'],
    ['0.05', 'zero point zero five'],
    ['12,34,567', 'twelve lakh thirty four thousand five hundred sixty seven'],
    ['1,000,000', 'one million'],
    ['125000 users', 'one lakh twenty five thousand users'],
    ['1.2.3', 'one point two point three'],
    ['4.5/5', 'four point five out of five'],
    ['2 1/2 hours', 'two and a half hours'],
    ['24/7', 'twenty four seven'],
    ['1st, 2nd, 3rd, 12th and 113th', 'first, second, third, twelfth and one hundred thirteenth'],
    ['10th-12th', 'tenth to twelfth'],
    ['5+ years, ~5', '5 plus years, about 5'],
  ],
  words: [
    ['Dr. Rao', 'Doctor Rao'],
    ['Mr. & Mrs. Iyer', 'Mister and Missus Iyer'],
    ['St. Mary on Main St. today', 'Saint Mary on Main street today'],
    ['e.g. Kesar, i.e. mango', 'for example Kesar, that is mango'],
    ['pizza, pasta, etc.', 'pizza, pasta, et cetera.'],
    ['India vs. England', 'India versus England'],
    ['Pvt. Ltd.', 'private limited.'],
    ['tea & coffee', 'tea and coffee'],
    ['rahul.k99@example.co.in.', 'rahul dot k nine nine at example dot co dot in.'],
    ['foo_bar@x.io', 'foo underscore bar at x dot i o'],
    ['https://www.example.com/help?id=5.', 'example dot com slash help.'],
    ['see example.com, please', 'see example dot com, please'],
    ['I love it <3', 'I love it'],
  ],
};

const HINDI: Record<string, readonly Case[]> = {
  money: [
    ['₹1,25,000', 'एक लाख पच्चीस हज़ार रुपये'],
    ['₹१,२५,०००', 'एक लाख पच्चीस हज़ार रुपये'],
    ['₹1', 'एक रुपया'],
    ['₹0.50', 'पचास पैसे'],
    ['₹1200.50', 'एक हज़ार दो सौ रुपये पचास पैसे'],
    ['रु. 500', 'पाँच सौ रुपये'],
    ['₹2.5 लाख', 'ढाई लाख रुपये'],
    ['₹1 करोड़', 'एक करोड़ रुपये'],
    ['₹3 लाख 50 हज़ार', 'तीन लाख पचास हज़ार रुपये'],
    ['₹500-700', 'पाँच सौ से सात सौ रुपये'],
    ['₹500/माह', 'पाँच सौ रुपये प्रति माह'],
    ['$3.50', 'तीन डॉलर पचास सेंट'],
    ['$1,234', 'एक हज़ार दो सौ चौंतीस डॉलर'],
  ],
  'dates and times': [
    ['21/11/2026', 'इक्कीस नवंबर दो हज़ार छब्बीस'],
    ['2026-11-21', 'इक्कीस नवंबर दो हज़ार छब्बीस'],
    ['21 नवम्बर', 'इक्कीस नवंबर'],
    ['21-22 नवंबर', 'इक्कीस से बाईस नवंबर'],
    ['1 जनवरी 1999', 'एक जनवरी उन्नीस सौ निन्यानवे'],
    ['अगस्त 2025 में', 'अगस्त दो हज़ार पच्चीस में'],
    ['1999 में', 'उन्नीस सौ निन्यानवे में'],
    ['आपका appointment 21 November को 7:30 PM पर है', 'आपका appointment इक्कीस नवंबर को शाम साढ़े सात बजे पर है'],
    ['शाम 7:30 बजे', 'शाम साढ़े सात बजे'],
    ['शाम ७:३० बजे', 'शाम साढ़े सात बजे'],
    ['कल 7:15 बजे', 'कल सवा सात बजे'],
    ['सुबह 6:45 बजे', 'सुबह पौने सात बजे'],
    ['1:30 बजे', 'डेढ़ बजे'],
    ['12:45', 'पौने एक बजे'],
    ['7:20 बजे', 'सात बजकर बीस मिनट'],
    ['7:30 pm', 'शाम साढ़े सात बजे'],
    ['19:00', 'शाम सात बजे'],
    ['14:00-16:30', 'दोपहर दो बजे से शाम साढ़े चार बजे'],
    ['5-6 बजे', 'पाँच से छह बजे'],
  ],
  'telephones and codes': [
    ['+91 98765 43210', 'प्लस नौ एक, नौ आठ सात छह पाँच, चार तीन दो एक शून्य'],
    ['आपका ओटीपी 4829 है', 'आपका ओटीपी चार आठ दो नौ है'],
    ['पिन कोड 560001', 'पिन कोड पाँच छह शून्य शून्य शून्य एक'],
    ['आर्डर AB12-9', 'आर्डर A B एक दो, नौ'],
    ['ईमेल rahul@example.com है', 'ईमेल rahul ऐट example डॉट com है'],
  ],
  'numbers and measures': [
    ['10%', 'दस प्रतिशत'],
    ['5 किमी', 'पाँच किलोमीटर'],
    ['3 km दूर', 'तीन किलोमीटर दूर'],
    ['40°C', 'चालीस डिग्री सेल्सियस'],
    ['2.5 hr', 'ढाई घंटे'],
    ['10-12 लोग', 'दस से बारह लोग'],
    ['१०-१२ लोग', 'दस से बारह लोग'],
    ['3.5', 'तीन दशमलव पाँच'],
    ['1.5 करोड़', 'डेढ़ करोड़'],
    ['1,25,00,000', 'एक करोड़ पच्चीस लाख'],
    ['100000', 'एक लाख'],
    ['1/2 किलो', 'आधा किलो'],
    ['5वीं मंज़िल', 'पाँचवीं मंज़िल'],
    ['4थी मंज़िल', 'चौथी मंज़िल'],
  ],
  words: [
    ['डॉ. राव', 'डॉक्टर राव'],
    ['Dr. शर्मा', 'डॉक्टर शर्मा'],
    ['नं. 5', 'नंबर 5'],
    ['चाय & कॉफ़ी', 'चाय और कॉफ़ी'],
    ['उदा. आम', 'उदाहरण के लिए आम'],
    // Hindi in Latin letters.
    ['Aapka bill ₹1,25,000 hai', 'Aapka bill one lakh twenty five thousand rupees hai'],
  ],
};

const UNTOUCHED = [
  'I am 25 years old',
  'Plan B',
  'version 2',
  'v2.1',
  'I have 3 cats, 12 dogs.',
  'B2B, 5G, T20, MP3, H2O, COVID-19, iPhone 15, 1080P',
  'a 5-star, 24-hour place',
  '1, 2, 3',
  '1,2,3',
  'May I help you?',
  'room 20 may be free',
  'Mon ami, the sun rises',
  'Gen Z',
  "don't",
  'we won 3-2',
  '16:9',
  '10:30:15',
  '31/02/2026',
  'of 2000 people',
  'C++',
  'a 3 v 3 match',
  '₹ % $ @ # .',
  '',
];
const UNTOUCHED_HINDI = ['मैं 25 साल का हूँ', '500 रुपये', '१० से १२ लोग', 'मेरा order ready है', '2 घंटे'];

const composed = (text: string) => text.normalize('NFC');

describe.each(Object.entries(ENGLISH))('English: %s', (_, cases) => {
  it.each(cases)('%s', (written, spoken) => {
    expect(spokenForm(written, 'en-IN')).toBe(spoken);
  });
});

describe.each(Object.entries(HINDI))('Hindi: %s', (_, cases) => {
  it.each(cases)('%s', (written, spoken) => {
    expect(composed(spokenForm(written, 'hi-IN'))).toBe(composed(spoken));
  });
});

describe('what synthesizers read well', () => {
  it.each(UNTOUCHED)('stays: %s', (text) => {
    expect(spokenForm(text, 'en')).toBe(text);
  });
  it.each(UNTOUCHED_HINDI)('stays: %s', (text) => {
    expect(spokenForm(text, 'hi')).toBe(composed(text));
  });
});

describe('other languages', () => {
  it.each(['it-IT', 'mr', ''])('%j stays as it is written', (language) => {
    expect(spokenForm('12,50 € le 21/11/2026, Dr. Rao ₹500', language)).toBe('12,50 € le 21/11/2026, Dr. Rao ₹500');
  });
});

describe('the names of numbers', () => {
  const said = (language: string) =>
    Array.from({ length: 99 }, (_, index) =>
      spokenForm(`${index + 1}%`, language)
        .split(' ')
        .slice(0, -1)
        .join(' '),
    );

  it('are all different', () => {
    expect(new Set(said('en')).size).toBe(99);
    expect(new Set(said('hi')).size).toBe(99);
    expect(said('hi')[98]).toBe('निन्यानवे');
    expect(said('hi')[48]).toBe('उनचास');
  });
});

describe('running time', () => {
  it.each([
    ['digits', '1'],
    ['letters', 'a'],
    ['groups', '1,234,'],
    ['labels', 'a.'],
    ['dashes', 'A1-'],
    ['a number and a space', '12 '],
    ['signs', '₹'],
    ['addresses', 'a@'],
    ['spaces', ' '],
    ['months', 'Nov 21 - '],
    ['danda', '।1'],
  ])(
    '%s: grows with the length only',
    (_, part) => {
      const text = part.repeat(Math.ceil(60_000 / part.length));
      expect(spokenForm(text, 'en').length).toBeGreaterThan(0);
      expect(spokenForm(text, 'hi').length).toBeGreaterThan(0);
    },
    30_000,
  );
});
