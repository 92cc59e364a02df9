import { describe, expect, it } from 'vitest';
import type { TextSegment } from '../../../media/playout/spoken-text.ts';
import { createSpeechSegmenter, segmentText } from '../../../media/reply/speech-segmenter.ts';

function cut(chunks: string[], language: string): TextSegment[] {
  const segmenter = createSpeechSegmenter({ language });
  return [...chunks.flatMap((chunk) => segmenter.push(chunk)), ...segmenter.flush()];
}

const spokenOf = (text: string, language: string) =>
  segmentText(text, language)
    .map((segment) => segment.spoken)
    .join(' ');

const ENGLISH = [
  'Your total is ₹1,25,000, due on 21/11/2026 at 7:30 p.m. Shall I go on?',
  'That is $3.50 per person, or $10–20 with drinks.',
  'Rs. 500/- only, Mr. Sharma. Please pay by 5 Nov. or earlier.',
  'We open at 9 a.m. - 5 p.m., Mon - Fri, and 10:00-14:00 on Sat.',
  'Call +91 98765 43210 or 1800-123-4567. Thank you!',
  'The code is AB12-9. The OTP is 4829, valid for 5 min. only.',
  'See Dr. Rao, e.g. on November 21, 2026, on the 1st floor.',
  'It weighs 3.5 kg and is 10-12 km away, i.e. 20 min. by car.',
  'Write to rahul.k99@example.co.in or see https://a.example/b?c=d.e,f today.',
  'I am 25 years old. Plan B is version 2.',
  'A flat of 1200 sq ft costs ₹2.5 crore - ₹3 crore, i.e. a lot.',
  '- **₹500/month** for 2 GB\n- *10%* off until 31st December\n1. First\n2. Second',
  'Is it 5 - 6 people, or 10-15%? No. 204 is free, Smt. Iyer.',
  'Aapka bill Rs 1,200.50 hai, kal 7:30 baje tak. Theek hai?',
  'From 2024-25 on, the 1990s are gone... 24/7, etc. And then?',
  '21st of November is fine; the 22nd isn’t. $5.500, ₹2 lakh!',
  'Rate 4.5/5 stars 😀 for [room 12](https://x.example/12) at 19:00.',
  'Hold on: 1,2,3 - 5*4 is 20; ~5 & 6+ are <3.',
  'St. Mary on Main St. is 2 1/2 hours away. Flight AI-302, please.',
  'At −5°C to 40 °F, 220V, 99.9 %, 3 lakh people, or 12,34,567 of them.',
  'Meet on Fri, 5 Dec at 00:15, or 12 Nov - 3 Dec, or Sept. 5.',
  'My PAN is ABCDE1234F and the order is #48213, Ltd. Co.',
  '007 called 9876543210. 1234 5678 9012 3456 is a card.',
  'Yes. 5. No. 6. Ok. 7 p.m. 8 a.m. Done.',
  '₹',
  '$ 5',
  '12',
  '10-',
  '+91',
  'Rs.',
];
const HINDI = [
  'आपका बिल ₹1,25,000 है, और तारीख 21/11/2026 है। ठीक है?',
  'शाम 7:30 बजे आइए। कल सुबह 10:00 - 17:00 तक खुला है।',
  'डॉ. राव का नंबर +91 98765 43210 है, प्रो. सेन का नहीं।',
  'ओटीपी 4829 है।पिन कोड 560001 है।',
  '10-12 लोग, 3.5 किलो, 5 कि.मी. दूर और 10% छूट।',
  '₹2.5 लाख - ₹3 लाख, यानी रु. 2,50,000 से शुरू।',
  '१०-१२ लोग शाम ७:३० बजे, ₹५०० में।',
  'मेरा order AB12-9 कब आएगा? ईमेल rahul@example.com है।',
  '21 नवंबर 2026 को, सन 1947 में, 2025-26 में।',
  '**5वीं** मंज़िल, नं. 204, 2री गली — चाय & कॉफ़ी, उदा. आम।',
  'Aapka bill ₹500 hai. आपका धन्यवाद।',
  '1.5 करोड़ लोग, ढाई घंटे, 24/7 सेवा, 1/2 किलो।',
  'क्‍या 1️⃣ बजे? 7:15 pm या 19:45!',
  '- ₹500/माह\n- ₹900/माह\nकुल: $3.50',
  'फ़रवरी 2024, 15 अगस्त, सोमवार।',
  '₹१',
];
const OTHER = [
  'Il coûte 12,50 € le 21/11/2026 à 19:00. Bon !',
  'Das kostet 1.250 €, z. B. am 5. Mai - oder 10-12 km.',
  '「はい」、10時です。₹500！',
];
const SAMPLES = [
  ...ENGLISH.map((text) => ['en-IN', text] as const),
  ...HINDI.map((text) => ['hi', text] as const),
  ...OTHER.map((text) => ['fr', text] as const),
  ...ENGLISH.slice(0, 12).map((text) => ['hi-IN', text] as const),
];

