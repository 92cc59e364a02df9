import { type ChildProcess, fork } from 'node:child_process';
import { type Clock, pause, type Timer } from '../shared/clock.ts';
import type { ProcessMetrics } from '../shared/labelled-metrics.ts';
import { errorText, type Logger } from '../shared/log.ts';
import { type EngineLoad, fromEngineSchema, type ToEngine } from './engine-channel.ts';

/**
 * Runs several engine processes on one machine: starts them, restarts those that exited, replaces and stops them in order. It
 * handles no audio; each engine has a port of its own, to which control sends streams.
 */
export interface Supervisor {
  /** Resolves when every engine has been ready; rejects when one could not start at all. */
  ready(): Promise<void>;
  /** The engines that are ready. */
  engines(): EngineStatus[];
  /** Replaces the engines one after the other: each successor is ready before its predecessor drains. */
  replaceAll(): Promise<void>;
  /** Shuts all engines down; their calls get `drainMs`. Resolves when they have exited. */
  shutDown(drainMs: number): Promise<void>;
  /** Kills everything at once. */
  kill(): void;
}

export interface EngineStatus {
  engine_id: string;
  pid: number;
  port: number;
  /** A second old at most. */
  load: EngineLoad;
  /** A second old at most; none at first. */
  metrics: ProcessMetrics;
}

export interface SupervisorOptions {
  processes: number;
  /** The engine program; it is started with `ANTIPHON_MEDIA_ENGINE` set to the engine's index. */
  program: string;
  /** How long the calls of a replaced engine get. */
  drainMs: number;
  clock: Clock;
  log: Logger;
  /** A ready engine exited with an error; control still routes calls to it. */
  onEngineLost?(engineId: string): void;
}

/** In an engine's environment: its index, the smallest one that is free. */
export const ENGINE_INDEX = 'ANTIPHON_MEDIA_ENGINE';

interface Engine {
  child: ChildProcess;
  index: number;
  startedMs: number;
  /** Null until it is ready. */
  status: EngineStatus | null;
  /** Told to shut down; it gets no successor when it exits. */
  retired: boolean;
  /** Hang checks since its last message. */
  silentChecks: number;
  exited: Promise<void>;
}

