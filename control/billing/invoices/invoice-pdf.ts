import PDFDocument from 'pdfkit';
import { type TextStyle, writeText } from '../../pdf/page-text.ts';
import { moneyText } from '../money-text.ts';
import { amountInWords } from './amount-in-words.ts';
import { stateOfGstin } from './gst.ts';
import { dateText } from './invoice-number.ts';
import { type DocumentRow, replacesNote } from './invoice-rows.ts';
import { countryName, type InvoiceTerms } from './invoice-terms.ts';

/** What a document is printed from; `credited` is the invoice that a credit note is on. */
export interface PrintedDocument extends DocumentRow {
  credited: Pick<DocumentRow, 'number' | 'issued_at'> | null;
}

const MARGIN = 48;
/** Between the margins of A4. */
const WIDTH = 595.28 - 2 * MARGIN;
const RIGHT_COLUMN = { x: MARGIN + WIDTH / 2, width: WIDTH / 2 };
const SMALL: TextStyle = { size: 8.5, color: '#5b6875' };
const NORMAL: TextStyle = { size: 9.5 };
const RULE = '#d5dbe1';
const AMOUNT_WIDTH = 130;
/** Of the facts; beside it a payment's id fits on one line. */
const LABEL_WIDTH = 88;
/** Union territories without a legislature levy UTGST where states levy SGST. */
const UNION_TERRITORIES = ['04', '26', '31', '35', '38'];
/** The words of rule 96A of the CGST Rules. */
const EXPORT_UNDER_LUT =
  'SUPPLY MEANT FOR EXPORT/SUPPLY TO SEZ UNIT OR SEZ DEVELOPER FOR AUTHORISED OPERATIONS UNDER BOND OR LETTER OF UNDERTAKING ' +
  'WITHOUT PAYMENT OF INTEGRATED TAX';

/** Prints an invoice or a credit note on one A4 page, with the particulars of rules 46 and 53 of the CGST Rules. */
export async function invoicePdf(document: PrintedDocument): Promise<Buffer> {
  const { number, issued_at, terms } = document;
  const page = new PDFDocument({
    ...{ size: 'A4', margin: 0, lang: 'en-IN', font: null as never },
    info: { Title: `${titleOf(document)} ${number}`, Author: terms.seller.name, CreationDate: issued_at },
  });
  const line = (y: number) =>
    page
      .moveTo(MARGIN, y)
      .lineTo(MARGIN + WIDTH, y)
      .lineWidth(0.6)
      .strokeColor(RULE)
      .stroke();
  const write = (text: string, y: number, style: TextStyle, box = { x: MARGIN, width: WIDTH }) =>
    writeText(page, text, { ...box, y }, style);
  const row = (label: string, value: string, y: number, style: TextStyle = NORMAL) => {
    write(label, y, style, { x: MARGIN, width: WIDTH - AMOUNT_WIDTH - 12 });
    return write(value, y, { ...style, align: 'right' }, { x: MARGIN + WIDTH - AMOUNT_WIDTH, width: AMOUNT_WIDTH });
  };

  const half = { x: MARGIN, width: WIDTH / 2 - 24 };
  const left = writeSeller(write, terms, half);
  const right = write(titleOf(document), MARGIN, { size: 18, bold: true, align: 'right' }, RIGHT_COLUMN);
  let y = write('Original for recipient', right, { ...SMALL, align: 'right' }, RIGHT_COLUMN);
  y = Math.max(left, y) + 14;
  line(y);
  y += 14;
  const billed = writeBuyer(write, terms, y, half);
  for (const [label, value] of factsOf(document)) {
    write(label, y, SMALL, { x: RIGHT_COLUMN.x, width: LABEL_WIDTH });
    const box = { x: RIGHT_COLUMN.x + LABEL_WIDTH, width: RIGHT_COLUMN.width - LABEL_WIDTH };
    y = write(value, y, label === 'Payment' ? { size: SMALL.size } : NORMAL, box);
  }
  y = Math.max(billed, y) + 18;

  row('Description', document.tax_lines.length > 0 ? 'Taxable value' : 'Amount', y, { ...SMALL, bold: true });
  y += 16;
  line(y);
  y += 8;
  const { currency, description, amount_paise, tax_lines, total_paise } = document;
  row('', moneyText(amount_paise, currency), y);
  y = write(description, y, NORMAL, { x: MARGIN, width: WIDTH - AMOUNT_WIDTH - 12 });
  y = write(`SAC ${terms.seller.sac}`, y, SMALL) + 8;
  line(y);
  y += 8;
  for (const { name, rate_percent, amount_paise: tax } of tax_lines) {
    const isTerritory = name === 'SGST' && UNION_TERRITORIES.includes(terms.place_of_supply.code);
    y = row(`${isTerritory ? 'UTGST' : name} ${rate_percent} %`, moneyText(tax, currency), y);
  }
  y = row('Total', moneyText(total_paise, currency), y + 2, { size: 11.5, bold: true });
  y = write(amountInWords(total_paise, currency), y + 4, SMALL) + 10;
  line(y);
  y += 12;
  for (const note of notesOf(document)) y = write(note, y, SMALL) + 4;

  write('Issued electronically; valid without a signature.', 842 - MARGIN - 14, SMALL);
  write('Page 1 of 1', 842 - MARGIN - 14, { ...SMALL, align: 'right' });
  page.end();
  return Buffer.concat(await page.toArray());
}

