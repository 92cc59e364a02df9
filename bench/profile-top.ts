import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `node bench/profile-top.ts NAME=folder …`: the functions with the most self time of each thread of media, in seconds, from the
 * CPU profiles of `PROFILE=folder CALLS=50 node bench/capacity.ts`. Merged into `bench/results/profile-50-calls.json` by name.
 *
 * The profiler does not see the native part of uWebSockets.js, most of the kernel, and the garbage collector's threads. The start
 * of the process is included, about two seconds of the main thread.
 */

const TOP = 24;
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RESULT = join(import.meta.dirname, 'results', 'profile-50-calls.json');
/** Idle time, and time that the profiler cannot assign. */
const WAITING = new Set(['(idle)', '(root)', '(program)']);

/** The format of Chrome's DevTools protocol, Profiler.Profile; times in microseconds. */
interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

interface Thread {
  thread: string;
  busy_seconds: number;
  /** CPU time outside of any function: native code and the kernel. */
  program_seconds: number;
  top: { function: string; seconds: number }[];
}

function threadOf(path: string): Thread {
  const profile = JSON.parse(readFileSync(path, 'utf8')) as Profile;
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const seconds = new Map<string, number>();
  for (const [at, id] of profile.samples.entries()) {
    const { functionName, url } = nodes.get(id)!.callFrame;
    const name = `${functionName || '(anonymous)'}${url === '' ? '' : ` ${placeOf(url)}`}`;
    // A delta precedes its sample: a sample's time is the next delta.
    seconds.set(name, (seconds.get(name) ?? 0) + (profile.timeDeltas[at + 1] ?? 0) / 1e6);
  }
  const busy = [...seconds].filter(([name]) => !WAITING.has(name));
  const top = busy
    .sort(([, a], [, b]) => b - a)
    .slice(0, TOP)
    .map(([name, own]) => ({ function: name, seconds: rounded(own) }));
  return {
    thread: nameOf(profile),
    busy_seconds: rounded(busy.reduce((sum, [, own]) => sum + own, 0)),
    program_seconds: rounded(seconds.get('(program)') ?? 0),
    top,
  };
}

/** Names a worker by its file. */
function nameOf(profile: Profile): string {
  const urls = profile.nodes.map(({ callFrame }) => callFrame.url);
  const worker = urls.find((url) => /\/media\/.*-worker\.ts$/.test(url));
  if (worker) return placeOf(worker);
  return urls.some((url) => url.endsWith('/media/main.ts')) ? 'media/main.ts' : 'another thread';
}

function placeOf(url: string): string {
  if (!url.startsWith('file:')) return url;
  const path = relative(ROOT, fileURLToPath(url));
  // Profiles may come from another copy of the repository.
  return path.replace(/^.*?(?=(?:media|shared|node_modules)\/)/, '');
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1_000) / 1_000;
}

function known(): Record<string, Thread[]> {
  try {
    return JSON.parse(readFileSync(RESULT, 'utf8')) as Record<string, Thread[]>;
  } catch {
    return {};
  }
}

const results = known();
for (const argument of process.argv.slice(2)) {
  const [name, folder] = argument.split('=');
  if (!name || !folder) throw new Error('usage: node bench/profile-top.ts NAME=folder …');
  const files = readdirSync(folder).filter((file) => file.endsWith('.cpuprofile'));
  results[name] = files.map((file) => threadOf(join(folder, file))).sort((a, b) => b.busy_seconds - a.busy_seconds);
  for (const { thread, busy_seconds, program_seconds, top } of results[name]) {
    console.log(`\n${name}: ${thread}, busy ${busy_seconds} s, native ${program_seconds} s`);
    for (const row of top) console.log(`${row.seconds.toFixed(3).padStart(8)}  ${row.function}`);
  }
}
mkdirSync(join(import.meta.dirname, 'results'), { recursive: true });
writeFileSync(RESULT, `${JSON.stringify(results, null, 2)}\n`);
