/** Numbers of invoices and credit notes: at most 16 letters, digits, `-` and `/`, unique in a financial year (CGST Rules, rule 46). */

/** India's clocks are 5:30 ahead of UTC all year. */
const IST_OFFSET_MS = 5.5 * 3_600_000;
const APRIL = 3;

/** The financial year of India that a moment lies in, 1 April to 31 March: `2026-27`. */
export function financialYear(atMs: number): string {
  const india = new Date(atMs + IST_OFFSET_MS);
  const first = india.getUTCFullYear() - (india.getUTCMonth() < APRIL ? 1 : 0);
  return `${first}-${String((first + 1) % 100).padStart(2, '0')}`;
}

const DAY = new Intl.DateTimeFormat('en-IN', { dateStyle: 'long', timeZone: 'Asia/Kolkata' });

/** The date of a document: `23 November 2026`. */
export const dateText = (at: Date): string => DAY.format(at);

/** `2026-27/000123`, of a credit note `CN/26-27/000123`. */
export function documentNumber(document: 'invoice' | 'credit_note', year: string, sequence: number): string {
  const digits = String(sequence).padStart(6, '0');
  return document === 'invoice' ? `${year}/${digits}` : `CN/${year.slice(2)}/${digits}`;
}
