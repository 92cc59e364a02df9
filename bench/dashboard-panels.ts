import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from '../dev/child.ts';
import { asOperator } from '../dev/first-workspace.ts';
import { freePort } from '../dev/ports.ts';
import type { CarrierCall } from '../fixtures/simulators/carrier-call.ts';
import { LOUD } from '../fixtures/simulators/carrier-playback.ts';
import { loadSpeech } from '../fixtures/speech.ts';
import { errorText } from '../shared/log.ts';
import { eventually, GivenUp } from '../test/support/until.ts';
import { type Service, startService } from '../test/support/whole-service.ts';
import { raisePriority } from './cores.ts';
import { type DrawnPanel, dashboardPicture, type Series } from './dashboard-picture.ts';

/**
 * `make dashboards`: a Prometheus (PROMETHEUS, its path) reads both programs while CALLS calls go on, with
 * the rules of `deploy/observability/alerts.yml`. Then it is asked what every panel of the dashboards asks, over the whole run, and the
 * answers are drawn, with 50 calls or more: `docs/images/dashboard-*.svg`. It fails where a query or a rule is refused, or a panel has no value, but for those
 * that show only what is wrong (QUIET). For a part of the run the language model refuses every request.
 *
 * Providers and carrier are simulated and share the machine with the programs, so no figure of the pictures is a measurement.
 */

const CALLS = Number(process.env.CALLS ?? 50);
const CALL_MS = 40_000;
const PLACED_WITHIN_MS = 10_000;
const ANSWER_WITHIN_MS = 10_000;
/** Longer than what is sent ahead. */
const PAUSE_MS = 900;
const REFUSING_MS = 6_000;
const SCRAPE_SECONDS = 2;
/** Grafana's: four times the scrape interval at least. */
const RATE_INTERVAL = `${4 * SCRAPE_SECONDS}s`;
const WITHIN_MS = 120_000;
const FOLDER = 'deploy/observability';
/** What these count does not happen in this run; control's lists of it are empty. */
const QUIET = new Set([
  'Routes with errors',
  'Fallbacks',
  'Carrier connections',
  'Requests of payment gateways',
  'Overdue background jobs',
]);

interface Panel {
  type: string;
  title: string;
  gridPos: DrawnPanel['gridPos'];
  fieldConfig?: { defaults: { unit?: string } };
  targets?: { expr: string; legendFormat: string }[];
}

interface Dashboard {
  title: string;
  panels: Panel[];
}

interface Span {
  /** Seconds since 1970. */
  from: number;
  to: number;
  /** Of the machine, before. */
  load: string;
}

interface Prometheus {
  /** `/api/v1/…`; throws what it complains of. */
  ask(path: string, query?: Record<string, string>): Promise<unknown>;
  stop(): Promise<void>;
}

