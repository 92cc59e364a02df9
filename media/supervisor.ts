import { type ChildProcess, fork } from 'node:child_process';
import type { Clock, Timer } from '../shared/clock.ts';
import { errorText, type Logger } from '../shared/log.ts';
import { fromEngineSchema, type PeerProcess, type ToEngine } from './peer-processes.ts';

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
  shutDown(patienceMs: number): Promise<void>;
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
export const ENGINE_INDEX = 'ANTIPHON_MEDIA_ENGINE';

interface Engine {
  child: ChildProcess;
  index: number;
  startedMs: number;
  /** Null until it is ready. */
  peer: PeerProcess | null;
  callIds: Set<string>;
  /** It was told to leave, and nobody takes its place when it has. */
  retired: boolean;
  /** How often it was looked at since it last said something. */
  silentChecks: number;
  exited: Promise<void>;
}

const READY_DEADLINE_MS = 60_000;
/** An engine that lived so long fell by accident, and the next one comes at once. */
const STABLE_AFTER_MS = 60_000;
const MIN_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** Beyond its calls' time an engine needs some to store what is left; after that it hangs. */
const EXIT_DEADLINE_MS = 40_000;
const POLL_INTERVAL_MS = 50;
/** A ready engine says every second how it is doing. Looks are counted, not time: the whole machine may have slept. */
const HANG_CHECK_INTERVAL_MS = 5_000;
const MAX_SILENT_CHECKS = 5;
const MAX_STARTING_CHECKS = READY_DEADLINE_MS / HANG_CHECK_INTERVAL_MS;

