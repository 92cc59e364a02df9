import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Brings what browser calls need while the rest of `make up` runs. The engine finds it there without a restart. */

const SCRIPT = fileURLToPath(new URL('browser-calls.sh', import.meta.url));
const REPORT_EVERY_MS = 20_000;
/** An estimate from less would be a guess. */
const ESTIMATE_FROM_STEPS = 10;
const ESTIMATE_FROM_MS = 15_000;

export interface BuildProgress {
  /** Of the build's steps, as ninja counts them: `[12/261]`. */
  step: number;
  steps: number;
  atMs: number;
}

/** Reads a line of the build; null when it tells no progress. */
export function buildProgress(line: string, atMs: number): BuildProgress | null {
  const [, step, steps] = /^\[(\d+)\/(\d+)\]/.exec(line) ?? [];
  return step === undefined ? null : { step: Number(step), steps: Number(steps), atMs };
}

/** Says how far the build is, and how long the rest takes at the rate so far, once that can be told. */
export function progressText(first: BuildProgress, now: BuildProgress): string {
  const done = now.step - first.step;
  const elapsedMs = now.atMs - first.atMs;
  const text = `building [${now.step}/${now.steps}]`;
  if (done < ESTIMATE_FROM_STEPS || elapsedMs < ESTIMATE_FROM_MS) return text;
  const leftMs = (elapsedMs / done) * (now.steps - now.step);
  return `${text}, about ${durationText(leftMs)} more at the rate so far`;
}

function durationText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

export interface BrowserCallsBuild {
  /** Resolves with whether browser calls are possible now; never rejects. */
  done: Promise<boolean>;
  /** Ends the build; the next `make up` begins it again. */
  stop(): void;
}

/** Downloads or builds in the background. `say` gets a line per stage, progress, and the outcome. */
export function buildBrowserCalls(say: (line: string) => void, script = SCRIPT): BrowserCallsBuild {
  // A process group of its own, so that Ctrl-C reaches the compilers through `stop` only.
  const child = spawn(script, [], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let stopped = false;
  let first: BuildProgress | null = null;
  let reportedAtMs = -Infinity;
  const last: string[] = [];

  function onLine(line: string): void {
    if (line.trim() === '' || stopped) return;
    last.push(line);
    if (last.length > 8) last.shift();
    const now = buildProgress(line, performance.now());
    if (now === null) {
      if (/^(Downloading|Installing|Building)\b/.test(line)) say(`browser calls: ${line}`);
      return;
    }
    first ??= now;
    if (now.atMs - reportedAtMs < REPORT_EVERY_MS) return;
    reportedAtMs = now.atMs;
    say(`browser calls: ${progressText(first, now)}`);
  }

  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    });
    stream.on('end', () => onLine(rest));
  }

  const done = new Promise<boolean>((resolve) => {
    const settle = (ready: boolean, why: string) => {
      if (!stopped) {
        say(
          ready
            ? 'browser calls: ready, press the call button'
            : `browser calls: not available: ${why}\n${last.map((line) => `  ${line}`).join('\n')}\n  mend that, then run dev/browser-calls.sh; no restart is needed`,
        );
      }
      resolve(ready);
    };
    child.once('error', (error) => settle(false, error.message));
    child.once('close', (code, signal) =>
      settle(code === 0, `${fileName(script)} ended with ${signal ?? `code ${code}`}; its last lines:`),
    );
  });

  return {
    done,
    stop() {
      if (stopped) return;
      stopped = true;
      try {
        process.kill(-child.pid!, 'SIGTERM');
      } catch {
        // It has ended.
      }
    },
  };
}

const fileName = (path: string) => path.slice(path.lastIndexOf('/') + 1);
