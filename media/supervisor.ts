import { type ChildProcess, fork } from 'node:child_process';
import type { Clock, Timer } from '../shared/clock.ts';
import { errorText, type Logger } from '../shared/log.ts';
import { fromEngineSchema, type Sibling, type ToEngine } from './siblings.ts';

/**
 * Several engines on one machine and one public port: starts them, starts those again that fell, tells each about the
 * others, and leads them out. It touches no sound and has no connection of its own, so there is little to fall.
 */
export interface Supervisor {
  /** Resolves when every engine has been ready; rejects when one could not start at all. */
  ready(): Promise<void>;
  /** Replaces the engines one after the other: a new one is ready before an old one leaves. */
  replaceAll(): Promise<void>;
  /** All leave; their live calls get so long. Resolves when they are gone. */
  leave(patienceMs: number): Promise<void>;
  /** Ends everything at once. */
  kill(): void;
}

export interface SupervisorOptions {
  processes: number;
  /** The program of an engine; it is started with `ANTIPHON_MEDIA_ENGINE` set to its place, from 0. */
  program: string;
  /** On its own way out an engine's live calls get so long. */
  drainMs: number;
  clock: Clock;
  log: Logger;
}

/** In an engine's environment: its place among the engines, the smallest that is free. */
export const ENGINE_PLACE = 'ANTIPHON_MEDIA_ENGINE';

interface Engine {
  child: ChildProcess;
  place: number;
  startedMs: number;
  /** Null until it is ready. */
  sibling: Sibling | null;
  callIds: Set<string>;
  /** It was told to leave, and nobody takes its place when it has. */
  retired: boolean;
  /** How often it was looked at since it last said something. */
  silentLooks: number;
  gone: Promise<void>;
}

const READY_WITHIN_MS = 60_000;
/** An engine that lived so long fell by accident, and the next one comes at once. */
const LIVED_WELL_MS = 60_000;
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;
/** Beyond its calls' time an engine needs some to store what is left; after that it hangs. */
const LEAVES_WITHIN_MS = 40_000;
const LOOK_EVERY_MS = 50;
/** A ready engine says every second how it is doing. Looks are counted, not time: the whole machine may have slept. */
const LOOK_FOR_SILENT_MS = 5_000;
const SILENT_LOOKS = 5;
const STARTING_LOOKS = READY_WITHIN_MS / LOOK_FOR_SILENT_MS;

