import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * `make audit`: asks npm's registry for known holes of the locked packages that the programs need, and fails at a high or critical
 * one that is not accepted. Says when the registry has no answer, and goes on. Says as well when upstream may have made a patch or
 * a repacked package superfluous.
 */

/** `until` is the last day on which it is accepted, as `2026-12-31`. */
export interface Accepted {
  id: string;
  package: string;
  until: string;
  reason: string;
}

export interface Advisory {
  /** `GHSA-…`, or the number in the registry. */
  id: string;
  package: string;
  severity: string;
  title: string;
}

const FAILS = ['high', 'critical'];

/** Reads the answer of `npm audit --json`; null when the registry gave none. */
export function advisoriesIn(json: string): Advisory[] | null {
  const report = parsed(json);
  const { vulnerabilities } = report;
  if (typeof vulnerabilities !== 'object' || vulnerabilities === null) return null;
  const found = new Map<string, Advisory>();
  for (const { via = [] } of Object.values(vulnerabilities as Record<string, { via?: unknown[] }>)) {
    for (const each of via) {
      // A text is the name of another package of this list.
      if (typeof each !== 'object' || each === null) continue;
      const { url = '', source = '', name = '', severity = '', title = '' } = each as Record<string, string>;
      const id = /GHSA-[\w-]+/.exec(url)?.[0] ?? String(source);
      found.set(`${id} ${name}`, { id, package: name, severity, title });
    }
  }
  return [...found.values()];
}

/** What fails the audit: serious advisories that are not accepted, and what is accepted for too long or no longer there. */
export function problemsIn(advisories: readonly Advisory[], accepted: readonly Accepted[], today: string): string[] {
  const serious = advisories.filter(({ severity }) => FAILS.includes(severity));
  const acceptanceOf = (advisory: Advisory) =>
    accepted.find((each) => each.id === advisory.id && each.package === advisory.package);
  const open = serious.flatMap((advisory) => {
    const acceptance = acceptanceOf(advisory);
    const text = `${advisory.severity}: ${advisory.package}: ${advisory.title} (${advisory.id})`;
    if (!acceptance)
      return [`${text}: update it, or accept it in dev/accepted-advisories.json with a day and a reason`];
    return acceptance.until < today ? [`${text}: accepted until ${acceptance.until} only`] : [];
  });
  const gone = accepted.filter(
    (each) => !advisories.some(({ id, package: name }) => id === each.id && name === each.package),
  );
  return [...open, ...gone.map((each) => `${each.package}: ${each.id} is accepted and no longer known: remove it`)];
}

/** What our changes of packages belong to, and what upstream has now. */
export function supersededBy(newest: { postgres: string; uWebSockets: string }, patched: string): string[] {
  const lines: string[] = [];
  if (newest.postgres !== '' && newest.postgres !== patched) {
    lines.push(
      `postgres ${newest.postgres} is there, the patch is for ${patched}: install it, remove the patch, and run test/control/db/broken-connection.test.ts`,
    );
  }
  if (Number.parseInt(newest.uWebSockets, 10) >= 20) {
    lines.push(`uWebSockets.js ${newest.uWebSockets} is in the registry: the repacked package uws-pack may go`);
  }
  return lines;
}

function parsed(json: string): Record<string, unknown> {
  try {
    return JSON.parse(json) ?? {};
  } catch {
    return {};
  }
}

const run = promisify(execFile);
const npm = async (...args: string[]) => {
  const options = { timeout: 120_000, maxBuffer: 64 * 1024 * 1024 };
  // It exits with an error when it has found something, too.
  return run('npm', args, options).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string }) => error.stdout ?? '',
  );
};

async function main(): Promise<void> {
  const read = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
  const accepted: Accepted[] = read('./accepted-advisories.json');
  const patched: string = read('../package.json').dependencies.postgres;
  const newest = {
    postgres: (await npm('view', 'postgres', 'version')).trim(),
    uWebSockets: (await npm('view', 'uWebSockets.js', 'version')).trim(),
  };
  for (const line of supersededBy(newest, patched)) console.log(`look: ${line}`);
  const advisories = advisoriesIn(await npm('audit', '--omit=dev', '--json'));
  if (!advisories) {
    console.log('audit: the registry of this machine has no audit endpoint, or is not reached: nothing was audited');
    return;
  }
  const problems = problemsIn(advisories, accepted, new Date().toISOString().slice(0, 10));
  for (const problem of problems) console.error(problem);
  console.log(`audit: ${advisories.length} advisories, ${problems.length} problems`);
  if (problems.length > 0) process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