describe('the segments do not depend on the chunks', () => {
  it.each(SAMPLES)('%s: %s', (language, text) => {
    const whole = segmentText(text, language);
    expect(whole.map((segment) => segment.original).join('')).toBe(text);
    for (const segment of whole.slice(0, -1)) expect(segment.spoken).not.toBe('');
    expect(cut(text.split(''), language)).toEqual(whole);
    for (let at = 1; at < text.length; at++) {
      expect(cut([text.slice(0, at), text.slice(at)], language)).toEqual(whole);
      expect(cut([text.slice(0, at), text[at]!, text.slice(at + 1)], language)).toEqual(whole);
    }
  });
});

describe('a segment never ends inside a match of a rule', () => {
  const whole = [
    ['en', '₹1,25,000', 'one lakh twenty five thousand rupees'],
    ['en', 'Rs. 500', 'five hundred rupees'],
    ['en', '₹2 lakh', 'two lakh rupees'],
    ['en', '₹500 - ₹700', 'five hundred to seven hundred rupees'],
    ['en', '21 November 2026', 'twenty first of November twenty twenty six'],
    ['en', '21st of November', 'twenty first of November'],
    ['en', 'November 21, 2026', 'November twenty first, twenty twenty six'],
    ['en', '7:30 p.m.', 'seven thirty p m'],
    ['en', '9 a.m. - 5 p.m.', 'nine AM to five p m'],
    ['en', 'Mon - Fri', 'Monday to Friday'],
    ['en', '10 - 12 people', 'ten to twelve people'],
    ['en', '+91 98765 43210', 'plus nine one, nine eight seven six five, four three two one zero'],
    ['en', 'Dr. Rao', 'Doctor Rao'],
    ['en', 'No. 204', 'number two zero four'],
    ['en', 'OTP 4829', 'OTP four eight two nine'],
    ['en', '950 sq. ft. and', 'nine hundred fifty square feet and'],
    ['en', '1200 sq ft', 'one thousand two hundred square feet'],
    ['hi', 'डॉ. राव', 'डॉक्टर राव'],
    ['hi', 'रु. 500', 'पाँच सौ रुपये'],
    ['hi', '21 नवंबर 2026', 'इक्कीस नवंबर दो हज़ार छब्बीस'],
    ['hi', 'शाम 7:30 बजे', 'शाम साढ़े सात बजे'],
    ['hi', '2.5 लाख', 'ढाई लाख'],
  ] as const;

  it.each(whole)('%s: %s', (language, written, spoken) => {
    const filler = language === 'hi' ? 'और ' : 'so ';
    for (let words = 0; words <= 90; words++) {
      const text = `${filler.repeat(words)}${words % 2 === 0 ? '' : 'x '}${written} ${filler.repeat(4)}`;
      expect(spokenOf(text, language).normalize('NFC')).toContain(spoken.normalize('NFC'));
    }
  });

  it('not even for the first clause', () => {
    expect(segmentText('Go to counter No. 5 on the left.', 'en')[0]!.spoken).toBe(
      'Go to counter number 5 on the left.',
    );
    expect(segmentText('It is a walk of 5 min. from here.', 'en')).toHaveLength(1);
    expect(segmentText('We are open - 5 days a week.', 'en')).toHaveLength(1);
  });
});

describe('the language', () => {
  const text = 'That is ₹500 for Dr. Rao.';
  it('changes the spoken form and never the original', () => {
    expect(segmentText(text, 'en')).toMatchObject([
      { spoken: 'That is five hundred rupees for Doctor Rao.', original: text },
    ]);
    expect(segmentText(text, 'ta')).toEqual([{ spoken: text, original: text }]);
  });

  it('is none by default', () => {
    const segmenter = createSpeechSegmenter();
    expect([...segmenter.push(text), ...segmenter.flush()]).toEqual([{ spoken: text, original: text }]);
  });
});
