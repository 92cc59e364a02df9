import { getDocumentProxy, getResolvedPDFJS } from 'unpdf';
import { expect, it } from 'vitest';
import { invoicePdf, type PrintedDocument } from '../../../../control/billing/invoices/invoice-pdf.ts';
import { printedInvoice } from '../../../support/invoices.ts';

/**
 * The texts of a document in the order of writing, as `left–right bottom text`, and its rules as `left–right top`; in
 * points, texts from the lower edge, rules from the upper one.
 */
async function layoutOf(document: PrintedDocument): Promise<string[]> {
  const { OPS } = await getResolvedPDFJS();
  const pdf = await getDocumentProxy(new Uint8Array(await invoicePdf(document)));
  const page = await pdf.getPage(1);
  const { items } = await page.getTextContent();
  const texts = items.flatMap((item) => {
    if (!('str' in item) || item.str.trim() === '') return [];
    const [left, bottom] = item.transform.slice(4) as [number, number];
    return [`${span(left, left + item.width)} ${Math.round(bottom)} ${item.str}`];
  });
  const { fnArray, argsArray } = await page.getOperatorList();
  const rules = fnArray.flatMap((operation, at) => {
    if (operation !== OPS.constructPath) return [];
    const [left, bottom, right] = argsArray[at][2] as [number, number, number];
    return [`${span(left, right)} ${Math.round(bottom)}`];
  });
  return [...texts, ...rules];
}

const span = (left: number, right: number) => `${Math.round(left)}–${Math.round(right)}`;

it('a tax invoice', async () => {
  expect(await layoutOf(printedInvoice())).toEqual([
    '48–249 780 Antiphon Voice Private Limited',
    '48–131 765 12 Residency Road',
    '48–130 751 Bengaluru 560025',
    '48–93 738 Karnataka',
    '48–71 724 India',
    '48–161 710 GSTIN 29AAGCB7383J1Z4',
    '48–138 696 State Karnataka (29)',
    '448–547 775 Tax invoice',
    '464–547 759 Original for recipient',
    '48–81 655 Billed to',
    '48–112 642 Acme Traders',
    '48–113 628 4 Marine Drive',
    '48–120 615 Mumbai 400020',
    '48–105 601 Maharashtra',
    '48–71 587 India',
    '48–162 573 GSTIN 27AAPFU0939F1ZV',
    '298–360 655 Invoice number',
    '386–457 654 2026-27/000123',
    '298–316 642 Date',
    '386–470 641 23 November 2026',
    '298–357 628 Place of supply',
    '386–462 627 Maharashtra (27)',
    '298–359 614 Reverse charge',
    '386–399 613 No',
    '298–333 600 Payment',
    '386–413 600 pay_T1',
    '48–97 542 Description',
    '490–547 542 Taxable value',
    '504–510 517 ₹',
    '510–547 517 1,000.50',
    '48–79 517 Credits',
    '48–95 505 SAC 998319',
    '48–92 475 IGST 18 %',
    '512–518 475 ₹',
    '518–547 475 180.09',
    '48–76 457 Total',
    '495–501 457 ₹',
    '501–547 457 1,180.59',
    '48–314 440 Rupees one thousand one hundred eighty and fifty-nine paise only',
    '48–223 406 Paid; the credits were added to the balance.',
    '48–234 53 Issued electronically; valid without a signature.',
    '503–547 53 Page 1 of 1',
    '48–547 164',
    '48–547 306',
    '48–547 349',
    '48–547 415',
  ]);
});

it('an invoice that is paid from credits, with long texts and a seller without an address', async () => {
  const buyer = { name: 'Acme Traders and Sons '.repeat(3).trim(), address: '', gstin: '' };
  const seller = { name: 'Antiphon', address: '', gstin: '' };
  const more = { description: `Plan Growth ${'with many lines '.repeat(8)}`.trim(), payment_id: null };
  expect(await layoutOf(printedInvoice({ buyer, seller, paid_from: 'credits', ...more }))).toEqual([
    '48–108 780 Antiphon',
    '482–547 775 Invoice',
    '464–547 759 Original for recipient',
    '48–81 719 Billed to',
    '48–269 705 Acme Traders and Sons Acme Traders and Sons',
    '48–157 691 Acme Traders and Sons',
    '298–360 719 Invoice number',
    '386–457 717 2026-27/000123',
    '298–316 705 Date',
    '386–470 704 23 November 2026',
    '298–357 691 Place of supply',
    '386–462 690 Maharashtra (27)',
    '48–97 659 Description',
    '513–547 659 Amount',
    '504–510 634 ₹',
    '510–547 634 1,000.50',
    '48–392 634 Plan Growth with many lines with many lines with many lines with many lines',
    '48–334 620 with many lines with many lines with many lines with many lines',
    '48–95 608 SAC 998319',
    '48–76 574 Total',
    '495–501 574 ₹',
    '501–547 574 1,000.50',
    '48–213 557 Rupees one thousand and fifty paise only',
    '48–151 522 Paid from prepaid credits.',
    '48–234 53 Issued electronically; valid without a signature.',
    '503–547 53 Page 1 of 1',
    '48–547 100',
    '48–547 190',
    '48–547 246',
    '48–547 299',
  ]);
});
