import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { REALTIME_MODELS } from '../../shared/providers/realtime.ts';
import { LANGUAGE_MODELS, SYNTHESIZERS, TRANSCRIBERS } from '../../shared/providers/registry.ts';

/** Every provider of the registry has a conformance file, named after it. */
describe.each([
  ['language-models', LANGUAGE_MODELS],
  ['synthesizers', SYNTHESIZERS],
  ['voice-lists', SYNTHESIZERS],
  ['transcribers', TRANSCRIBERS],
  ['realtime-models', REALTIME_MODELS],
] as const)('%s', (folder, manifests) => {
  test.each(manifests.map(({ name }) => name))('%s has a conformance file', (name) => {
    const file = `${name.replaceAll('_', '-')}.test.ts`;
    expect(existsSync(join(import.meta.dirname, folder, file)), `test/conformance/${folder}/${file}`).toBe(true);
  });
});
