import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A Debian system in a folder, in the place of an official Node image, and programs that run in it. Needs root. */

export interface RunOptions {
  env: Record<string, string>;
  cwd: string;
  /** Root when it is left out. */
  user?: string;
  /** As `compose.yaml` runs our programs: read-only but for `/tmp` and these folders, and without capabilities. */
  readOnlyBut?: readonly string[];
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
/** Of `node:22-bookworm`, what its packages are used for here: compilers, and what fetches. `-slim` has none of them. */
const FULL_PACKAGES = 'build-essential,ca-certificates,curl,git,pkg-config,python3';
/** Of Node 22.23: what its image has. */
const NPM = 'npm@10.9.9';

/** Makes the folder of a base image; it is cached, since neither Debian nor Node change with our Dockerfiles. */
export function prepareBase(image: string, cache: string, nodeVersion: string): string {
  const [, name, slim] = /^(node:22-bookworm)(-slim)?(?:@.*)?$/.exec(image) ?? [];
  if (!name) throw new Error(`there is no Debian system for ${image}: only node:22-bookworm and its -slim`);
  const base = join(cache, `node-${nodeVersion}${slim ?? ''}`);
  if (existsSync(base)) return base;
  const making = `${base}.making`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  const packages = slim ? [] : [`--include=${FULL_PACKAGES}`];
  execFileSync('debootstrap', ['--variant=minbase', ...packages, 'bookworm', making], { stdio: 'inherit' });
  // Where the clock and the mirror disagree, apt of this machine is told so, and has to be told in there too.
  const apt = execFileSync('apt-config', ['dump'], { encoding: 'utf8' });
  const checks = apt.split('\n').filter((line) => line.startsWith('Acquire::Check'));
  writeFileSync(join(making, 'etc/apt/apt.conf.d/99here'), `${checks.join('\n')}\n`);
  installNode(making, nodeVersion, cache);
  execFileSync('chroot', [making, 'useradd', '--create-home', '--uid', '1000', '--user-group', 'node']);
  renameSync(making, base);
  return base;
}

/** Node with its headers and npm, from npm's registry: they lie where the official images have them. */
function installNode(root: string, version: string, cache: string): void {
  const fetched = join(cache, 'packages');
  mkdirSync(fetched, { recursive: true });
  const unpack = (name: string, folder: string) => {
    const file = execFileSync('npm', ['pack', name, '--silent'], { cwd: fetched, encoding: 'utf8' }).trim();
    mkdirSync(folder, { recursive: true });
    execFileSync('tar', ['-C', folder, '--strip-components=1', '--no-same-owner', '-xzf', join(fetched, file)]);
  };
  const local = join(root, 'usr/local');
  unpack(`node-linux-${process.arch}@${version}`, local);
  unpack(NPM, join(local, 'lib/node_modules/npm'));
  for (const name of ['npm', 'npx']) {
    execFileSync('ln', ['-sf', `../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name)]);
  }
  execFileSync('chmod', ['-R', 'a+rX', local]);
}

/** A folder for a stage, as the stage or image before it left its own. */
export function copyRoot(from: string, to: string): void {
  execFileSync('cp', ['-a', '--reflink=auto', from, to]);
  for (const file of ['/etc/resolv.conf', '/etc/hosts']) copyFileSync(file, join(to, file));
}

/** Runs a command in the folder to its end. @throws with the end of its output. */
export async function runIn(root: string, command: readonly string[], options: RunOptions): Promise<string> {
  const child = startIn(root, command, options);
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.on('data', (data: Buffer) => {
      output = (output + data.toString()).slice(-20_000);
    });
  }
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`exit code ${code}:\n${output.trimEnd().split('\n').slice(-25).join('\n')}`);
  return output;
}

/** Mounts are made in a namespace of the command's own, so none is left behind. */
export function startIn(root: string, command: readonly string[], options: RunOptions): ChildProcess {
  const { env, cwd, user = 'root', readOnlyBut } = options;
  const certificates = existsSync(CERTIFICATES) && existsSync(join(root, CERTIFICATES)) && !readOnlyBut;
  const script = [
    'set -e',
    'mount --bind "$ROOT" "$ROOT"',
    ...(readOnlyBut ?? []).map((folder) => `mount --bind "$ROOT${folder}" "$ROOT${folder}"`),
    ...(readOnlyBut ? ['mount -o remount,bind,ro "$ROOT"', 'mount -t tmpfs tmpfs "$ROOT/tmp"'] : []),
    'mount -t proc proc "$ROOT/proc"',
    'mount --rbind /dev "$ROOT/dev"',
    // A network whose proxy has a certificate of its own is reached by builds only.
    ...(certificates ? [`mount --bind ${CERTIFICATES} "$ROOT${CERTIFICATES}"`] : []),
    'exec chroot "$ROOT" "$@"',
  ].join('\n');
  const { uid, gid } = idsOf(root, user);
  const rights = readOnlyBut ? ['--bounding-set=-all', '--no-new-privs'] : [];
  const asUser = uid === 0 ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...rights, '--'];
  const environment = {
    ...{ PATH, HOME: uid === 0 ? '/root' : `/home/${user}` },
    ...(certificates ? { NODE_EXTRA_CA_CERTS: CERTIFICATES } : {}),
    ...env,
  };
  const assignments = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const inside = ['env', '-i', `--chdir=${cwd}`, ...assignments, ...command];
  const args = ['--mount', '--propagation', 'private', '--', 'sh', '-c', script, 'sh', ...asUser, ...inside];
  return spawn('unshare', args, { env: { ...process.env, ROOT: root }, stdio: ['ignore', 'pipe', 'pipe'] });
}

function idsOf(root: string, user: string): { uid: number; gid: number } {
  const users = readFileSync(join(root, 'etc/passwd'), 'utf8').split('\n');
  const entry = users.find((line) => line.startsWith(`${user}:`))?.split(':');
  if (!entry) throw new Error(`the image has no user ${user}`);
  return { uid: Number(entry[2]), gid: Number(entry[3]) };
}

/** `COPY`: a folder's content into the target, a file to it, or into it when it ends in a slash. */
export function copyInto(source: string, target: string, isIncluded: (path: string) => boolean): void {
  cpSync(source, target, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, filter: isIncluded });
}
