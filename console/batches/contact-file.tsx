import { ok } from '@oazapfts/runtime';
import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { fieldErrors } from '../data/field-errors.ts';
import { changeProblemText } from '../data/problem-text.ts';
import { uploadFetch } from '../data/requests.ts';
import { type ContactUpload, postBatchesUploads } from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { SelectField, TextField } from '../ui/fields.tsx';
import { headerOf } from './contact-columns.ts';
import { UploadPreview } from './upload-preview.tsx';

const HEADER_BYTES = 64 * 1024;

interface Chosen {
  file: File;
  columns: string[];
}

interface ContactFileProps {
  upload: ContactUpload | null;
  onUpload: (upload: ContactUpload | null) => void;
  /** Of the chosen agent. */
  variables: readonly string[];
  error?: string | undefined;
}

/** The file with the contacts: chosen or dropped, read by the API, and shown with what is wrong with its rows. */
export function ContactFile({ upload, onUpload, variables, error }: ContactFileProps) {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [column, setColumn] = useState('');
  const [code, setCode] = useState('91');
  const [share, setShare] = useState(0);
  const [over, setOver] = useState(false);
  const sending = useMutation({
    mutationFn: ({ file, phone_column }: { file: File; phone_column: string }) => {
      setShare(0);
      const body = { file, country_code: code.trim(), ...(phone_column !== '' && { phone_column }) };
      return ok(postBatchesUploads(body, {}, { fetch: uploadFetch(setShare) }));
    },
    onSuccess: (read) => {
      setColumn(read.phone_column);
      onUpload(read);
    },
    onError: () => onUpload(null),
  });
  const errors = fieldErrors(sending.error);

  async function choose(file: File | undefined) {
    if (!file) return;
    setColumn('');
    setChosen({ file, columns: headerOf(await file.slice(0, HEADER_BYTES).text()) });
    sending.mutate({ file, phone_column: '' });
  }

  const readAgain = (phone_column: string) => chosen && sending.mutate({ file: chosen.file, phone_column });
  const columns = upload?.columns ?? chosen?.columns ?? [];
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the same file can be chosen with the button */}
      <div
        class="drop-zone"
        data-over={over}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void choose(event.dataTransfer?.files[0]);
        }}
      >
        <label for="contact-file">{t('File with the contacts')}</label>
        <input
          id="contact-file"
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          aria-describedby="contact-file-hint"
          // So that the same file can be chosen again after it was mended.
          onClick={(event) => {
            event.currentTarget.value = '';
          }}
          onChange={(event) => void choose(event.currentTarget.files?.[0])}
        />
        <p class="quiet hint" id="contact-file-hint">
          {t(
            'Choose a CSV file or drop it here: one row for each person, with the names of the columns in the first row. At most 5 MB and 10,000 rows. From a spreadsheet, save it as CSV in UTF-8.',
          )}
        </p>
        {sending.isPending && (
          <p role="status">
            <progress value={share} aria-label={t('Sent')} /> {share < 1 ? t('Sending …') : t('Reading the rows …')}
          </p>
        )}
        <p class="error" role="alert">
          {sending.isError &&
            (errors.file ??
              (errors.phone_column ? t('Choose below which column has the numbers.') : undefined) ??
              errors.country_code ??
              changeProblemText(sending.error))}
          {!sending.isError && !upload && error}
        </p>
      </div>
      {chosen && columns.length > 0 && (
        <div class="form-row">
          <SelectField
            label={t('Column with the numbers')}
            value={column}
            onChange={(name) => {
              setColumn(name);
              readAgain(name);
            }}
            options={[
              ...(column === '' ? [{ value: '', label: t('Choose a column') }] : []),
              ...columns.map((name) => ({ value: name, label: name })),
            ]}
            error={errors.phone_column && column !== '' ? errors.phone_column : undefined}
          />
          <div class="country-code">
            <TextField
              label={t('Country code')}
              hint={t('Of numbers without a plus.')}
              value={code}
              onChange={setCode}
              type="tel"
              maxLength={4}
            />
            <button type="button" class="secondary" onClick={() => readAgain(column)}>
              {t('Read again')}
            </button>
          </div>
        </div>
      )}
      {upload && <UploadPreview upload={upload} variables={variables} />}
      {upload && (
        <p class="quiet small">
          {tn('{{count}} person will be called.', '{{count}} people will be called.', upload.valid_rows)}
        </p>
      )}
    </>
  );
}