export function startSupervisor(options: SupervisorOptions): Supervisor {
  const { processes, program, drainMs, clock, log } = options;
  const engines = new Set<Engine>();
  const restarts = new Set<Timer>();
  let falls = 0;
  let leaving: Promise<void> | null = null;
  let replacing: Promise<void> | null = null;
  let everReady = false;
  let failed: string | null = null;

  for (let place = 0; place < processes; place++) {
    if (!start()) failed = 'an engine could not start: the machine gave no process';
  }
  let looking = clock.after(LOOK_FOR_SILENT_MS, lookForSilent);

  /** The kernel goes on giving connections to an engine that hangs. */
  function lookForSilent(): void {
    for (const engine of engines) {
      if (++engine.silentLooks < (engine.sibling ? SILENT_LOOKS : STARTING_LOOKS)) continue;
      const facts = { engine_id: engine.sibling?.engine_id, pid: engine.child.pid, ready: engine.sibling !== null };
      log.error(facts, 'an engine hangs; it is ended');
      engine.child.kill('SIGKILL');
    }
    looking = clock.after(LOOK_FOR_SILENT_MS, lookForSilent);
  }

  /** Null when this machine cannot have another process now. */
  function start(): Engine | null {
    const taken = new Set([...engines].map(({ place }) => place));
    let place = 0;
    while (taken.has(place)) place++;
    const { ANTIPHON_PARENT_WATCH: _ours, ...env } = process.env;
    let child: ChildProcess;
    try {
      child = fork(program, {
        env: { ...env, [ENGINE_PLACE]: String(place) },
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
    } catch (error) {
      log.error({ place, error: errorText(error) }, 'an engine could not be started');
      return null;
    }
    const engine: Engine = {
      child,
      place,
      startedMs: clock.now(),
      sibling: null,
      callIds: new Set(),
      retired: false,
      silentLooks: 0,
      gone: new Promise((resolve) => {
        child.once('exit', (code, signal) => {
          fell(engine, signal ?? `code ${code}`, code === 0);
          resolve();
        });
        // A process that never was has no exit.
        child.once('error', (error) => {
          if (child.pid !== undefined) return;
          fell(engine, error.message, false);
          resolve();
        });
      }),
    };
    engines.add(engine);
    child.on('message', (message) => heard(engine, message));
    // What cannot be sent to an engine is for one that is going; its exit tells the rest.
    child.on('error', (error) => log.warn({ pid: child.pid, error: error.message }, 'an engine could not be told'));
    return engine;
  }

  function heard(engine: Engine, message: unknown): void {
    const told = fromEngineSchema.safeParse(message);
    // Its last words may come after its end.
    if (!told.success || !engines.has(engine)) return;
    engine.silentLooks = 0;
    const { data } = told;
    if (data.kind === 'ready') {
      const { engine_id, private_port, load } = data;
      engine.sibling = { engine_id, pid: engine.child.pid!, private_port, load };
      for (const { sibling, callIds } of othersOf(engine)) {
        send(engine, { kind: 'sibling', sibling, call_ids: [...callIds] });
      }
      log.info({ engine_id, pid: engine.child.pid, place: engine.place }, 'an engine is ready');
      tellOthers(engine, { kind: 'sibling', sibling: engine.sibling });
      return;
    }
    if (!engine.sibling) return;
    const { engine_id } = engine.sibling;
    if (data.kind === 'load') {
      engine.sibling = { ...engine.sibling, load: data.load };
      tellOthers(engine, { kind: 'sibling', sibling: engine.sibling });
      return;
    }
    const { call_id, here } = data;
    if (here) engine.callIds.add(call_id);
    else engine.callIds.delete(call_id);
    tellOthers(engine, { kind: 'call', engine_id, call_id, here });
  }

  function* othersOf(engine: Engine): Generator<Engine & { sibling: Sibling }> {
    for (const other of engines) if (other !== engine && other.sibling) yield other as Engine & { sibling: Sibling };
  }

  function tellOthers(engine: Engine, message: ToEngine): void {
    for (const other of othersOf(engine)) send(other, message);
  }

  function send(engine: Engine, message: ToEngine): void {
    if (engine.child.connected) engine.child.send(message, () => {});
  }

  function fell(engine: Engine, how: string, inOrder: boolean): void {
    if (!engines.delete(engine)) return;
    const { sibling, retired, place } = engine;
    if (sibling) tellOthers(engine, { kind: 'gone', engine_id: sibling.engine_id });
    const facts = { engine_id: sibling?.engine_id, pid: engine.child.pid, place, how, calls: engine.callIds.size };
    if (inOrder) log.info(facts, 'an engine has left');
    else log.error(facts, 'an engine fell; control ends its calls');
    if (leaving || retired) return;
    if (!sibling && !everReady) {
      failed = `an engine could not start: ${how}`;
      return;
    }
    startAgain(inOrder || clock.now() - engine.startedMs >= LIVED_WELL_MS);
  }

  function startAgain(livedWell: boolean): void {
    falls = livedWell ? 0 : falls + 1;
    const waitMs = falls === 0 ? 0 : Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (falls - 1));
    const timer = clock.after(waitMs, () => {
      restarts.delete(timer);
      if (!leaving && !start()) startAgain(false);
    });
    restarts.add(timer);
  }

  function retire(engine: Engine, patienceMs: number, all: boolean): Promise<void> {
    engine.retired = true;
    // One that is not ready has no calls.
    if (engine.sibling) send(engine, { kind: 'leave', patience_ms: patienceMs, all });
    else engine.child.kill('SIGKILL');
    const insist = clock.after(patienceMs + LEAVES_WITHIN_MS, () => engine.child.kill('SIGKILL'));
    return engine.gone.then(() => insist.cancel());
  }

  /** False when the engine fell meanwhile, or takes too long. */
  async function untilReady(engine: Engine): Promise<boolean> {
    const untilMs = clock.now() + READY_WITHIN_MS;
    while (!engine.sibling) {
      if (!engines.has(engine) || clock.now() > untilMs) return false;
      await soon();
    }
    return true;
  }

  async function replaceEach(): Promise<void> {
    for (const old of [...engines]) {
      if (leaving) return;
      // It fell in the meantime, and its successor is new already.
      if (!engines.has(old) || old.retired) continue;
      const successor = start();
      if (successor) successor.retired = true;
      if (!successor || !(await untilReady(successor))) {
        log.error({ place: successor?.place }, 'the engines are not replaced: a new one did not get ready');
        successor?.child.kill('SIGKILL');
        return;
      }
      successor.retired = false;
      if (leaving) return;
      await retire(old, drainMs, false);
    }
    log.info({}, 'every engine was replaced');
  }

  const soon = () => new Promise<void>((resolve) => clock.after(LOOK_EVERY_MS, resolve));

  return {
    async ready() {
      while ([...engines].filter(({ sibling }) => sibling).length < processes) {
        if (failed !== null) throw new Error(failed);
        await soon();
      }
      everReady = true;
    },
    replaceAll() {
      replacing ??= replaceEach().finally(() => {
        replacing = null;
      });
      return replacing;
    },
    leave(patienceMs) {
      for (const restart of restarts) restart.cancel();
      leaving ??= Promise.all([...engines].map((engine) => retire(engine, patienceMs, true))).then(() => {
        looking.cancel();
      });
      return leaving;
    },
    kill() {
      leaving ??= Promise.resolve();
      looking.cancel();
      for (const { child } of engines) child.kill('SIGKILL');
    },
  };
}
