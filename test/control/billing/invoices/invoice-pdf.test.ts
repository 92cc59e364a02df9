import { extractText } from 'unpdf';
import { describe, expect, it } from 'vitest';
import { amountInWords } from '../../../../control/billing/invoices/amount-in-words.ts';
import { invoicePdf } from '../../../../control/billing/invoices/invoice-pdf.ts';
import { type PrintedChange, printedInvoice } from '../../../support/invoices.ts';

async function textOf(change: PrintedChange = {}): Promise<{ text: string; pages: number; bytes: number }> {
  const pdf = await invoicePdf(printedInvoice(change));
  const { text, totalPages } = await extractText(new Uint8Array(pdf), { mergePages: true });
  return { text: text.replace(/\s+/g, ' '), pages: totalPages, bytes: pdf.length };
}

const ABROAD = { name: 'Globex', address: '1 Main Street\nBoston', gstin: '', state: 'MA', country: 'US' };

describe('the PDF of an invoice', () => {
  it('has every particular of a tax invoice', async () => {
    const { text, pages } = await textOf();
    const particulars = [
      ...[
        'Tax invoice',
        'Original for recipient',
        'Antiphon Voice Private Limited',
        '12 Residency Road',
        'GSTIN 29AAGCB7383J1Z4',
      ],
      ...['State Karnataka (29)', 'Acme Traders', '4 Marine Drive', 'GSTIN 27AAPFU0939F1ZV', '2026-27/000123'],
      // In India the day has begun.
      ...['23 November 2026', 'Place of supply Maharashtra (27)', 'Reverse charge No', 'SAC 998319', 'pay_T1'],
      ...['Taxable value', '₹1,000.50', 'IGST 18 %', '₹180.09', 'Total', '₹1,180.59', 'Page 1 of 1'],
      'Rupees one thousand one hundred eighty and fifty-nine paise only',
    ];
    for (const particular of particulars) expect(text).toContain(particular);
    expect(pages).toBe(1);
  });

  it('has both halves of the tax within a state, UTGST in a territory', async () => {
    const within = await textOf({ buyer: { gstin: '', state: 'Karnataka' } });
    expect(within.text).toMatch(/CGST 9 % ₹90.05 .*SGST 9 % ₹90.05/);
    const territory = await textOf({
      seller: { gstin: '04AAGCB7383J1ZG' },
      buyer: { gstin: '', state: 'Chandigarh' },
    });
    expect(territory.text).toMatch(/CGST 9 % .*UTGST 9 %/);
  });

  it('says of an export that no tax is charged, under which undertaking, and its value in rupees', async () => {
    const { text } = await textOf({ currency: 'USD', amount_paise: 40_000, buyer: ABROAD });
    const words = [
      ...['Other country (96)', 'Destination United States', '$400.00', 'Export of services; no GST is charged.'],
      ...['WITHOUT PAYMENT OF INTEGRATED TAX', 'AD290326000123X', '₹35,200.00, at ₹88.00 a dollar'],
    ];
    for (const each of words) expect(text).toContain(each);
    expect(text).not.toContain('GST 18');
  });

  it('paid from credits says where the tax was charged', async () => {
    const { text } = await textOf({ paid_from: 'credits', payment_id: null });
    expect(text).toContain('Paid from prepaid credits. GST was charged when the credits were bought');
    expect(text).not.toMatch(/Tax invoice|IGST/);
  });

  it('paid from credits says nothing of a tax that was not charged', async () => {
    const { text } = await textOf({ paid_from: 'credits', payment_id: null, currency: 'USD', buyer: ABROAD });
    expect(text).toContain('Paid from prepaid credits.');
    expect(text).not.toContain('GST was charged');
  });

  it('of a seller that is not registered names no tax', async () => {
    const { text } = await textOf({ seller: { gstin: '' } });
    expect(text).not.toMatch(/Tax invoice|IGST|Reverse charge/);
  });

  it('in place of a credit note is a supplementary one', async () => {
    expect((await textOf({ key: 'reversal:rfnd_1:returned' })).text).toContain('Supplementary invoice');
  });

  it('of a credit note names its invoice', async () => {
    const credited = { number: '2026-27/000123', issued_at: new Date('2026-11-22T20:00:00Z') };
    const { text } = await textOf({ document: 'credit_note', number: 'CN/26-27/000004', credited });
    for (const each of [
      'Credit note',
      'CN/26-27/000004',
      'For invoice 2026-27/000123',
      'Invoice date 23 November 2026',
    ]) {
      expect(text).toContain(each);
    }
  });

  it.each([
    ['Devanagari', 'श्री लक्ष्मी ट्रेडर्स प्राइवेट लिमिटेड'],
    ['Bengali', 'শ্রীলক্ষ্মী ট্রেডার্স'],
    ['Gurmukhi', 'ਸ੍ਰੀ ਗੁਰੂ ਟਰੇਡਰਜ਼'],
    ['Gujarati', 'શ્રી લક્ષ્મી ટ્રેડર્સ'],
    ['Oriya', 'ଶ୍ରୀ ଲକ୍ଷ୍ମୀ ଟ୍ରେଡର୍ସ'],
    ['Tamil', 'ஸ்ரீ லட்சுமி டிரேடர்ஸ் கோ'],
    ['Telugu', 'శ్రీ లక్ష్మీ ట్రేడర్స్'],
    ['Kannada', 'ಶ್ರೀ ಲಕ್ಷ್ಮಿ ಟ್ರೇಡರ್ಸ್'],
    ['Malayalam', 'ശ്രീ ലക്ഷ്മി ട്രേഡേഴ്സ്'],
    ['Latin with signs', 'Łódź – “Café” ₹'],
  ])('shows a name in %s, in a file below 200 KB', async (_, name) => {
    const { text, bytes } = await textOf({ buyer: { name } });
    for (const letter of new Set(name.normalize('NFD').replace(/\s/g, '')))
      expect(text.normalize('NFD')).toContain(letter);
    expect(bytes).toBeLessThan(60_000);
  });

  it('stays on its page with the longest details', async () => {
    const long = 'W'.repeat(200);
    const buyer = { name: long, address: [long, long, 'W'.repeat(121), 'W'.repeat(100), 'India'].join('\n') };
    expect(await textOf({ buyer, description: long })).toMatchObject({ pages: 1 });
  });
});

describe('an amount in words', () => {
  it.each([
    [
      1_234_567_890,
      'INR',
      'Rupees one crore twenty-three lakh forty-five thousand six hundred seventy-eight and ninety paise only',
    ],
    [100, 'INR', 'Rupees one only'],
    [50, 'INR', 'Rupees zero and fifty paise only'],
    [12_000_019, 'USD', 'US dollars one hundred twenty thousand and nineteen cents only'],
  ] as const)('%d %s', (paise, currency, words) => {
    expect(amountInWords(paise, currency)).toBe(words);
  });
});
