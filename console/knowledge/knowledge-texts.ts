import type { KnowledgeBase, KnowledgeSource } from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { sizeText } from '../ui/format.ts';

/** What knowledge bases and their sources are called and how they stand, for people. */

export const MAX_FILE_BYTES = 20 * 1024 * 1024;
/** For the picker of files only: the service looks at the content. */
export const ACCEPTED_FILES = '.pdf,.docx,.txt,.md,.html,.htm,.csv';
export const MAX_TEXT_CHARACTERS = 500_000;
export const MAX_PAGES = 50;

export interface Standing {
  text: string;
  tone: 'good' | 'bad' | 'live' | 'quiet';
}

export function baseStanding(status: KnowledgeBase['status']): Standing {
  if (status === 'ready') return { text: t('Ready'), tone: 'good' };
  if (status === 'processing') return { text: t('Being processed'), tone: 'live' };
  if (status === 'failed') return { text: t('Failed'), tone: 'bad' };
  return { text: t('Empty'), tone: 'quiet' };
}

export function sourceStanding(status: KnowledgeSource['status']): Standing {
  if (status === 'ready') return { text: t('Ready'), tone: 'good' };
  if (status === 'failed') return { text: t('Failed'), tone: 'bad' };
  if (status === 'processing') return { text: t('Being processed'), tone: 'live' };
  return { text: t('Waiting'), tone: 'quiet' };
}

/** Sources change by themselves as long as this is so. */
export const isProcessing = ({ status }: Pick<KnowledgeBase, 'status'>): boolean => status === 'processing';

export function kindText(kind: KnowledgeSource['kind']): string {
  if (kind === 'file') return t('File');
  return kind === 'url' ? t('Web page') : t('Text');
}

/** Returns what is wrong with a file before it is sent; empty when nothing is. */
export function fileError({ size }: { size: number }): string {
  if (size === 0) return t('The file is empty.');
  if (size > MAX_FILE_BYTES) return t('The file is larger than 20 MB.');
  return '';
}

/** What is known of a source, beside its name: `File · 12 KB · 3,400 characters in 9 passages`. */
export function sourceFacts({ kind, size_bytes, characters, passages }: KnowledgeSource): string {
  const facts = [kindText(kind)];
  if (kind === 'file' && size_bytes > 0) facts.push(sizeText(size_bytes));
  if (passages > 0) {
    facts.push(tn('{{count}} character', '{{count}} characters', characters));
    facts.push(tn('{{count}} passage', '{{count}} passages', passages));
  }
  return facts.join(' · ');
}