type Write = (text: string, y: number, style: TextStyle, box?: { x: number; width: number }) => number;

function writeSeller(write: Write, { seller }: InvoiceTerms, box: { x: number; width: number }): number {
  let y = write(seller.name, MARGIN, { size: 13, bold: true }, box);
  if (seller.address !== '') y = write(seller.address, y, NORMAL, box);
  if (seller.gstin === '') return y;
  const { code, name } = stateOfGstin(seller.gstin)!;
  return write(`GSTIN ${seller.gstin}\nState ${name} (${code})`, y, NORMAL, box);
}

function writeBuyer(write: Write, { buyer }: InvoiceTerms, top: number, box: { x: number; width: number }): number {
  let y = write('Billed to', top, SMALL, box);
  y = write(buyer.name, y, { ...NORMAL, bold: true }, box);
  if (buyer.address !== '') y = write(buyer.address, y, NORMAL, box);
  return buyer.gstin === '' ? y : write(`GSTIN ${buyer.gstin}`, y, NORMAL, box);
}

function titleOf(row: DocumentRow): string {
  const { document, paid_from, terms } = row;
  if (document === 'credit_note') return 'Credit note';
  // Section 34 (3) of the CGST Act asks for a debit note, which by its explanation includes a supplementary invoice
  // (taxdose.com/debit-note-supplementary-invoice-gst-amount-charged-less).
  if (replacesNote(row)) return 'Supplementary invoice';
  return paid_from === 'gateway' && terms.seller.gstin !== '' ? 'Tax invoice' : 'Invoice';
}

function factsOf({ document, number, issued_at, terms, payment_id, credited }: PrintedDocument): [string, string][] {
  const { place_of_supply, seller, treatment, buyer } = terms;
  const { code, name } = place_of_supply;
  return [
    [document === 'credit_note' ? 'Credit note number' : 'Invoice number', number],
    ['Date', dateText(issued_at)],
    ...(credited
      ? ([
          ['For invoice', credited.number],
          ['Invoice date', dateText(credited.issued_at)],
        ] as [string, string][])
      : []),
    ...(code === '' ? [] : [['Place of supply', `${name} (${code})`] as [string, string]]),
    ...(treatment === 'export' ? [['Destination', countryName(buyer.country)] as [string, string]] : []),
    ...(seller.gstin === '' ? [] : [['Reverse charge', 'No'] as [string, string]]),
    ...(payment_id === null ? [] : [['Payment', payment_id] as [string, string]]),
  ];
}

function notesOf({ terms, paid_from, document, total_paise }: DocumentRow): string[] {
  const { treatment, seller, paise_per_dollar } = terms;
  const notes: string[] = [];
  if (paid_from === 'credits') {
    const isTaxed = treatment === 'intra_state' || treatment === 'inter_state';
    const charged = isTaxed ? ' GST was charged when the credits were bought; this invoice adds none.' : '';
    notes.push(`Paid from prepaid credits.${charged}`);
  } else if (document === 'invoice') notes.push('Paid; the credits were added to the balance.');
  if (treatment === 'export' && paid_from === 'gateway') {
    notes.push('Export of services; no GST is charged.');
    if (seller.lut !== '') notes.push(EXPORT_UNDER_LUT, `Letter of undertaking ${seller.lut}`);
  }
  if (paise_per_dollar !== null && paid_from === 'gateway') {
    const rupees = Math.round((total_paise * paise_per_dollar) / 100);
    notes.push(`Value in rupees ${moneyText(rupees, 'INR')}, at ${moneyText(paise_per_dollar, 'INR')} a dollar.`);
  }
  return notes;
}
