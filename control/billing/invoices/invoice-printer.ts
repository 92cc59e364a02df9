import type { Clock, Timer } from '../../../shared/clock.ts';
import { errorText, type Logger } from '../../../shared/log.ts';
import { withTimeout } from '../../../shared/with-timeout.ts';
import { type RequestThread, startRequestThread } from '../../../shared/worker-thread.ts';
import { HttpError } from '../../http/errors.ts';
import { oneAtATime } from '../../pdf/image-to-pdf.ts';
import type { PrintedDocument } from './invoice-pdf.ts';

/** Prints invoices and credit notes in a worker thread: shaping and packing fonts takes up to a third of a second of computing. */
export interface InvoicePrinter {
  /** @throws HttpError 429 when too many wait; Error when the document could not be printed in time. */
  print(document: PrintedDocument): Promise<Buffer>;
  close(): Promise<void>;
}

/** With the one that is being printed. */
const MAX_QUEUED = 20;
const PRINT_TIMEOUT_MS = 15_000;
/** Its fonts take tens of megabytes, and a service may print one invoice a day. */
const IDLE_MS = 60_000;
const MAX_HEAP_MB = 256;
const WORKER_FILE = new URL('./invoice-printer-worker.ts', import.meta.url);

type Printer = RequestThread<PrintedDocument, Uint8Array>;

/** Starts its thread with the first document, and again when one died or did not answer; it ends after a minute without work. */
export function createInvoicePrinter({
  clock,
  log,
  script = WORKER_FILE,
}: {
  clock: Clock;
  log: Logger;
  /** For tests. */
  script?: URL;
}): InvoicePrinter {
  let printer: Promise<Printer> | null = null;
  let idle: Timer | null = null;
  let closed = false;

  const start = () =>
    startRequestThread<PrintedDocument, Uint8Array>(script, {
      ...{ name: 'invoice-printer', clock, resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB } },
    });

  async function end(): Promise<void> {
    idle?.cancel();
    const ending = printer;
    printer = null;
    await ending?.then(
      (thread) => thread.close(),
      () => {},
    );
  }

  const printNext = oneAtATime(async (document: PrintedDocument): Promise<Buffer | Error> => {
    if (closed) return new Error('the service is stopping');
    idle?.cancel();
    printer ??= start();
    try {
      const late = () => {
        throw new Error(`not printed within ${PRINT_TIMEOUT_MS} ms`);
      };
      const printing = printer.then((thread) => thread.request(document));
      const { buffer, byteOffset, byteLength } = await withTimeout(printing, PRINT_TIMEOUT_MS, clock, late);
      idle = clock.after(IDLE_MS, () => void end());
      return Buffer.from(buffer, byteOffset, byteLength);
    } catch (error) {
      log.error({ document: document.number, error: errorText(error) }, 'printing an invoice failed');
      // What went wrong may have broken the thread.
      void end();
      return error instanceof Error ? error : new Error(errorText(error));
    }
  }, MAX_QUEUED);

  return {
    async print(document) {
      const printed = await printNext(document);
      if (printed === 'busy') {
        throw new HttpError(429, 'too many documents are being made; try again in a few seconds', {
          headers: { 'Retry-After': '5' },
        });
      }
      if (printed instanceof Error) throw printed;
      return printed;
    },
    async close() {
      closed = true;
      await end();
    },
  };
}
