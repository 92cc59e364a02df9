import { expect, it } from 'vitest';
import { createCommandKeyManagement } from '../../../control/db/key-management.ts';
import { openSecretKeys } from '../../../control/db/secret-keys.ts';

const KEY = 'k'.repeat(32);
const open = (command: string, deadlineMs?: number) => createCommandKeyManagement(command, deadlineMs).open('sealed');
const settings = (SECRETS_KEY: string, SECRETS_KMS_COMMAND: string) => ({
  ...{ SECRETS_KEY, SECRETS_KMS_COMMAND, MEDIA_TOKEN_SECRET: '' },
});

it('a command reads the sealed key and writes the opened one', async () => {
  expect(await open('tr a-z A-Z; echo')).toBe('SEALED');
});

it.each([
  ['that fails', 'exit 3', 'ended with exit code 3'],
  ['that does not exist', 'no-such-program', 'ended with exit code 127'],
  ['that is killed', 'kill -9 $$', 'ended with SIGKILL'],
  ['that writes nothing', 'true', 'wrote no key'],
  ['that writes on and on', 'yes', 'wrote more than a key'],
])('a command %s opens no key', async (_, command, problem) => {
  await expect(open(command)).rejects.toThrow(`SECRETS_KMS_COMMAND ${problem}`);
});

it('a command that hangs is killed at the deadline, with what it has started', async () => {
  await expect(open('sleep 600 & sleep 600', 50)).rejects.toThrow('took longer than 0.05 s');
});

it('keys that begin with kms: are opened by it, others are taken as they are', async () => {
  const { box } = await openSecretKeys(settings(`kms:${KEY.toUpperCase()},old`, 'tr A-Z a-z'));
  const plain = await openSecretKeys(settings(`${KEY},old`, ''));
  expect(box.keyIds).toEqual(plain.box.keyIds);
});

it('an opened key that is too short is refused', async () => {
  await expect(openSecretKeys(settings('kms:sealed', 'cat'))).rejects.toThrow('fewer than 32 characters');
});