async function startPrometheus(targets: Record<string, string>): Promise<Prometheus> {
  const home = mkdtempSync(join(tmpdir(), 'antiphon-prometheus-'));
  const jobs = Object.entries(targets).map(([job_name, target]) => ({
    job_name,
    static_configs: [{ targets: [target], labels: { instance: job_name.replace('antiphon-', '') } }],
  }));
  const config = {
    global: { scrape_interval: `${SCRAPE_SECONDS}s`, evaluation_interval: `${SCRAPE_SECONDS}s` },
    rule_files: [join(process.cwd(), FOLDER, 'alerts.yml')],
    scrape_configs: jobs,
  };
  // JSON is YAML.
  writeFileSync(join(home, 'prometheus.yml'), JSON.stringify(config));
  const address = `127.0.0.1:${await freePort()}`;
  const child: Child = await startChild({
    ...{ name: 'prometheus', command: process.env.PROMETHEUS ?? 'prometheus', logFile: join(home, 'log') },
    args: [
      ...[`--config.file=${home}/prometheus.yml`, `--storage.tsdb.path=${home}/data`],
      ...[`--web.listen-address=${address}`, '--log.level=warn'],
    ],
    onParentDeath: 'SIGTERM',
  });
  const ask: Prometheus['ask'] = async (path, query = {}) => {
    const response = await fetch(`http://${address}/api/v1/${path}?${new URLSearchParams(query)}`);
    const { data, error } = (await response.json()) as { data?: unknown; error?: string };
    if (error !== undefined) throw new Error(error);
    return data;
  };
  const stop = async () => {
    await child.stop('SIGTERM', 10_000);
    rmSync(home, { recursive: true, force: true });
  };
  try {
    await eventually('Prometheus', WITHIN_MS, async () => {
      if (!child.running()) throw new GivenUp(`Prometheus ended:\n${child.tail(5)}`);
      return ask('status/buildinfo').catch(() => null);
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { ask, stop };
}

/** Asks and hears the answer, again and again, and hangs up. Every third answer is interrupted. */
async function converse(call: CarrierCall): Promise<void> {
  const phone = await call.waitForPhone(WITHIN_MS);
  const lastLoudMs = () => phone.agentFrames.findLast(({ peak }) => peak >= LOUD)?.atMs ?? 0;
  const untilMs = performance.now() + CALL_MS;
  for (let nth = 0, sinceMs = 0; performance.now() < untilMs && call.state !== 'over'; nth++) {
    const startMs = performance.now();
    // No answer comes while the model refuses.
    while (performance.now() - startMs < ANSWER_WITHIN_MS) {
      await sleep(200);
      if (lastLoudMs() > sinceMs && (nth % 3 === 2 || performance.now() - lastLoudMs() > PAUSE_MS)) break;
    }
    sinceMs = performance.now();
    await phone.say(loadSpeech('short-two-people').samples).done;
  }
  call.hangUp();
}

/** Places the calls within some seconds; everybody is called, talks, and hangs up. */
async function runCalls(service: Service): Promise<void> {
  const { agentId } = await service.agentOn('twilio');
  await asOperator(
    service.stack,
    (sql) => sql`update workspaces set concurrency_limit = 100, own_concurrency_limit = 100`,
  );
  const carrier = service.carriers.twilio;
  const callers = Array.from({ length: CALLS }, async () => converse(await carrier.nextCall(WITHIN_MS)));
  const ids = await Promise.all(
    Array.from({ length: CALLS }, async (_, nth) => {
      await sleep((nth * PLACED_WITHIN_MS) / CALLS);
      const to_number = `+9198${String(nth).padStart(8, '0')}`;
      const reply = await service.request('POST', `/agents/${agentId}/call`, { to_number });
      return ((await reply.json()) as { id: string }).id;
    }),
  );
  await sleep(CALL_MS / 2);
  service.llm.setMode('overloaded');
  await sleep(REFUSING_MS);
  service.llm.setMode('normal');
  await Promise.all(callers);
  for (const id of ids) await service.finished(id);
}

/** The series of a panel, with the values that are numbers. */
async function answersOf(prometheus: Prometheus, panel: Panel, span: { from: number; to: number }): Promise<Series[]> {
  const answers = (panel.targets ?? []).map(async ({ expr, legendFormat }) => {
    const query = expr.replaceAll('$__rate_interval', RATE_INTERVAL).replaceAll('$instance', '.+');
    const range = { start: String(span.from), end: String(span.to), step: String(SCRAPE_SECONDS) };
    const { result } = (await prometheus.ask('query_range', { query, ...range })) as {
      result: { metric: Record<string, string>; values: [number, string][] }[];
    };
    return result.map(({ metric, values }) => ({
      name: legendFormat.replace(/\{\{\s*(\w+)\s*\}\}/g, (_all, label: string) => metric[label] ?? '').trim(),
      points: values.map(([at, value]) => ({ at, value: Number(value) })).filter(({ value }) => Number.isFinite(value)),
    }));
  });
  return (await Promise.all(answers)).flat().filter(({ points }) => points.length > 0);
}

/** Draws a dashboard. @returns what is wrong with it. */
async function check(prometheus: Prometheus, file: string, span: Span): Promise<string[]> {
  const { title, panels } = JSON.parse(readFileSync(join(FOLDER, 'dashboards', file), 'utf8')) as Dashboard;
  const wrong: string[] = [];
  const drawn: DrawnPanel[] = [];
  for (const panel of panels) {
    const series = await answersOf(prometheus, panel, span).catch((error: unknown) => {
      wrong.push(`${title} · ${panel.title}: ${errorText(error)}`);
      return [];
    });
    const unit = panel.fieldConfig?.defaults.unit ?? '';
    drawn.push({ type: panel.type, title: panel.title, gridPos: panel.gridPos, unit, series });
    if (panel.type !== 'row' && series.length === 0) {
      if (!QUIET.has(panel.title)) wrong.push(`${title} · ${panel.title}: no value`);
      console.log(`no value   ${title} · ${panel.title}`);
    }
  }
  const asked = panels.filter(({ type }) => type !== 'row').length;
  console.log(`${title}: ${asked} panels, ${drawn.filter(({ series }) => series.length > 0).length} with values`);
  const head = {
    title,
    subtitle: `${CALLS} calls of ${CALL_MS / 1_000} seconds; the language model refuses for ${REFUSING_MS / 1_000} of them; simulated carrier and providers, all on ${cpus().length} cores (load before: ${span.load})`,
    source: `make dashboards · ${new Date().toISOString().slice(0, 10)} · what Prometheus answered to each panel's query; drawn by bench/dashboard-picture.ts, not by Grafana`,
  };
  if (CALLS >= 50)
    writeFileSync(`docs/images/dashboard-${file.replace('.json', '.svg')}`, dashboardPicture(head, drawn, span));
  return wrong;
}

/** Rules that Prometheus could not evaluate. */
async function brokenRules(prometheus: Prometheus): Promise<string[]> {
  const { groups } = (await prometheus.ask('rules')) as {
    groups: { rules: { name: string; health: string; state: string; lastError?: string }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  const seen = rules.filter(({ state }) => state !== 'inactive').map(({ name, state }) => `${name} ${state}`);
  console.log(`${rules.length} rules; ${seen.length > 0 ? seen.join(', ') : 'none pending or firing at the end'}`);
  return rules.filter(({ health }) => health !== 'ok').map(({ name, lastError }) => `${name}: ${lastError}`);
}

async function main(): Promise<boolean> {
  const service = await startService({
    transcripts: Array.from({ length: 40 }, () => 'a table for two people please'),
    answer: () => ({ text: 'Certainly. A table for two people it is.' }),
  });
  const loadBefore = loadavg()[0]!.toFixed(1);
  for (const pid of [process.pid, ...Object.values(service.stack.pids)]) raisePriority(pid);
  let prometheus: Prometheus | null = null;
  try {
    const { apiUrl, mediaUrl } = service.stack;
    prometheus = await startPrometheus({
      'antiphon-control': new URL(apiUrl).host,
      'antiphon-media': new URL(mediaUrl).host,
    });
    const from = Date.now() / 1_000;
    await runCalls(service);
    await sleep(3 * SCRAPE_SECONDS * 1_000);
    const span = { from, to: Date.now() / 1_000, load: loadBefore };
    const wrong: string[] = [];
    for (const file of readdirSync(join(FOLDER, 'dashboards'))) wrong.push(...(await check(prometheus, file, span)));
    wrong.push(...(await brokenRules(prometheus)));
    for (const line of wrong) console.log(`WRONG  ${line}`);
    return wrong.length === 0;
  } finally {
    await prometheus?.stop();
    await service.close();
  }
}

process.exit((await main()) ? 0 : 1);
