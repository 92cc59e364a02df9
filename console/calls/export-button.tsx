import { useEffect, useRef, useState } from 'preact/hooks';
import { problemText } from '../data/problem-text.ts';
import { saveFile } from '../data/save-file.ts';
import { t } from '../texts/texts.ts';
import { sizeText } from '../ui/format.ts';
import { toast } from '../ui/toasts.tsx';
import type { CallFilters } from './call-filters.ts';
import { EXPORT_LIMIT, exportFile } from './export-file.ts';

interface ExportButtonProps {
  filters: CallFilters & { timezone: string };
  /** How many calls match. */
  total: number;
}

/** Saves what is filtered as a CSV file; a second click stops it. */
export function ExportButton({ filters, total }: ExportButtonProps) {
  const [bytes, setBytes] = useState<number | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  async function start() {
    const stop = new AbortController();
    running.current = stop;
    setBytes(0);
    try {
      const file = await exportFile(filters, setBytes, stop.signal);
      saveFile(file, `calls-${new Date().toISOString().slice(0, 10)}.csv`);
      if (total > EXPORT_LIMIT) toast(t('The file has the newest {{count}} calls.', { count: EXPORT_LIMIT }));
    } catch (error) {
      if (!stop.signal.aborted) toast(problemText(error, t('the calls')), { tone: 'error' });
    }
    running.current = null;
    setBytes(null);
  }

  return (
    <button
      type="button"
      class="secondary"
      title={t('As CSV, at most the newest {{count}} calls', { count: EXPORT_LIMIT })}
      onClick={() => (running.current ? running.current.abort() : void start())}
    >
      {bytes === null ? t('Export') : t('Exporting {{size}} – stop', { size: sizeText(bytes) })}
    </button>
  );
}
