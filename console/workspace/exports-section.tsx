import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { fetchWithin } from '../data/requests.ts';
import { saveFile } from '../data/save-file.ts';
import {
  deleteWorkspaceExportsExportId,
  getWorkspaceExports,
  getWorkspaceExportsExportIdDownload,
  postWorkspaceExports,
  type WorkspaceExport,
} from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { useConfirmed } from '../ui/confirmed.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { CheckField } from '../ui/fields.tsx';
import { sizeText, timeText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { FormEnd, onSubmit } from './form-end.tsx';
import { useChange } from './use-change.ts';
import { exportState } from './workspace-texts.ts';

const REFRESH_MS = 3_000;
/** An archive with recordings may be large. */
const DOWNLOAD_TIMEOUT_MS = 600_000;

const isUnfinished = ({ status }: WorkspaceExport) => status === 'queued' || status === 'running';

/** Archives of all that the workspace has; only for owners. */
export function ExportsSection() {
  const [recordings, setRecordings] = useState(false);
  const confirmed = useConfirmed();
  const exports = useQuery({
    queryKey: ['workspace-exports'],
    queryFn: ({ signal }) => ok(getWorkspaceExports({}, { signal })),
    refetchInterval: ({ state }) => (state.data?.some(isUnfinished) ? REFRESH_MS : false),
  });
  const starting = useChange({
    change: () => confirmed.run(() => ok(postWorkspaceExports({ recordings }))),
    reads: ['workspace-exports'],
    what: t('the exports'),
  });
  return (
    <section class="panel" aria-labelledby="exports-title">
      <h2 id="exports-title">{t('Export of all data')}</h2>
      <p class="quiet">
        {t('An archive with everything that the workspace has, as JSON lines. It can be downloaded for seven days.')}
      </p>
      <form class="form" onSubmit={onSubmit(() => starting.send())}>
        <CheckField
          label={t('With the recordings of calls')}
          hint={t('The archive may become large.')}
          checked={recordings}
          onChange={setRecordings}
        />
        <FormEnd
          action={t('Start an export')}
          busy={starting.busy}
          problem={starting.problem}
          call={(opts) => postWorkspaceExports({ recordings }, {}, opts)}
        />
      </form>
      {exports.data ? (
        <ul class="rows" aria-label={t('Exports')}>
          {exports.data.map((each) => (
            <ExportRow key={each.id} row={each} confirm={confirmed.run} />
          ))}
        </ul>
      ) : exports.isError ? (
        <Problem error={exports.error} what={t('the exports')} onRetry={() => void exports.refetch()} />
      ) : (
        <Loading what={t('the exports')} />
      )}
      {confirmed.dialog}
    </section>
  );
}

interface ExportRowProps {
  row: WorkspaceExport;
  confirm: ReturnType<typeof useConfirmed>['run'];
}

function ExportRow({ row, confirm }: ExportRowProps) {
  const [asking, setAsking] = useState(false);
  const downloading = useChange({
    change: async () => {
      const fetch = fetchWithin(DOWNLOAD_TIMEOUT_MS);
      const archive = await confirm(() => ok(getWorkspaceExportsExportIdDownload(row.id, {}, { fetch })));
      saveFile(archive, `workspace-${row.created_at.slice(0, 10)}.zip`);
    },
    reads: [],
    what: t('the exports'),
  });
  const removing = useChange({
    change: () => ok(deleteWorkspaceExportsExportId(row.id)),
    reads: ['workspace-exports'],
    what: t('the exports'),
    onDone: () => setAsking(false),
  });
  const { text, tone } = exportState(row.status);
  const facts = [
    tn('{{count}} record', '{{count}} records', row.records),
    ...(row.recordings ? [tn('{{count}} recording', '{{count}} recordings', row.recording_count)] : []),
    ...(row.size_bytes > 0 ? [sizeText(row.size_bytes)] : []),
    ...(row.expires_at ? [t('until {{time}}', { time: timeText(row.expires_at, Date.now()) })] : []),
  ];
  return (
    <li>
      <div class="row-text">
        <span>
          {timeText(row.created_at, Date.now())}{' '}
          <span class="chip" data-tone={tone}>
            {text}
          </span>
        </span>
        <span class="quiet small" role="status">
          {row.created_by} · {facts.join(' · ')}
        </span>
        <p class="error" role="alert">
          {downloading.problem}
        </p>
      </div>
      {row.status === 'ready' && (
        <button type="button" class="secondary" aria-disabled={downloading.busy} onClick={() => downloading.send()}>
          {downloading.busy ? t('One moment…') : t('Download')}
        </button>
      )}
      <button type="button" class="plain" onClick={() => setAsking(true)}>
        {isUnfinished(row) ? t('Stop') : t('Remove')}
      </button>
      {asking && (
        <ConfirmDialog
          title={isUnfinished(row) ? t('Stop this export?') : t('Remove this export?')}
          action={isUnfinished(row) ? t('Stop') : t('Remove')}
          busy={removing.busy}
          error={removing.problem}
          onConfirm={() => removing.send()}
          onClose={() => setAsking(false)}
        >
          {t('Its archive is deleted. What the workspace has stays as it is.')}
        </ConfirmDialog>
      )}
    </li>
  );
}
