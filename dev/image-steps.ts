import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type DockerfileStage, isInContext, readDockerfile, type Step } from './dockerfile.ts';
import { copyInto, copyRoot, prepareBase, runIn, startIn } from './image-chroot.ts';
import { startNats } from './nats.ts';
import { freePort } from './ports.ts';
import { startPostgres } from './postgres.ts';

/**
 * `make images`, where there is no Docker: executes every line of the Dockerfiles in Debian systems in folders, then starts the programs in
 * them as `compose.yaml` does (as `node`, read-only, without capabilities) over real PostgreSQL and NATS, until the image's own
 * HEALTHCHECK passes, and ends them with SIGTERM. What it cannot show: the official base images themselves, in whose place a bare
 * Debian 12 with the same Node stands, and the network of containers. Needs root and debootstrap.
 *
 * IMAGES=control: only that one. WORKER=file: takes mediasoup's worker from there in place of the line that compiles it, which takes many
 * minutes of CPU.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CACHE = join(ROOT, '.cache/image-steps');
const HEALTHY_WITHIN_MS = 120_000;
const BUILDS_WORKER = 'dev/mediasoup-worker/build.sh';
const { WORKER } = process.env;
const STOPS_WITHIN_MS = 30_000;
const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8');
const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  devDependencies: { node: string };
};

interface Image {
  root: string;
  env: Record<string, string>;
  cwd: string;
  user: string;
  volumes: string[];
  health: string[];
  command: string[];
}

async function build(file: string, work: string): Promise<Image> {
  const built = new Map<string, Image>();
  let image: Image | undefined;
  for (const stage of readDockerfile(readFileSync(join(ROOT, file), 'utf8'))) {
    const before = built.get(stage.from);
    image = {
      ...{ env: {}, cwd: '/', user: 'root', volumes: [], health: [], command: [] },
      ...structuredClone(before ?? {}),
      root: join(work, `${file}-${stage.name}`),
    };
    copyRoot(before?.root ?? prepareBase(stage.from, CACHE, devDependencies.node), image.root);
    await runStage(stage, image, built);
    built.set(stage.name, image);
  }
  return image!;
}

async function runStage(
  { name, from, steps }: DockerfileStage,
  image: Image,
  built: Map<string, Image>,
): Promise<void> {
  console.log(`  FROM ${from} AS ${name}`);
  const args: Record<string, string> = {};
  for (const step of steps) {
    const startMs = performance.now();
    await runStep(step, image, { built, args });
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
    console.log(`  ${seconds.padStart(6)} s  ${step.line.replaceAll(/\s+/g, ' ').slice(0, 120)}`);
  }
}

async function runStep(
  step: Step,
  image: Image,
  { built, args }: { built: Map<string, Image>; args: Record<string, string> },
): Promise<void> {
  const { root, env, cwd, user } = image;
  switch (step.kind) {
    case 'RUN':
      if (WORKER && step.command.includes(BUILDS_WORKER)) {
        console.log(`  NOT EXECUTED, but ${WORKER} copied in its place:`);
        copyInto(WORKER, join(root, step.command.split(' ').at(-1)!), () => true);
      } else await runIn(root, ['/bin/sh', '-c', step.command], { env: { ...args, ...env }, cwd, user });
      break;
    case 'COPY': {
      const fromRoot = step.from === null ? ROOT : built.get(step.from)!.root;
      const included = (path: string) => step.from !== null || isInContext(ignored, relative(ROOT, path));
      const target = join(root, step.target.startsWith('/') ? '' : cwd, step.target);
      for (const source of step.sources) {
        const path = join(fromRoot, source);
        if (!included(path)) throw new Error(`.dockerignore leaves out ${source}`);
        const isFolder = statSync(path).isDirectory();
        copyInto(path, !isFolder && step.target.endsWith('/') ? join(target, basename(source)) : target, included);
      }
      break;
    }
    case 'WORKDIR':
      image.cwd = step.value;
      mkdirSync(join(root, step.value), { recursive: true });
      break;
    case 'USER':
      image.user = step.value;
      break;
    case 'ENV':
      Object.assign(env, step.values);
      break;
    case 'ARG':
      Object.assign(args, step.values);
      break;
    case 'VOLUME':
      image.volumes.push(...step.folders);
      break;
    case 'HEALTHCHECK':
      image.health = step.command;
      break;
    case 'CMD':
      image.command = step.command;
      break;
    case 'EXPOSE':
  }
}

/** Starts the image's program, resolves when its health check passes; `stop` sends SIGTERM and expects exit code 0. */
async function start(name: string, image: Image, settings: Record<string, string>): Promise<() => Promise<void>> {
  const startMs = performance.now();
  const { root, env, cwd, user, volumes, health, command } = image;
  const options = { env: { ...env, ...settings }, cwd, user, readOnlyBut: volumes };
  const child = startIn(root, command, options);
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (data: Buffer) => {
      output = (output + data.toString()).slice(-4_000);
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const failed = (what: string) => new Error(`${name} ${what}:\n${output}`);
  for (let healthy = false; !healthy; ) {
    if (child.exitCode !== null) throw failed(`exited with code ${child.exitCode}`);
    if (performance.now() - startMs > HEALTHY_WITHIN_MS) throw failed('is not healthy');
    healthy = await runIn(root, health, options).then(
      () => true,
      () => false,
    );
    if (!healthy) await sleep(500);
  }
  console.log(`  ${name} is healthy after ${((performance.now() - startMs) / 1_000).toFixed(1)} s`);
  return async () => {
    const stopMs = performance.now();
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), STOPS_WITHIN_MS);
    const code = await exited;
    clearTimeout(kill);
    if (code !== 0) throw failed(`exited with code ${code} after SIGTERM`);
    console.log(`  ${name} ended ${((performance.now() - stopMs) / 1_000).toFixed(1)} s after SIGTERM`);
  };
}

