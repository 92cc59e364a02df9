import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from '@nats-io/transport-node';
import { expect, it } from 'vitest';
import { accessOptions } from '../../shared/bus/access.ts';
import { connectBus } from '../../shared/bus/bus.ts';
import { engineIdOf } from '../../shared/bus/subjects.ts';
import { createLogger } from '../../shared/log.ts';
import { afterFile } from '../support/after-file.ts';
import { makeFastFolder } from '../support/fast-folder.ts';
import { startTestNats } from '../support/nats.ts';

/** `docker compose` passes all documented settings, and what its services run works: here as plain processes. */

const text = (name: string) => readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), 'utf8');
const compose = text('compose.yaml');

/** The lines of a service, up to the next one. */
function service(name: string): string {
  const lines = compose.split('\n');
  const from = lines.indexOf(`  ${name}:`);
  const length = lines.slice(from + 1).findIndex((line) => /^ {0,2}\S/.test(line));
  return lines.slice(from + 1, from + 1 + length).join('\n');
}

it.each(['control', 'media'])("%s reads every further setting from the providers' file and its own", (program) => {
  expect(service(program)).toContain(
    `env_file: [{ path: providers.env, required: false }, { path: ${program}.env, required: false }]`,
  );
});

it('control starts when the database is migrated', () => {
  expect(service('migrate')).toContain('control/operator.ts, migrate]');
  expect(service('control')).toMatch(/migrate:\n {8}condition: service_completed_successfully/);
});

it('e-mails that no mail server takes outlive the container', () => {
  const folder = /MAIL_DIR=(\S+)/.exec(text('Dockerfile.control'))![1];
  expect(service('control')).toMatch(new RegExp(`^ {6}- \\w+:${folder}$`, 'm'));
});

/** The words of a service's command, or the value of a setting. */
const commandOf = (name: string) =>
  /command:\s*\[([^\]]*)\]/
    .exec(service(name))![1]!
    .split(',')
    .map((word) => word.trim());
const settingOf = (name: string, setting: string) => new RegExp(`^ {6}${setting}: (.*)$`, 'm').exec(service(name))![1]!;
const volumesOf = (name: string) =>
  [...service(name).matchAll(/^ {6}- ([\w-]+):(\/\S+)$/gm)].map((match) => match[0].trim().slice(2));

it('each program has its own key of the bus, which knows nobody else', async () => {
  const folder = makeFastFolder('antiphon-compose-');
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  /** What is in a container at this path. */
  const here = (text: string) =>
    text.replace(/(^|=)\/(bus|data)/, (_path, before, name) => before + join(folder, name));
  const [program, ...args] = commandOf('bus-keys').map(here);
  const { PATH = '', NODE_OPTIONS = '' } = process.env;
  const made = spawnSync(program!, args, {
    ...{ cwd: fileURLToPath(new URL('../..', import.meta.url)), encoding: 'utf8' },
    env: { PATH, NODE_OPTIONS, DATABASE_URL: settingOf('bus-keys', 'DATABASE_URL') },
  });
  expect(made).toMatchObject({ status: 0, stderr: '' });

  const [option, config] = commandOf('nats').map(here);
  expect(option).toBe('-c');
  expect(readFileSync(config!, 'utf8')).toContain(`store_dir: "${folder}/data"`);
  const nats = await startTestNats({ config: config! });
  await expect(connect({ ...accessOptions(nats.url, {}), reconnect: false })).rejects.toThrow(/authorization/i);
  const [control, engine] = await Promise.all(
    ['control', 'media'].map((name) => {
      const busUser = settingOf(name, 'NATS_NAME');
      return connectBus({
        ...{ url: nats.url, name, busUser, log: createLogger('test', 'silent'), streamTimeoutMs: 60_000 },
        access: { credentialsFile: here(settingOf(name, 'NATS_CREDENTIALS')) },
        engineId: name === 'media' ? engineIdOf(busUser, '1') : '',
      });
    }),
  );
  afterFile(() => Promise.all([control!.close(), engine!.close()]));
  await control!.prepare();
  control!.serveSessions(async () => ({ refused: 'unknown call' }));
  // Answered after the server has the subscription.
  await control!.events.backlog();
  const request = { call_id: 'c', token_nonce: 'n', provider: 'twilio', provider_call_id: 'p', parameters_json: '{}' };
  expect((await engine!.openSession(request as never, 60_000)).refused).toBe('unknown call');
});

it('no container sees the keys of another, and only the one that makes them writes them', () => {
  const ofTheBus = (name: string) => volumesOf(name).filter((volume) => volume.startsWith('bus-'));
  expect(ofTheBus('nats')).toEqual(['bus-server:/bus/server:ro']);
  expect(ofTheBus('control')).toEqual(['bus-control:/bus/control:ro']);
  expect(ofTheBus('media')).toEqual(['bus-engines:/bus/engines:ro']);
  expect(ofTheBus('migrate')).toEqual([]);
});
