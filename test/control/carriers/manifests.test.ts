import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readControlConfig } from '../../../control/config.ts';
import type { CarrierManifest } from '../../../shared/carriers/manifest.ts';
import { CARRIERS } from '../../../shared/carriers/registry.ts';

const PRIVATE_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
});
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const config = readControlConfig({ DATABASE_URL: 'x', MEDIA_TOKEN_SECRET: 'x'.repeat(16), RECORDINGS_DIR: 'x' });

/** With every setting set. */
const settingsOf = (manifest: CarrierManifest) => ({
  ...Object.fromEntries(Object.keys(manifest.settings).map((setting) => [setting, 'https://carrier.example.com'])),
  VONAGE_PRIVATE_KEY: PRIVATE_KEY,
  ASTERISK_ARI_CA_FILE: '',
  TELNYX_PUBLIC_KEY: Buffer.alloc(32).toString('base64'),
  PUBLIC_API_URL: 'https://x.example.com',
  ...Object.fromEntries(CARRIERS.map(({ name }) => [`${name.toUpperCase()}_SAMPLE_RATE`, '8000'])),
});

it('every carrier has a name of its own, which can be part of a URL', () => {
  expect(new Set(CARRIERS.map(({ name }) => name)).size).toBe(CARRIERS.length);
  for (const { name } of CARRIERS) expect(name).toMatch(/^[a-z]{1,20}$/);
});

describe.each(CARRIERS.map((manifest) => [manifest.name, manifest] as const))('%s', (name, manifest) => {
  it('has an adapter in control and a protocol in media', async () => {
    const { adapter } = await import(`../../../control/carriers/${name}.ts`);
    expect(adapter).toBeTypeOf('function');
    expect(existsSync(`${ROOT}media/leg/protocols/${name}.ts`)).toBe(true);
  });

  it('has an inventory of numbers if its manifest says so', async () => {
    const { adapter } = await import(`../../../control/carriers/${name}.ts`);
    expect(adapter(settingsOf(manifest), { sql: {} }).numbers !== undefined).toBe(manifest.capabilities.numbers);
  });

  it('has settings that control reads', () => {
    for (const [setting, { default: value }] of Object.entries(manifest.settings)) {
      expect(config).toHaveProperty(setting, value);
    }
  });
});

it.each(['plivo', 'telnyx', 'vonage', 'asterisk'])('%s has audio at 8 or 16 kHz', async (name) => {
  const { adapter } = await import(`../../../control/carriers/${name}.ts`);
  const settings = settingsOf(CARRIERS.find((carrier) => carrier.name === name)!);
  const setting = `${name.toUpperCase()}_SAMPLE_RATE`;
  expect(() => adapter({ ...settings, [setting]: '16000' }, { sql: {} })).not.toThrow();
  expect(() => adapter({ ...settings, [setting]: '44100' }, { sql: {} })).toThrow(`${setting} is 44100`);
});

it.each([
  ['plivo', 'PLIVO_APPLICATION_ID'],
  ['vonage', 'VONAGE_API_KEY'],
  ['vonage', 'VONAGE_API_SECRET'],
  ['exotel', 'EXOTEL_APP_ID'],
])('%s has no inventory of numbers without %s', async (name, setting) => {
  const { adapter } = await import(`../../../control/carriers/${name}.ts`);
  const settings = { ...settingsOf(CARRIERS.find((carrier) => carrier.name === name)!), [setting]: '' };
  expect(adapter(settings).numbers).toBeUndefined();
});
