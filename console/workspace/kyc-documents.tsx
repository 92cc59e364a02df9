import { ok } from '@oazapfts/runtime';
import { useEffect, useState } from 'preact/hooks';
import { uploadFetch } from '../data/requests.ts';
import { saveFile } from '../data/save-file.ts';
import { deleteKycDocumentsDocId, getKycDocumentsDocId, type KycDocument, postKycDocuments } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/fields.tsx';
import { sizeText, timeText } from '../ui/format.ts';
import { FormEnd, onSubmit } from './form-end.tsx';
import { useReferenceData } from './reference-data.ts';
import { useChange } from './use-change.ts';
import { choicesOf } from './workspace-texts.ts';

const MAX_BYTES = 10_000_000;

interface KycDocumentsProps {
  documents: readonly KycDocument[];
  businessType: string;
  editable: boolean;
}

/** Papers about the business. */
export function KycDocuments({ documents, businessType, editable }: KycDocumentsProps) {
  const isEnough = documents.some(
    ({ kind }) => kind === 'registration' || (kind === 'identity' && businessType === 'individual'),
  );
  return (
    <section class="panel" aria-labelledby="documents-title">
      <h2 id="documents-title">{t('Documents')}</h2>
      {!isEnough && (
        <p class="quiet">
          {businessType === 'individual'
            ? t('A proof of identity, or a certificate of registration, is needed.')
            : t('A certificate of registration is needed.')}
        </p>
      )}
      {documents.length === 0 ? (
        <p>{t('There are no documents yet.')}</p>
      ) : (
        <ul class="rows" aria-label={t('Documents')}>
          {documents.map((each) => (
            <DocumentRow key={each.id} document={each} editable={editable} />
          ))}
        </ul>
      )}
      {editable && <UploadForm />}
    </section>
  );
}

function DocumentRow({ document, editable }: { document: KycDocument; editable: boolean }) {
  const masters = useReferenceData().data;
  const [asking, setAsking] = useState(false);
  const { id, kind, file_name, size_bytes, uploaded_by, uploaded_at } = document;
  const downloading = useChange({
    change: async () => saveFile(await ok(getKycDocumentsDocId(id)), `${file_name.replace(/\.\w+$/, '')}.pdf`),
    reads: [],
    what: t('the document'),
  });
  const removing = useChange({
    change: () => ok(deleteKycDocumentsDocId(id)),
    reads: ['kyc'],
    what: t('the document'),
    onDone: () => setAsking(false),
  });
  return (
    <li class="key-row">
      <div class="row-text">
        <span>{masters?.document_kinds.find((each) => each.id === kind)?.name ?? kind}</span>
        <span class="quiet small">
          {file_name} · {sizeText(size_bytes)} · {uploaded_by}, {timeText(uploaded_at, Date.now())}
        </span>
        <p class="error small" role="alert">
          {downloading.problem}
        </p>
      </div>
      <div class="row-actions">
        <button
          type="button"
          class="plain"
          aria-label={t('Download {{name}}', { name: file_name })}
          onClick={() => downloading.send()}
        >
          {t('Download')}
        </button>
        {editable && (
          <button
            type="button"
            class="plain"
            aria-label={t('Remove {{name}}', { name: file_name })}
            onClick={() => setAsking(true)}
          >
            {t('Remove')}
          </button>
        )}
      </div>
      {asking && (
        <ConfirmDialog
          title={t('Remove {{name}}?', { name: file_name })}
          action={t('Remove')}
          busy={removing.busy}
          error={removing.problem}
          onConfirm={() => removing.send()}
          onClose={() => setAsking(false)}
        >
          {t('The document is deleted. It can be uploaded again.')}
        </ConfirmDialog>
      )}
    </li>
  );
}

type Kind = KycDocument['kind'];

function UploadForm() {
  const masters = useReferenceData().data;
  const [kind, setKind] = useState<Kind>('registration');
  const [file, setFile] = useState<File | null>(null);
  const [share, setShare] = useState(0);
  const [attempt, setAttempt] = useState(0);
  const tooLarge = file !== null && file.size > MAX_BYTES;
  const body = { file: file ?? new File([], 'document.pdf'), kind };
  const uploading = useChange({
    change: () => ok(postKycDocuments(body, {}, { fetch: uploadFetch(setShare) })),
    reads: ['kyc'],
    what: t('the document'),
    onDone: () => {
      setFile(null);
      // An empty input for the next file.
      setAttempt(attempt + 1);
    },
  });
  const problem = tooLarge ? t('The file is larger than 10 MB.') : uploading.problem;
  return (
    <form class="form" onSubmit={onSubmit(() => file && !tooLarge && uploading.send())}>
      <SelectField
        label={t('Kind of document')}
        value={kind}
        options={choicesOf(masters?.document_kinds ?? [], kind)}
        onChange={(value) => setKind(value as Kind)}
      />
      <div class="form-field">
        <label for="kyc-file">{t('File')}</label>
        <p class="quiet hint" id="kyc-file-hint">
          {t('PDF, PNG or JPG, at most 10 MB.')}
        </p>
        <input
          key={attempt}
          id="kyc-file"
          type="file"
          accept=".pdf,.png,.jpg,.jpeg,application/pdf,image/png,image/jpeg"
          aria-describedby="kyc-file-hint"
          onChange={(event) => {
            uploading.clear();
            setShare(0);
            setFile(event.currentTarget.files?.[0] ?? null);
          }}
        />
      </div>
      {file && <Preview file={file} />}
      {uploading.busy && (
        <progress max={1} value={share} aria-label={t('Upload')}>
          {Math.round(share * 100)} %
        </progress>
      )}
      <FormEnd
        action={t('Upload')}
        busy={uploading.busy}
        problem={problem}
        call={(opts) => postKycDocuments(body, {}, opts)}
      />
    </form>
  );
}

/** What will be uploaded: an image as it looks, of a PDF its name. */
function Preview({ file }: { file: File }) {
  const [image, setImage] = useState('');
  useEffect(() => {
    setImage('');
    if (!file.type.startsWith('image/')) return;
    const reader = new FileReader();
    reader.onload = () => setImage(String(reader.result));
    reader.readAsDataURL(file);
    return () => reader.abort();
  }, [file]);
  return (
    <figure class="preview">
      {image && <img src={image} alt="" />}
      <figcaption class="quiet small">
        {file.name} · {sizeText(file.size)}
      </figcaption>
    </figure>
  );
}