export function startSupervisor(options: SupervisorOptions): Supervisor {
  const { processes, program, drainMs, clock, log } = options;
  const engines = new Set<Engine>();
  const restarts = new Set<Timer>();
  let failures = 0;
  let shuttingDown: Promise<void> | null = null;
  let replacing: Promise<void> | null = null;
  let everReady = false;
  let startFailure: string | null = null;

  for (let place = 0; place < processes; place++) {
    if (!start()) startFailure = 'an engine could not start: the machine gave no process';
  }
  let hangCheckTimer = clock.after(HANG_CHECK_INTERVAL_MS, killHungEngines);

  /** The kernel goes on giving connections to an engine that hangs. */
  function killHungEngines(): void {
    for (const engine of engines) {
      if (++engine.silentChecks < (engine.peer ? MAX_SILENT_CHECKS : MAX_STARTING_CHECKS)) continue;
      const facts = { engine_id: engine.peer?.engine_id, pid: engine.child.pid, ready: engine.peer !== null };
      log.error(facts, 'an engine hangs; it is ended');
      engine.child.kill('SIGKILL');
    }
    hangCheckTimer = clock.after(HANG_CHECK_INTERVAL_MS, killHungEngines);
  }

  /** Null when this machine cannot have another process now. */
  function start(): Engine | null {
    const taken = new Set([...engines].map(({ index: place }) => place));
    let place = 0;
    while (taken.has(place)) place++;
    const { ANTIPHON_PARENT_WATCH: _ours, ...env } = process.env;
    let child: ChildProcess;
    try {
      child = fork(program, {
        env: { ...env, [ENGINE_INDEX]: String(place) },
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
    } catch (error) {
      log.error({ place, error: errorText(error) }, 'an engine could not be started');
      return null;
    }
    const engine: Engine = {
      child,
      index: place,
      startedMs: clock.now(),
      peer: null,
      callIds: new Set(),
      retired: false,
      silentChecks: 0,
      exited: new Promise((resolve) => {
        child.once('exit', (code, signal) => {
          handleExit(engine, signal ?? `code ${code}`, code === 0);
          resolve();
        });
        // A process that never was has no exit.
        child.once('error', (error) => {
          if (child.pid !== undefined) return;
          handleExit(engine, error.message, false);
          resolve();
        });
      }),
    };
    engines.add(engine);
    child.on('message', (message) => handleMessage(engine, message));
    // What cannot be sent to an engine is for one that is going; its exit tells the rest.
    child.on('error', (error) => log.warn({ pid: child.pid, error: error.message }, 'an engine could not be told'));
    return engine;
  }

  function handleMessage(engine: Engine, message: unknown): void {
    const told = fromEngineSchema.safeParse(message);
    // Its last words may come after its end.
    if (!told.success || !engines.has(engine)) return;
    engine.silentChecks = 0;
    const { data } = told;
    if (data.kind === 'ready') {
      const { engine_id, private_port, load } = data;
      engine.peer = { engine_id, pid: engine.child.pid!, private_port, load };
      for (const { peer: sibling, callIds } of othersOf(engine)) {
        send(engine, { kind: 'sibling', sibling, call_ids: [...callIds] });
      }
      log.info({ engine_id, pid: engine.child.pid, place: engine.index }, 'an engine is ready');
      broadcast(engine, { kind: 'sibling', sibling: engine.peer });
      return;
    }
    if (!engine.peer) return;
    const { engine_id } = engine.peer;
    if (data.kind === 'load') {
      engine.peer = { ...engine.peer, load: data.load };
      broadcast(engine, { kind: 'sibling', sibling: engine.peer });
      return;
    }
    const { call_id, here } = data;
    if (here) engine.callIds.add(call_id);
    else engine.callIds.delete(call_id);
    broadcast(engine, { kind: 'call', engine_id, call_id, here });
  }

  function* othersOf(engine: Engine): Generator<Engine & { sibling: PeerProcess }> {
    for (const other of engines) if (other !== engine && other.peer) yield other as Engine & { sibling: PeerProcess };
  }

  function broadcast(engine: Engine, message: ToEngine): void {
    for (const other of othersOf(engine)) send(other, message);
  }

  function send(engine: Engine, message: ToEngine): void {
    if (engine.child.connected) engine.child.send(message, () => {});
  }

  function handleExit(engine: Engine, how: string, inOrder: boolean): void {
    if (!engines.delete(engine)) return;
    const { peer: sibling, retired, index: place } = engine;
    if (sibling) broadcast(engine, { kind: 'gone', engine_id: sibling.engine_id });
    const facts = { engine_id: sibling?.engine_id, pid: engine.child.pid, place, how, calls: engine.callIds.size };
    if (inOrder) log.info(facts, 'an engine has left');
    else log.error(facts, 'an engine fell; control ends its calls');
    if (shuttingDown || retired) return;
    if (!sibling && !everReady) {
      startFailure = `an engine could not start: ${how}`;
      return;
    }
    scheduleRestart(inOrder || clock.now() - engine.startedMs >= STABLE_AFTER_MS);
  }

  function scheduleRestart(livedWell: boolean): void {
    failures = livedWell ? 0 : failures + 1;
    const waitMs = failures === 0 ? 0 : Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** (failures - 1));
    const timer = clock.after(waitMs, () => {
      restarts.delete(timer);
      if (!shuttingDown && !start()) scheduleRestart(false);
    });
    restarts.add(timer);
  }

  function stopEngine(engine: Engine, patienceMs: number, all: boolean): Promise<void> {
    engine.retired = true;
    // One that is not ready has no calls.
    if (engine.peer) send(engine, { kind: 'leave', patience_ms: patienceMs, all });
    else engine.child.kill('SIGKILL');
    const insist = clock.after(patienceMs + EXIT_DEADLINE_MS, () => engine.child.kill('SIGKILL'));
    return engine.exited.then(() => insist.cancel());
  }

  /** False when the engine fell meanwhile, or takes too long. */
  async function untilReady(engine: Engine): Promise<boolean> {
    const untilMs = clock.now() + READY_DEADLINE_MS;
    while (!engine.peer) {
      if (!engines.has(engine) || clock.now() > untilMs) return false;
      await nextPoll();
    }
    return true;
  }

  async function replaceEach(): Promise<void> {
    for (const old of [...engines]) {
      if (shuttingDown) return;
      // It fell in the meantime, and its successor is new already.
      if (!engines.has(old) || old.retired) continue;
      const successor = start();
      if (successor) successor.retired = true;
      if (!successor || !(await untilReady(successor))) {
        log.error({ place: successor?.index }, 'the engines are not replaced: a new one did not get ready');
        successor?.child.kill('SIGKILL');
        return;
      }
      successor.retired = false;
      if (shuttingDown) return;
      await stopEngine(old, drainMs, false);
    }
    log.info({}, 'every engine was replaced');
  }

  const nextPoll = () => new Promise<void>((resolve) => clock.after(POLL_INTERVAL_MS, resolve));

  return {
    async ready() {
      while ([...engines].filter(({ peer: sibling }) => sibling).length < processes) {
        if (startFailure !== null) throw new Error(startFailure);
        await nextPoll();
      }
      everReady = true;
    },
    replaceAll() {
      replacing ??= replaceEach().finally(() => {
        replacing = null;
      });
      return replacing;
    },
    shutDown(patienceMs) {
      for (const restart of restarts) restart.cancel();
      shuttingDown ??= Promise.all([...engines].map((engine) => stopEngine(engine, patienceMs, true))).then(() => {
        hangCheckTimer.cancel();
      });
      return shuttingDown;
    },
    kill() {
      shuttingDown ??= Promise.resolve();
      hangCheckTimer.cancel();
      for (const { child } of engines) child.kill('SIGKILL');
    },
  };
}