const READY_DEADLINE_MS = 60_000;
/** An engine that ran for this long is restarted without delay. */
const STABLE_AFTER_MS = 60_000;
const MIN_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;
/** Added to the drain time for storing what is left; then the process is killed. */
const EXIT_DEADLINE_MS = 40_000;
const POLL_INTERVAL_MS = 50;
/** A ready engine reports every second. Checks are counted instead of time, because the whole machine may have been suspended. */
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

  for (let index = 0; index < processes; index++) {
    if (!start()) startFailure = 'an engine could not start: the process could not be created';
  }
  let hangCheckTimer = clock.after(HANG_CHECK_INTERVAL_MS, killHungEngines);

  function killHungEngines(): void {
    for (const engine of engines) {
      if (++engine.silentChecks < (engine.status ? MAX_SILENT_CHECKS : MAX_STARTING_CHECKS)) continue;
      const facts = { engine_id: engine.status?.engine_id, pid: engine.child.pid, ready: engine.status !== null };
      log.error(facts, 'engine hangs; killing it');
      engine.child.kill('SIGKILL');
    }
    hangCheckTimer = clock.after(HANG_CHECK_INTERVAL_MS, killHungEngines);
  }

  /** Returns null when the process could not be created. */
  function start(): Engine | null {
    const taken = new Set([...engines].map((engine) => engine.index));
    let index = 0;
    while (taken.has(index)) index++;
    const { ANTIPHON_PARENT_WATCH: _own, ...env } = process.env;
    let child: ChildProcess;
    try {
      child = fork(program, {
        env: { ...env, [ENGINE_INDEX]: String(index) },
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
    } catch (error) {
      log.error({ index, error: errorText(error) }, 'engine process could not be created');
      return null;
    }
    const engine: Engine = {
      child,
      index,
      startedMs: clock.now(),
      status: null,
      retired: false,
      silentChecks: 0,
      exited: new Promise((resolve) => {
        child.once('exit', (code, signal) => {
          handleExit(engine, signal ?? `code ${code}`, code === 0);
          resolve();
        });
        // A process that was never created emits no exit.
        child.once('error', (error) => {
          if (child.pid !== undefined) return;
          handleExit(engine, error.message, false);
          resolve();
        });
      }),
    };
    engines.add(engine);
    child.on('message', (message) => handleMessage(engine, message));
    child.on('error', (error) => log.warn({ pid: child.pid, error: error.message }, 'engine channel failed'));
    return engine;
  }

  function handleMessage(engine: Engine, message: unknown): void {
    const parsed = fromEngineSchema.safeParse(message);
    // A message may be delivered after the exit.
    if (!parsed.success || !engines.has(engine)) return;
    engine.silentChecks = 0;
    const { data } = parsed;
    if (data.kind === 'load') {
      if (engine.status) engine.status.load = data.load;
      return;
    }
    if (data.kind === 'metrics') {
      if (engine.status) engine.status.metrics = data.metrics;
      return;
    }
    const { engine_id, port, load } = data;
    engine.status = { engine_id, pid: engine.child.pid!, port, load, metrics: [] };
    log.info({ engine_id, pid: engine.child.pid, index: engine.index, port }, 'engine ready');
  }

  function handleExit(engine: Engine, reason: string, clean: boolean): void {
    if (!engines.delete(engine)) return;
    const { status, retired, index } = engine;
    const facts = {
      engine_id: status?.engine_id,
      pid: engine.child.pid,
      index,
      reason,
      calls: status?.load.calls ?? 0,
    };
    if (clean) log.info(facts, 'engine exited');
    else log.error(facts, 'engine crashed; control ends its calls');
    if (status && !clean) options.onEngineLost?.(status.engine_id);
    if (shuttingDown || retired) return;
    if (!status && !everReady) {
      startFailure = `an engine could not start: ${reason}`;
      return;
    }
    scheduleRestart(clean || clock.now() - engine.startedMs >= STABLE_AFTER_MS);
  }

  function scheduleRestart(wasStable: boolean): void {
    failures = wasStable ? 0 : failures + 1;
    const waitMs = failures === 0 ? 0 : Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** (failures - 1));
    const timer = clock.after(waitMs, () => {
      restarts.delete(timer);
      if (!shuttingDown && !start()) scheduleRestart(false);
    });
    restarts.add(timer);
  }

  function stopEngine(engine: Engine, drainMs: number): Promise<void> {
    engine.retired = true;
    const message: ToEngine = { kind: 'shut_down', drain_ms: drainMs };
    // An engine that is not ready has no calls.
    if (!engine.status) engine.child.kill('SIGKILL');
    else if (engine.child.connected) engine.child.send(message, () => {});
    const deadline = clock.after(drainMs + EXIT_DEADLINE_MS, () => engine.child.kill('SIGKILL'));
    return engine.exited.then(() => deadline.cancel());
  }

  /** Resolves to false when the engine exited first, or took too long. */
  async function untilReady(engine: Engine): Promise<boolean> {
    const deadlineMs = clock.now() + READY_DEADLINE_MS;
    while (!engine.status) {
      if (!engines.has(engine) || clock.now() > deadlineMs) return false;
      await nextPoll();
    }
    return true;
  }

  async function replaceEach(): Promise<void> {
    for (const old of [...engines]) {
      if (shuttingDown) return;
      // One that exited meanwhile has a new successor already.
      if (!engines.has(old) || old.retired) continue;
      const successor = start();
      if (successor) successor.retired = true;
      if (!successor || !(await untilReady(successor))) {
        log.error({ index: successor?.index }, 'engine replacement stopped: the new engine did not become ready');
        successor?.child.kill('SIGKILL');
        return;
      }
      successor.retired = false;
      if (shuttingDown) return;
      await stopEngine(old, drainMs);
    }
    log.info({}, 'all engines replaced');
  }

  const nextPoll = () => pause(clock, POLL_INTERVAL_MS);
  const statuses = () => [...engines].flatMap(({ status }) => status ?? []);

  return {
    async ready() {
      while (statuses().length < processes) {
        if (startFailure !== null) throw new Error(startFailure);
        await nextPoll();
      }
      everReady = true;
    },
    engines: statuses,
    replaceAll() {
      replacing ??= replaceEach().finally(() => {
        replacing = null;
      });
      return replacing;
    },
    shutDown(drainMs) {
      for (const restart of restarts) restart.cancel();
      shuttingDown ??= Promise.all([...engines].map((engine) => stopEngine(engine, drainMs))).then(() => {
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
