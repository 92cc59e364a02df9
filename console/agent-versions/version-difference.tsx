import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useMemo } from 'preact/hooks';
import { getAgentsAgentIdVersionsVersion as readVersion } from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { differenceOf, type FieldDifference, isText, shortened, textDifference, textOf } from './difference.ts';
import { fieldName } from './field-names.ts';

interface VersionDifferenceProps {
  agentId: string;
  from: number;
  to: number;
}

/** What differs between two versions, field by field. */
export function VersionDifference({ agentId, from, to }: VersionDifferenceProps) {
  const [before, after] = [useVersion(agentId, from), useVersion(agentId, to)];
  const fields = useMemo(
    () => (before.data && after.data ? differenceOf(before.data.agent, after.data.agent) : null),
    [before.data, after.data],
  );
  const failed = before.isError ? before : after.isError ? after : null;
  if (failed) return <Problem error={failed.error} what={t('the versions')} onRetry={() => void failed.refetch()} />;
  if (!fields) return <Loading what={t('the versions')} />;
  if (fields.length === 0) return <p class="quiet">{t('Nothing is different.')}</p>;
  return (
    <dl class="difference">
      {fields.map((field) => (
        <div key={field.path}>
          <dt>{fieldName(field.path)}</dt>
          <dd>
            <Difference {...field} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A version does not change. */
const useVersion = (agentId: string, version: number) =>
  useQuery({
    queryKey: ['agent-version', agentId, version],
    queryFn: ({ signal }) => ok(readVersion(agentId, String(version), {}, { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

function Difference({ path, before, after }: FieldDifference) {
  if (isText(before) || isText(after))
    return <TextDifference name={fieldName(path)} before={textOf(before)} after={textOf(after)} />;
  return (
    <p class="values">
      <del>{valueText(before)}</del> <span aria-hidden="true">→</span> <ins>{valueText(after)}</ins>
    </p>
  );
}

function TextDifference({ name, before, after }: { name: string; before: string; after: string }) {
  const parts = useMemo(() => shortened(textDifference(before, after)), [before, after]);
  return (
    // Long ones scroll, also by the keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus
    <section class="text-difference" aria-label={name} tabIndex={0}>
      {parts.map((part, at) => {
        if (part.kind === 'gap') {
          return (
            <span key={at} class="gap quiet">
              {tn('{{count}} line that is the same', '{{count}} lines that are the same', part.lines)}
            </span>
          );
        }
        if (part.kind === 'same') return <span key={at}>{part.text}</span>;
        return part.kind === 'added' ? <ins key={at}>{part.text}</ins> : <del key={at}>{part.text}</del>;
      })}
    </section>
  );
}

function valueText(value: unknown): string {
  if (value === true) return t('Yes');
  if (value === false) return t('No');
  if (value === '' || value === null || value === undefined) return t('empty');
  return typeof value === 'number' ? value.toLocaleString() : String(value);
}
