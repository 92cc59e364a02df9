import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CARRIERS } from '../shared/carriers/registry.ts';
import type { Settings } from '../shared/providers/manifest.ts';
import { REALTIME_MODELS } from '../shared/providers/realtime.ts';
import { LANGUAGE_MODELS, SYNTHESIZERS, TRANSCRIBERS } from '../shared/providers/registry.ts';

/** `make docs`: writes the tables of the documents that are derived from manifests. `test/dev/docs.test.ts` finds them out of date. */

interface Documented {
  name: string;
  label: string;
  settings: Settings;
}

/** One row per setting; two manifests with the same setting share a row. */
function settingsTable(kinds: { kind: string; programs: string; manifests: readonly Documented[] }[]): string {
  const rows = new Map<string, { names: string[]; default: string; meaning: string; programs: string }>();
  for (const { kind, programs, manifests } of kinds) {
    for (const manifest of manifests) {
      for (const [name, setting] of Object.entries(manifest.settings)) {
        const row = rows.get(name) ?? { names: [], default: setting.default, meaning: setting.meaning, programs };
        row.names.push(`${kind} \`${manifest.name}\`${setting.required ? ' (required)' : ''}`);
        rows.set(name, row);
      }
    }
  }
  return [
    '| setting | of | default | meaning | for |',
    '|---|---|---|---|---|',
    ...[...rows].map(
      ([name, row]) =>
        `| \`${name}\` | ${row.programs} | ${row.default === '' ? '–' : `\`${row.default}\``} | ${row.meaning} | ${row.names.join(', ')} |`,
    ),
  ].join('\n');
}

function providersTable(): string {
  const listed = (manifests: readonly (Documented & { defaultModel: string })[]) =>
    manifests.map(({ name, label, defaultModel }) => `${label} (\`${name}\`, \`${defaultModel}\`)`).join(', ');
  return [
    '| | provider (API value, default model) |',
    '|---|---|',
    `| speech to text | ${listed(TRANSCRIBERS)} |`,
    `| language model | ${listed(LANGUAGE_MODELS)} |`,
    `| text to speech | ${listed(SYNTHESIZERS)} |`,
    `| speech to speech, as the language model | ${listed(REALTIME_MODELS)} |`,
  ].join('\n');
}

function carriersTable(): string {
  const yes = (value: boolean) => (value ? 'yes' : 'no');
  return [
    '| carrier | API value | signed callbacks | hang-up by request | transfers |',
    '|---|---|---|---|---|',
    ...CARRIERS.map(({ name, label, capabilities: { events, signedCallbacks, hangUp, transfers } }) => {
      const signed = events === 'connection' ? 'its own connection' : yes(signedCallbacks);
      return `| ${label} | \`${name}\` | ${signed} | ${yes(hangUp)} | ${yes(transfers)} |`;
    }),
  ].join('\n');
}

/** The text between `<!-- generated: name -->` and `<!-- /generated -->`, by name. */
const TABLES: Record<string, () => string> = {
  providers: providersTable,
  carriers: carriersTable,
  'carrier settings': () => settingsTable([{ kind: 'carrier', programs: 'control', manifests: CARRIERS }]),
  'provider settings': () =>
    settingsTable([
      { kind: 'transcriber', programs: 'both', manifests: TRANSCRIBERS },
      { kind: 'synthesizer', programs: 'both', manifests: SYNTHESIZERS },
      { kind: 'model', programs: 'both', manifests: LANGUAGE_MODELS },
    ]),
};

export const DOCUMENTS = ['README.md', 'docs/settings.md'];

/** The document with every generated table as it should be now. */
export function withTables(text: string): string {
  return text.replace(
    /(<!-- generated: ([a-z ]+) -->\n)[\s\S]*?(<!-- \/generated -->)/g,
    (_, start: string, name: string, end: string) => `${start}${TABLES[name]!()}\n${end}`,
  );
}

export const documentPath = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));

if (import.meta.main) {
  for (const name of DOCUMENTS) {
    const path = documentPath(name);
    const before = readFileSync(path, 'utf8');
    const after = withTables(before);
    if (after !== before) writeFileSync(path, after);
    console.log(`${name}: ${after === before ? 'up to date' : 'written'}`);
  }
}
