import { ok } from '@oazapfts/runtime';
import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { formProblemText } from '../data/problem-text.ts';
import {
  type KnowledgeSource,
  postKnowledgeBasesKbIdSourcesText as postText,
  postKnowledgeBasesKbIdSourcesUrl as postUrl,
} from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { NumberField, TextArea, TextField } from '../ui/fields.tsx';
import { type Form, useForm } from '../ui/use-form.ts';
import { SendForm } from './base-dialogs.tsx';
import { MAX_PAGES, MAX_TEXT_CHARACTERS } from './knowledge-texts.ts';

interface SourceDialogProps {
  baseId: string;
  onClose: () => void;
}

function useAdding<Values extends object>(
  { baseId, onClose }: SourceDialogProps,
  form: Form<Values>,
  add: () => Promise<KnowledgeSource>,
) {
  const client = useQueryClient();
  const adding = useMutation({
    mutationFn: add,
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['knowledge-base', baseId] });
      void client.invalidateQueries({ queryKey: ['knowledge-bases'] });
      onClose();
    },
    onError: (error) => void form.showErrors(error),
  });
  return { busy: adding.isPending, error: formProblemText(adding.error), onSubmit: () => adding.mutate(), onClose };
}

/** Adds a web page, or a page and those that it leads to. */
export function UrlSourceDialog(props: SourceDialogProps) {
  const form = useForm({ url: '', name: '', max_pages: 1 as number | null });
  const { url, name, max_pages } = form.values;
  const body = () => ({ url, ...(name !== '' && { name }), ...(max_pages !== null && { max_pages }) });
  const adding = useAdding(props, form, () => ok(postUrl(props.baseId, body())));
  return (
    <Dialog title={t('Add a web page')} onClose={props.onClose}>
      <SendForm action={t('Add')} call={(opts) => postUrl(props.baseId, body(), {}, opts)} {...adding}>
        <TextField
          type="url"
          label={t('Address')}
          hint={t('On the public internet, at most 5 MB.')}
          placeholder="https://www.example.com/faq"
          value={url}
          onChange={(value) => form.set('url', value)}
          error={form.errors.url}
          maxLength={2_000}
        />
        <NumberField
          label={t('Pages at most')}
          hint={t('More than 1: links to pages of the same site are followed, up to 50 pages.')}
          value={max_pages}
          onChange={(value) => form.set('max_pages', value)}
          error={form.errors.max_pages}
          min={1}
          max={MAX_PAGES}
          step={1}
        />
        <TextField
          label={t('Name')}
          hint={t('Left empty: the title of the page.')}
          value={name}
          onChange={(value) => form.set('name', value)}
          error={form.errors.name}
          maxLength={120}
        />
      </SendForm>
    </Dialog>
  );
}

/** Adds a text that is typed or pasted. */
export function TextSourceDialog(props: SourceDialogProps) {
  const form = useForm({ name: '', text: '' });
  const adding = useAdding(props, form, () => ok(postText(props.baseId, form.values)));
  return (
    <Dialog wide title={t('Add a text')} onClose={props.onClose}>
      <SendForm action={t('Add')} call={(opts) => postText(props.baseId, form.values, {}, opts)} {...adding}>
        <TextField
          label={t('Name')}
          value={form.values.name}
          onChange={(value) => form.set('name', value)}
          error={form.errors.name}
          maxLength={120}
        />
        <TextArea
          label={t('Text')}
          hint={t('At most {{count}} characters.', { count: MAX_TEXT_CHARACTERS })}
          value={form.values.text}
          onChange={(value) => form.set('text', value)}
          error={form.errors.text}
          maxLength={MAX_TEXT_CHARACTERS}
          rows={12}
        />
      </SendForm>
    </Dialog>
  );
}
