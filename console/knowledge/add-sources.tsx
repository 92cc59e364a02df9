import { useRef, useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { sizeText } from '../ui/format.ts';
import { ACCEPTED_FILES, fileError } from './knowledge-texts.ts';
import { TextSourceDialog, UrlSourceDialog } from './source-dialogs.tsx';
import { type Upload, useUploads } from './use-uploads.ts';

/** Ways to put something into a knowledge base: files by drag and drop or by a button, a web page, a text. */
export function AddSources({ baseId }: { baseId: string }) {
  const { uploads, add, again, dismiss } = useUploads(baseId);
  const [over, setOver] = useState(false);
  const [open, setOpen] = useState<'url' | 'text' | null>(null);
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut of the button within */}
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
          add([...(event.dataTransfer?.files ?? [])]);
        }}
      >
        <input
          ref={picker}
          type="file"
          class="hidden-title"
          tabIndex={-1}
          multiple
          accept={ACCEPTED_FILES}
          aria-label={t('Files')}
          onChange={(event) => {
            add([...(event.currentTarget.files ?? [])]);
            // The same file may be chosen again.
            event.currentTarget.value = '';
          }}
        />
        <div class="buttons">
          <button type="button" class="primary" onClick={() => picker.current?.click()}>
            {t('Choose files')}
          </button>
          <button type="button" class="secondary" onClick={() => setOpen('url')}>
            {t('Add a web page')}
          </button>
          <button type="button" class="secondary" onClick={() => setOpen('text')}>
            {t('Add a text')}
          </button>
        </div>
        <p class="quiet small">
          {t('Or drop files here: PDF, DOCX, TXT, MD, HTML or CSV, each of at most 20 MB. 50 sources at most.')}
        </p>
      </div>
      {uploads.length > 0 && (
        <ul class="rows uploads" aria-label={t('Uploads')}>
          {uploads.map((upload) => (
            <UploadRow key={upload.id} upload={upload} onAgain={again} onDismiss={dismiss} />
          ))}
        </ul>
      )}
      {open === 'url' && <UrlSourceDialog baseId={baseId} onClose={() => setOpen(null)} />}
      {open === 'text' && <TextSourceDialog baseId={baseId} onClose={() => setOpen(null)} />}
    </>
  );
}

interface UploadRowProps {
  upload: Upload;
  onAgain: (upload: Upload) => void;
  onDismiss: (upload: Upload) => void;
}

function UploadRow({ upload, onAgain, onDismiss }: UploadRowProps) {
  const { file, state, share, error } = upload;
  return (
    <li>
      <div class="row-text">
        <span>
          {file.name} <span class="quiet small">{sizeText(file.size)}</span>
        </span>
        {state === 'failed' ? (
          <span class="error small" role="alert">
            {error}
          </span>
        ) : (
          <progress aria-label={t('{{name}} is being sent', { name: file.name })} max={1} value={share} />
        )}
      </div>
      {state === 'failed' && fileError(file) === '' && (
        <button type="button" class="plain" onClick={() => onAgain(upload)}>
          {t('Try again')}
        </button>
      )}
      {state === 'failed' && (
        <button type="button" class="plain" onClick={() => onDismiss(upload)}>
          {t('Close')}
        </button>
      )}
    </li>
  );
}
