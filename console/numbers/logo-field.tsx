import { useId, useRef } from 'preact/hooks';
import { t } from '../texts/texts.ts';

interface LogoFieldProps {
  file: File | null;
  onChange: (file: File | null) => void;
  error?: string | undefined;
}

/** Chooses a picture. */
export function LogoField({ file, onChange, error }: LogoFieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  return (
    <div class="form-field">
      <label for={id}>{t('Logo')}</label>
      <p class="quiet hint" id={`${id}-hint`}>
        {t('A PNG or JPG file of at most 1 MB, best square.')}
      </p>
      <input
        ref={input}
        id={id}
        type="file"
        class="hidden-title"
        tabIndex={-1}
        accept="image/png,image/jpeg"
        aria-describedby={error ? `${id}-hint ${id}-error` : `${id}-hint`}
        onChange={(event) => onChange(event.currentTarget.files?.[0] ?? null)}
      />
      <div class="logo-choice">
        <button type="button" class="secondary" onClick={() => input.current?.click()}>
          {file ? t('Choose another logo') : t('Choose a logo')}
        </button>
        {file && <span class="quiet">{file.name}</span>}
      </div>
      {error && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
