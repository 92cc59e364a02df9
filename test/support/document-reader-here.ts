import type { DocumentReader } from '../../control/knowledge/documents/document-reader.ts';
import { readDocument } from '../../control/knowledge/documents/read-document.ts';

/** Reads documents in this process, for tests of what becomes of their text: the process of its own takes a second to start. */
export const documentReaderHere: DocumentReader = {
  read: (document) => readDocument(document).catch(() => ({ type: 'unreadable', reason: 'it is damaged' })),
  close() {},
};
