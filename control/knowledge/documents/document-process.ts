import { type DocumentToRead, type ReadDocument, readDocument } from './read-document.ts';

/** The process that reads one document: takes it, sends what it read, and ends. `document-reader.ts` starts it and watches it. */
process.once('message', async (document: DocumentToRead) => {
  const result: ReadDocument | { type: 'error'; error: string } = await readDocument(document).catch(
    (error: unknown) => ({
      type: 'error' as const,
      error: String(error).slice(0, 500),
    }),
  );
  process.send!(result, () => process.disconnect());
});
