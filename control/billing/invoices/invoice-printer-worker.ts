import { serveRequests } from '../../../shared/worker-thread.ts';
import { invoicePdf, type PrintedDocument } from './invoice-pdf.ts';

/** The worker thread that prints documents one after the other. `invoice-printer.ts` starts and ends it. */
serveRequests<PrintedDocument, Uint8Array>(invoicePdf, async () => {});
