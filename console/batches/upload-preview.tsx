import type { ContactUpload } from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { rowErrorText } from './batch-texts.ts';
import { type ColumnUse, columnUses, missingVariables } from './contact-columns.ts';
import { ScrollArea } from './scroll-area.tsx';

/** What was read of a file: the first rows, what each column is for, and the rows that cannot be called. */
export function UploadPreview({ upload, variables }: { upload: ContactUpload; variables: readonly string[] }) {
  const uses = columnUses(upload.columns, upload.phone_column, variables);
  const missing = missingVariables(uses, variables);
  return (
    <section class="upload" aria-labelledby="upload-title">
      <div class="page-head">
        <h3 id="upload-title">{upload.file_name || t('Contacts')}</h3>
        <span class="chip" data-tone="good">
          {tn('{{count}} valid row', '{{count}} valid rows', upload.valid_rows)}
        </span>
        {upload.duplicate_rows > 0 && (
          <span class="chip">{tn('{{count}} repeated', '{{count}} repeated', upload.duplicate_rows)}</span>
        )}
        {upload.invalid_rows > 0 && (
          <span class="chip" data-tone="bad">
            {tn('{{count}} row with an error', '{{count}} rows with errors', upload.invalid_rows)}
          </span>
        )}
      </div>
      <ScrollArea class="table-scroll" label={t('First rows')}>
        <table class="table">
          <thead>
            <tr>
              {uses.map((use) => (
                <th key={use.column} scope="col">
                  <span class="column-name">{use.column}</span>
                  <ColumnChip use={use} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {upload.preview.map((row, at) => (
              <tr key={at}>
                {upload.columns.map((column) => (
                  <td key={column} class={column === upload.phone_column ? 'contact-number' : undefined}>
                    {row[column]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
      {missing.length > 0 && (
        <p class="notice urgent">
          {tn(
            'No column has the agent’s variable {{names}}: nothing is said in its place. A column with this name in small letters fills it.',
            'No column has the agent’s variables {{names}}: nothing is said in their place. Columns with these names in small letters fill them.',
            missing.length,
            { names: missing.map((name) => `{${name}}`).join(', ') },
          )}
        </p>
      )}
      {upload.errors.length > 0 && <RowErrors upload={upload} />}
    </section>
  );
}

function ColumnChip({ use: { use, key } }: { use: ColumnUse }) {
  if (use === 'number') {
    return (
      <span class="chip" data-tone="good">
        {t('Number')}
      </span>
    );
  }
  return use === 'variable' ? (
    <span class="chip" data-tone="good">{`{${key}}`}</span>
  ) : (
    <span class="chip">{t('Not said')}</span>
  );
}

function RowErrors({ upload: { errors, invalid_rows } }: { upload: ContactUpload }) {
  return (
    <ScrollArea class="row-errors" label={t('Rows that are not called')}>
      <table class="table">
        <caption>
          {invalid_rows > errors.length
            ? t('Rows that are not called: the first {{count}}', { count: errors.length })
            : t('Rows that are not called')}
        </caption>
        <thead>
          <tr>
            <th scope="col">{t('Row')}</th>
            <th scope="col">{t('Column')}</th>
            <th scope="col">{t('What is wrong')}</th>
          </tr>
        </thead>
        <tbody>
          {errors.map(({ row, column, msg }) => (
            <tr key={`${row} ${column}`}>
              <td>{row}</td>
              <td>{column || '–'}</td>
              <td>{rowErrorText(msg)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}
