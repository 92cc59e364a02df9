import { type TextCollector, UnreadableDocument } from './text-collector.ts';

const MAX_PAGES = 2_000;

/** Reads a PDF's text page by page. Pictures of text have none. */
export async function readPdf(bytes: Uint8Array, text: TextCollector): Promise<void> {
  const { getDocumentProxy } = await import('unpdf');
  // A copy, because the parser takes the buffer away.
  const options = {
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    verbosity: 0,
    stopAtErrors: false,
  };
  const document = await getDocumentProxy(Uint8Array.from(bytes), options).catch((error: unknown) => {
    throw new UnreadableDocument(reasonOf(error));
  });
  if (document.numPages > MAX_PAGES) throw new UnreadableDocument(`it has more than ${MAX_PAGES} pages`);
  let unreadable = 0;
  for (let number = 1; number <= document.numPages; number++) {
    try {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      for (const item of items) if ('str' in item) text.add(item.hasEOL ? `${item.str}\n` : item.str);
      page.cleanup();
    } catch (error) {
      if (error instanceof UnreadableDocument) throw error;
      unreadable++;
    }
    text.add('\n\n');
  }
  if (unreadable === document.numPages)
    throw new UnreadableDocument('the PDF is damaged: none of its pages can be read');
}

function reasonOf(error: unknown): string {
  const name = (error as { name?: unknown } | null)?.name;
  return name === 'PasswordException' ? 'the PDF is protected by a password' : 'the PDF is damaged';
}
