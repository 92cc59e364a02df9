import { useId } from 'preact/hooks';
import { CheckField, NumberField, SelectField, TextArea, TextField } from '../ui/fields.tsx';
import { valueAt } from './draft.ts';
import { settings } from './settings.ts';
import type { Editor } from './use-draft.ts';

/** One setting of the draft, drawn as its description says. */
export function Setting({ editor, path }: { editor: Editor; path: string }) {
  const { kind, ...setting } = settings()[path]!;
  const shared = {
    label: setting.label,
    ...(setting.hint && { hint: setting.hint }),
    error: editor.errors[path],
    onChange: (value: unknown) => editor.set(path, value),
  };
  const value = valueAt(editor.draft, path);
  const rest = setting as unknown as Record<string, never>;
  switch (kind) {
    case 'check':
      return <CheckField {...shared} checked={value === true} />;
    case 'number':
      return <NumberField {...shared} {...rest} value={typeof value === 'number' ? value : null} />;
    case 'area':
      return <TextArea {...shared} {...rest} value={String(value ?? '')} />;
    case 'choice':
      return <SelectField {...shared} options={rest.options!} value={String(value ?? '')} />;
    default:
      return <TextField {...shared} {...rest} value={String(value ?? '')} />;
  }
}

/** Settings that only matter while another one is on. */
export function SettingsOf({ editor, when, paths }: { editor: Editor; when: string; paths: readonly string[] }) {
  return (
    <>
      <Setting editor={editor} path={when} />
      {valueAt(editor.draft, when) === true && (
        <div class="sub-settings">
          {paths.map((path) => (
            <Setting key={path} editor={editor} path={path} />
          ))}
        </div>
      )}
    </>
  );
}

/** Settings that belong together, with a heading. */
export function Section({
  title,
  hint,
  children,
}: {
  title: string;
  hint?: string;
  children: preact.ComponentChildren;
}) {
  const id = useId();
  return (
    <section class="settings-section" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {hint && <p class="quiet hint">{hint}</p>}
      {children}
    </section>
  );
}
