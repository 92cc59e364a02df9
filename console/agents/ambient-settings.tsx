import { ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { fieldErrors } from '../data/field-errors.ts';
import { changeProblemText } from '../data/problem-text.ts';
import { uploadFetch } from '../data/requests.ts';
import { type AmbientSound, deleteAmbientSound, getAmbient, postAmbient } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField, TextField } from '../ui/fields.tsx';
import { toast } from '../ui/toasts.tsx';
import { ListenButton } from './listen-button.tsx';
import { Setting } from './setting.tsx';
import { fieldLabel } from './settings.ts';
import type { Editor } from './use-draft.ts';

const KEY = ['editor', 'ambient'];

/** What is played below the conversation: nothing, one of the service's, or one's own. */
export function AmbientSettings({ editor }: { editor: Editor }) {
  const client = useQueryClient();
  const ambient = useQuery({ queryKey: KEY, queryFn: ({ signal }) => ok(getAmbient({}, { signal })) });
  const [uploading, setUploading] = useState(false);
  const path = 'call.ambient_sound';
  const chosen = editor.draft.call.ambient_sound;
  const all = ambient.data ?? [];
  const present = all.find(({ id }) => id === chosen);
  const remove = useMutation({
    mutationFn: ({ id }: AmbientSound) => ok(deleteAmbientSound(id)),
    onSuccess: () => {
      editor.set(path, '');
      void client.invalidateQueries({ queryKey: KEY });
    },
    onError: (error) => toast(changeProblemText(error), { tone: 'error' }),
  });
  const options = [
    { value: '', label: t('None') },
    ...all.map((each) => ({ value: each.id, label: nameOf(each) })),
    ...(chosen !== '' && !present ? [{ value: chosen, label: chosen }] : []),
  ];
  return (
    <>
      <SelectField
        label={fieldLabel(path)}
        hint={t('Played quietly below the whole call, so that silence does not seem like a broken line.')}
        value={chosen}
        options={options}
        error={editor.errors[path]}
        onChange={(id) => editor.set(path, id)}
      />
      <div class="buttons">
        {present && <ListenButton path={`/ambient/${encodeURIComponent(present.id)}/audio`} name={nameOf(present)} />}
        {editor.mayEdit && (
          <button type="button" class="secondary" onClick={() => setUploading(true)}>
            {t('Upload your own')}
          </button>
        )}
        {editor.mayEdit && present?.kind === 'upload' && (
          <button type="button" class="plain" onClick={() => remove.mutate(present)}>
            {t('Delete {{name}}', { name: present.name })}
          </button>
        )}
      </div>
      {chosen !== '' && <Setting editor={editor} path="call.ambient_volume" />}
      {uploading && (
        <UploadDialog
          onClose={() => setUploading(false)}
          onDone={({ id }) => {
            void client.invalidateQueries({ queryKey: KEY });
            editor.set(path, id);
            setUploading(false);
          }}
        />
      )}
    </>
  );
}

function nameOf({ id, kind, name }: AmbientSound): string {
  if (kind === 'upload') return name;
  if (id === 'office') return t('Office');
  if (id === 'call_centre') return t('Call centre');
  if (id === 'cafe') return t('Café');
  return id === 'street' ? t('Street') : name;
}

function UploadDialog({ onDone, onClose }: { onDone: (made: AmbientSound) => void; onClose: () => void }) {
  const [name, setName] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [share, setShare] = useState(0);
  const upload = useMutation({
    mutationFn: () => ok(postAmbient({ file: file!, name }, {}, { fetch: uploadFetch(setShare) })),
    onSuccess: onDone,
  });
  const errors = fieldErrors(upload.error);
  const [missing, setMissing] = useState(false);
  return (
    <Dialog title={t('Upload a background')} onClose={onClose}>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setMissing(file === null);
          if (file && !upload.isPending) upload.mutate();
        }}
      >
        <TextField label={t('Name')} value={name} onChange={setName} maxLength={120} error={errors.name} />
        <div class="form-field">
          <label for="ambient-file">{t('File')}</label>
          <p class="quiet hint" id="ambient-file-hint">
            {t('WAV or MP3, at most 5 MB, 1 to 120 seconds. It is played again and again.')}
          </p>
          <input
            id="ambient-file"
            type="file"
            accept="audio/wav,audio/mpeg,.wav,.mp3"
            aria-describedby="ambient-file-hint"
            onChange={(event) => {
              const chosen = event.currentTarget.files?.[0] ?? null;
              setFile(chosen);
              setMissing(false);
              if (chosen && name === '') setName(chosen.name.replace(/\.\w+$/, ''));
            }}
          />
          {missing && <p class="error">{t('Choose a file.')}</p>}
        </div>
        <p class="error" role="alert">
          {upload.isError && Object.keys(errors).length === 0 ? changeProblemText(upload.error) : (errors.file ?? '')}
        </p>
        {upload.isPending && <progress value={share} max={1} aria-label={t('Sent so far')} />}
        <div class="buttons">
          <button type="submit" class="primary" aria-disabled={upload.isPending}>
            {upload.isPending ? t('One moment…') : t('Upload')}
          </button>
          <button type="button" class="plain" onClick={onClose}>
            {t('Cancel')}
          </button>
          <CopyCurl call={(opts) => postAmbient({ file: file ?? new File([], 'background.wav'), name }, {}, opts)} />
        </div>
      </form>
    </Dialog>
  );
}
