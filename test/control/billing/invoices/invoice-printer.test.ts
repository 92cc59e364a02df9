import { extractText } from 'unpdf';
import { afterEach, describe, expect, it } from 'vitest';
import type { PrintedDocument } from '../../../../control/billing/invoices/invoice-pdf.ts';
import { createInvoicePrinter, type InvoicePrinter } from '../../../../control/billing/invoices/invoice-printer.ts';
import { systemClock } from '../../../../shared/clock.ts';
import { createLogger } from '../../../../shared/log.ts';
import { printedInvoice } from '../../../support/invoices.ts';

const log = createLogger('control', 'silent');
const UNRELIABLE = new URL('../../../support/unreliable-printer.ts', import.meta.url);

let printer: InvoicePrinter;
afterEach(() => printer.close());

const numbered = (number: string) => ({ number }) as PrintedDocument;
const textOf = (pdf: Buffer) => extractText(new Uint8Array(pdf), { mergePages: true });

it('prints an invoice in a thread of its own', async () => {
  printer = createInvoicePrinter({ clock: systemClock, log });
  const [first, second] = await Promise.all([
    printer.print(printedInvoice({ number: '2026-27/000001' })),
    printer.print(printedInvoice({ number: '2026-27/000002' })),
  ]);
  expect((await textOf(first)).text).toContain('2026-27/000001');
  expect((await textOf(second)).text).toContain('2026-27/000002');
});

it('refuses more documents than it can print soon', async () => {
  printer = createInvoicePrinter({ clock: systemClock, log, script: UNRELIABLE });
  const results = await Promise.allSettled(Array.from({ length: 22 }, () => printer.print(numbered('a'))));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
  expect(results.at(-1)).toMatchObject({ reason: { status: 429 } });
});

/** A clock whose timers of so many milliseconds run when `expire` is called. */
function clockWithout(delayMs: number) {
  const held: (() => void)[] = [];
  const after = (ms: number, run: () => void) => {
    if (ms !== delayMs) return systemClock.after(ms, run);
    held.push(run);
    return { cancel: () => void held.splice(held.indexOf(run), 1) };
  };
  return { clock: { ...systemClock, after }, expire: () => held[0]!() };
}

it('ends its thread when there is nothing to print', async () => {
  const { clock, expire } = clockWithout(60_000);
  printer = createInvoicePrinter({ clock, log, script: UNRELIABLE });
  const before = String(await printer.print(numbered('a')));
  expire();
  expect(String(await printer.print(numbered('a')))).not.toBe(before);
});

describe('a printer that fails', () => {
  it('is replaced when a document takes too long', async () => {
    const { clock, expire } = clockWithout(15_000);
    printer = createInvoicePrinter({ clock, log, script: UNRELIABLE });
    const hanging = expect(printer.print(numbered('hangs'))).rejects.toThrow('not printed within');
    const next = printer.print(numbered('a'));
    await new Promise(setImmediate);
    expire();
    await hanging;
    expect(String(await next)).toMatch(/^a by/);
  });

  it('is replaced for the next document', async () => {
    printer = createInvoicePrinter({ clock: systemClock, log, script: UNRELIABLE });
    const before = String(await printer.print(numbered('a')));
    expect(String(await printer.print(numbered('a')))).toBe(before);
    await expect(printer.print(numbered('dies'))).rejects.toThrow('exited');
    const after = String(await printer.print(numbered('a')));
    expect(after).toMatch(/^a by \d+$/);
    expect(after).not.toBe(before);
    await expect(printer.print(numbered('fails'))).rejects.toThrow('no such font');
    expect(String(await printer.print(numbered('b')))).toMatch(/^b by/);
  });
});