async function main(): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('make images needs root: it makes Debian systems in folders');
  const only = process.env.IMAGES?.split(',');
  const work = mkdtempSync(join(tmpdir(), 'antiphon-images-'));
  const stops: (() => Promise<void>)[] = [];
  try {
    const images = new Map<string, Image>();
    for (const name of ['control', 'media']) {
      if (only && !only.includes(name)) continue;
      console.log(`Dockerfile.${name}`);
      const image = await build(`Dockerfile.${name}`, work);
      images.set(name, image);
      const size = execFileSync('du', ['-sm', image.root], { encoding: 'utf8' }).split('\t')[0];
      console.log(`  ${size} MB with its Debian\n`);
    }
    const postgres = await startPostgres({ dataDir: join(work, 'postgres'), unsafeButFast: true });
    stops.push(postgres.stop);
    const nats = await startNats({ dataDir: join(work, 'nats') });
    stops.push(nats.stop);
    const [apiPort, mediaPort, webPort] = [await freePort(), await freePort(), await freePort()];
    const common = { NATS_URL: nats.url, MEDIA_TOKEN_SECRET: 's'.repeat(32) };
    const control = images.get('control');
    if (control) {
      const settings = {
        ...{ ...common, DATABASE_URL: postgres.url, SECRETS_KEY: 'k'.repeat(44), API_PORT: String(apiPort) },
        ...{ PUBLIC_API_URL: `http://127.0.0.1:${apiPort}`, PUBLIC_MEDIA_URL: `ws://127.0.0.1:${mediaPort}` },
      };
      const migrate = ['node', '--disable-warning=ExperimentalWarning', 'control/operator.ts', 'migrate'];
      const { root, cwd, user, volumes } = control;
      await runIn(root, migrate, { env: { ...control.env, ...settings }, cwd, user, readOnlyBut: volumes });
      console.log('  migrate is done');
      stops.push(await start('control', control, settings));
    }
    const media = images.get('media');
    if (media) {
      const settings = {
        ...common,
        MEDIA_PORT: String(mediaPort),
        WEB_MEDIA_PORT: String(webPort),
        DRAIN_SECONDS: '5',
      };
      stops.push(await start('media', media, { ...settings, WEB_MEDIA_ADDRESS: '127.0.0.1' }));
    }
    while (stops.length > 0) await stops.pop()!();
    console.log('\npassed');
  } finally {
    for (const stop of stops.toReversed()) await stop().catch((error: unknown) => console.error(String(error)));
    rmSync(work, { recursive: true, force: true });
  }
}

await main();
