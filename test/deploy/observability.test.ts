import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseYaml } from '@redocly/openapi-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createItemRunner } from '../../control/db/item-runner.ts';
import { startPollingJob } from '../../control/db/polling-job.ts';
import { eventMetrics } from '../../control/observability/event-metrics.ts';
import { checkedCommand } from '../../control/operator.ts';
import { FLAGS, OPTIONS } from '../../control/operators/command.ts';
import { createEngineMetrics, engineMetricsText } from '../../media/engine-metrics.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';
import { watchCertificate } from '../../shared/tls-certificate.ts';
import { selfSignedCertificate } from '../support/certificate.ts';
import { startTestApi } from '../support/control-app.ts';
import { eventually } from '../support/until.ts';

/** Dashboards, alerts and runbooks name what exists: metrics, log messages, commands, settings, files. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = join(ROOT, 'deploy/observability');
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  datasource?: { type: string; uid: string };
  gridPos: { x: number; y: number; w: number; h: number };
  fieldConfig?: { defaults: { unit?: string; thresholds?: { mode: string; steps: { value: number | null }[] } } };
  targets?: { refId: string; expr: string; legendFormat: string; datasource: { type: string; uid: string } }[];
}
interface Dashboard {
  uid: string;
  title: string;
  schemaVersion: number;
  templating: { list: { name: string; type: string; query: unknown; definition?: string }[] };
  panels: Panel[];
}
interface Alert {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}

const dashboards = readdirSync(join(FOLDER, 'dashboards')).map(
  (name) => [name, JSON.parse(readFileSync(join(FOLDER, 'dashboards', name), 'utf8')) as Dashboard] as const,
);
const { groups } = parseYaml(readFileSync(join(FOLDER, 'alerts.yml'), 'utf8')) as {
  groups: { name: string; rules: Alert[] }[];
};
const alerts = groups.flatMap(({ rules }) => rules);

/** Grafana's way to name a variable. */
const DATASOURCE = `$\{datasource}`;
/** Prometheus puts these on every series, and renames a metric's own `job`. */
const TARGET_LABELS = ['instance', 'job'];
/** Prometheus' own, for every target. */
const exposed = new Map<string, { labels: Set<string>; values: Set<string> }>([
  ['up', { labels: new Set(), values: new Set() }],
]);

function readExposed(metrics: string, moreLabels: readonly string[] = []): void {
  for (const [, name, type] of metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    for (const suffix of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) {
      const known = exposed.get(`${name}${suffix}`);
      if (!known) exposed.set(`${name}${suffix}`, { labels: new Set(moreLabels), values: new Set() });
    }
  }
  for (const [, name, labels = ''] of metrics.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gm)) {
    for (const [, label, value] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      exposed.get(name!)!.labels.add(label!);
      exposed.get(name!)!.values.add(`${label}=${value}`);
    }
  }
}

beforeAll(async () => {
  const api = await startTestApi();
  const log = createLogger('control', 'silent');
  const certificate = { ...selfSignedCertificate('localhost'), certFile: '', keyFile: '' };
  const watch = watchCertificate({ certificate, clock: systemClock, log, take: () => {} });
  const items = createItemRunner({ name: 'a job', idField: 'id', clock: systemClock, log });
  const run = () => items.run([{ id: 'x', workspace_id: 'w' }], () => Promise.reject(new Error('no')));
  const job = startPollingJob({ name: 'a job', intervalMs: 1_000_000, clock: systemClock, log, items, run });
  await api.sql`insert into connection_leases (name, holder, held_until) values ('asterisk', 'a', now())`;
  for (const url of ['/carriers/twilio/status', '/hooks/payments/stripe'])
    await api.http.inject({ method: 'POST', url });
  await eventually('the failure of the job, and what is counted in the database', 60_000, async () => {
    const { body } = await api.http.inject({ method: 'GET', url: '/metrics' });
    // As of the processes of a program that has several.
    readExposed(body, ['process']);
    const hasCounts = exposed.has('antiphon_calls');
    return (hasCounts && exposed.get('antiphon_job_item_failures_total')?.labels.has('kind')) || null;
  });
  await job.stop();
  const backlog = { unread: 0, oldest_unread_at_ms: null, bytes: 0, max_bytes: 1, first_position: 0, read_position: 0 };
  readExposed(await (await eventMetrics(async () => backlog, 0)).metrics());

  const engine = createEngineMetrics(() => ({
    ...{ calls: 0, headroom: 1, overloaded: false, draining: false, lag_counts: [1] },
    unhealthy_providers: ['stt deepgram/nova-3'],
    workers: [{ name: 'noise cancellation', running: true, restarts: 1 }],
  }));
  engine.observe('tts.first_audio', { latency_ms: 800, data: { parts: { first_token_ms: 400 } } });
  engine.observe('error', { data: { component: 'llm', provider: 'openai' } });
  engine.observe('fallback.used', { data: { component: 'llm', from: { provider: 'openai' } } });
  const ending = { hangup_by: 'caller', hangup_reason: 'caller hung up', duration_seconds: 1 } as const;
  engine.observe('call.ended', { ending: { ...ending, recorded: false, provider_usage_json: '[]' } });
  readExposed(await engineMetricsText([{ port: 7171, metrics: await engine.read() }]));
  watch.stop();
});

/** What of an expression no program exposes. `moreLabels`: those that its text names. */
function unknownIn(expression: string, moreLabels: readonly string[] = []): string[] {
  const grouped: string[] = [];
  const rest = expression
    .replace(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g, (_all, labels: string) => {
      grouped.push(...labels.split(',').flatMap((label) => label.trim() || []));
      return ' ';
    })
    .replace(/\[[^\]]*\]/g, '');
  const selectors = [
    ...rest
      .replace(/\b(?:and|or|unless|group_left|group_right|bool)\b/g, ' ')
      .matchAll(/([a-z_]\w*)\s*(?:\{([^}]*)\})?(?!\w|\s*\()/g),
  ].filter(([all]) => !/^[a-z_]\w*$/.test(all) || !rest.includes(`${all}(`));
  const names = selectors.map(([, name]) => name!);
  const hasLabel = (name: string, label: string) =>
    TARGET_LABELS.includes(label) || exposed.get(name)?.labels.has(label === 'exported_job' ? 'job' : label);
  const unknownNames = names.filter((name) => !exposed.has(name));
  const unknownMatchers = selectors.flatMap(([, name, matchers = '']) =>
    [...matchers.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)]
      .filter(([, label, operator, value]) => {
        if (!hasLabel(name!, label!)) return true;
        if (operator === '=' && ['le', 'state'].includes(label!))
          return !exposed.get(name!)!.values.has(`${label}=${value}`);
        const routes = [...(exposed.get(name!)?.values ?? [])].filter((each) => each.startsWith('route='));
        return label === 'route' && !routes.some((route) => new RegExp(`^(?:${value})$`).test(route.slice(6)));
      })
      .map(([matcher]) => `${name}{${matcher}}`),
  );
  const unknownLabels = [...grouped, ...moreLabels].filter((label) => !names.some((name) => hasLabel(name, label)));
  return names.length === 0 ? ['no metric'] : [...unknownNames, ...unknownMatchers, ...unknownLabels];
}

const labelsOf = (template: string, pattern: RegExp) => [...template.matchAll(pattern)].map(([, label]) => label!);

it('what no program exposes is found', () => {
  expect(
    unknownIn('sum by (level) (rate(antiphon_engine_call[5m])) + antiphon_engines{state="dead",colour="x"}'),
  ).toEqual(['antiphon_engine_call', 'antiphon_engines{state="dead"}', 'antiphon_engines{colour="x"}', 'level']);
});

describe.each(dashboards)('the dashboard %s', (_name, dashboard) => {
  const panels = dashboard.panels.filter(({ type }) => type !== 'row');
  const targets = panels.flatMap((panel) => (panel.targets ?? []).map((target) => ({ panel, target })));

  it('asks for metrics and labels that exist', () => {
    const unknown = targets.flatMap(({ panel, target }) =>
      unknownIn(target.expr, labelsOf(target.legendFormat, /\{\{\s*(\w+)\s*\}\}/g)).map(
        (each) => `${panel.title}: ${each}`,
      ),
    );
    expect(unknown).toEqual([]);
    const queries = dashboard.templating.list.flatMap(({ definition }) => definition ?? []);
    for (const query of queries) expect(exposed.has(/label_values\((\w+), \w+\)/.exec(query)![1]!)).toBe(true);
  });

  it('has the form of Grafana 10 and later', () => {
    expect(dashboard.schemaVersion).toBe(39);
    expect(dashboard.uid).toMatch(/^[\w-]{1,40}$/);
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const variables = new Set(dashboard.templating.list.map(({ name }) => name));
    expect(dashboard.templating.list.find(({ type }) => type === 'datasource')).toMatchObject({
      name: 'datasource',
      query: 'prometheus',
    });
    for (const { panel, target } of targets) {
      for (const each of [panel, target]) expect(each.datasource).toEqual({ type: 'prometheus', uid: DATASOURCE });
      for (const [, name] of target.expr.matchAll(/\$(?!__)(\w+)/g)) expect(variables).toContain(name);
    }
  });

  it('has panels that lie beside each other within 24 columns', () => {
    const taken = new Set<string>();
    for (const { gridPos } of dashboard.panels) {
      const { x, y, w, h } = gridPos;
      expect(x + w).toBeLessThanOrEqual(24);
      for (let column = x; column < x + w; column++) {
        for (let line = y; line < y + h; line++) {
          expect(taken).not.toContain(`${column},${line}`);
          taken.add(`${column},${line}`);
        }
      }
    }
  });

  it('says of every panel its unit, what it means, and where to go on', () => {
    for (const { title, description = '', fieldConfig, targets = [] } of panels) {
      expect(description, title).not.toBe('');
      expect(fieldConfig!.defaults.unit, title).toBeTruthy();
      expect(fieldConfig!.defaults.thresholds!.steps[0], title).toMatchObject({ value: null });
      expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length);
      for (const [path] of description.matchAll(/docs\/[\w/-]+\.md/g))
        expect(existsSync(join(ROOT, path)), path).toBe(true);
    }
  });
});

describe('the alerts', () => {
  it('have names of their own', () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  });

  it.each(alerts.map((alert) => [alert.alert, alert] as const))(
    '%s asks for what exists, and leads to a runbook',
    (name, alert) => {
      expect(unknownIn(alert.expr, labelsOf(alert.annotations.summary, /\$labels\.(\w+)/g))).toEqual([]);
      expect(alert.for).toMatch(/^\d+[smhd]$/);
      expect(['critical', 'warning']).toContain(alert.labels.severity);
      expect(alert.annotations.summary).not.toBe('');
      const [path, anchor] = alert.annotations.runbook_url.split('#');
      const runbook = text(path!);
      const anchors = [...runbook.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
        title!.toLowerCase().replaceAll(' ', '-'),
      );
      expect(anchors).toContain(anchor);
      expect(runbook).toContain(`\`${name}\``);
    },
  );
});

it('Prometheus reads these rules and both programs', () => {
  const config = parseYaml(readFileSync(join(FOLDER, 'prometheus.yml'), 'utf8')) as {
    rule_files: string[];
    scrape_configs: { job_name: string }[];
  };
  for (const file of config.rule_files) expect(existsSync(join(FOLDER, file))).toBe(true);
  const jobs = config.scrape_configs.map(({ job_name }) => job_name);
  const asked = alerts.flatMap(({ expr }) => labelsOf(expr, /\bup\{job="([^"]*)"\}/g));
  expect([...new Set(asked)].sort()).toEqual(jobs.sort());
});

const runbooks = readdirSync(join(ROOT, 'docs/runbooks')).map((name) => `docs/runbooks/${name}`);
const sources = ['control', 'media', 'shared'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
);
const headings = (markdown: string) =>
  [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

/** Throws when there is no such command, or it takes other arguments. */
function checkCommand(line: string): void {
  const words = line.match(/'[^']*'|\S+/g)!.slice(1);
  const options = { ...each(OPTIONS, 'string'), ...each(FLAGS, 'boolean') };
  const { positionals, values } = parseArgs({ args: words, allowPositionals: true, options });
  checkedCommand(positionals, values as never);
}

const each = <Type extends string>(names: readonly string[], type: Type) =>
  Object.fromEntries(names.map((name) => [name, { type }]));

describe.each(runbooks)('%s', (path) => {
  const runbook = text(path);
  const prose = runbook.replace(/^```[\s\S]*?^```/gm, '');
  const quoted = [...prose.matchAll(/`([^`]+)`/g)].map(([, span]) => span!);

  it('names metrics, alerts and settings that exist', () => {
    const known = new Set(alerts.map(({ alert }) => alert));
    const unknownAlerts = quoted.filter((span) => /^Antiphon[A-Z]/.test(span) && !known.has(span));
    const metrics = [...runbook.matchAll(/antiphon_\w+(?:\{[^}]*\})?/g)].map(([metric]) => metric);
    const prefixes = [...exposed.keys()];
    const unknownMetrics = metrics.filter((metric) =>
      metric.includes('{') ? unknownIn(metric).length > 0 : !prefixes.some((name) => name.startsWith(metric)),
    );
    const settings = quoted.flatMap((span) => /^([A-Z]+(?:_[A-Z]+)+)(?:=.*)?$/.exec(span)?.[1] ?? []);
    const unknownSettings = settings.filter(
      (name) => !text('docs/settings.md').includes(`\`${name}\``) && name !== 'CALL_EVENTS',
    );
    expect([...unknownAlerts, ...unknownMetrics, ...unknownSettings]).toEqual([]);
  });

  it('quotes log messages that exist', () => {
    const sentences = quoted.filter((span) => /^[a-zA-Z][^{}=/]*( [^{}=/]+){2,}$/.test(span) && !/^select /.test(span));
    const isLogged = (sentence: string) =>
      sources.some((source) => source.includes(`'${sentence}'`)) || sentence === 'idle in transaction';
    expect(sentences.filter((sentence) => !isLogged(sentence))).toEqual([]);
  });

  it('gives commands that the operator has', () => {
    const commands = [...runbook.matchAll(/(?:`|^)(\.\/operator [^`#\n]*)/gm)].map(([, line]) => line!.trim());
    for (const command of commands) expect(() => checkCommand(command), command).not.toThrow();
  });

  it('links to what exists', () => {
    for (const [, target] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      const [file, anchor] = target!.split('#');
      const linked = join(dirname(path), file!);
      expect(existsSync(join(ROOT, linked)), target).toBe(true);
      if (anchor) expect(headings(text(linked)), target).toContain(anchor);
    }
    for (const [, file] of prose.matchAll(/`(deploy\/[\w./-]+)`/g))
      expect(existsSync(join(ROOT, file!)), file).toBe(true);
  });
});

it('every runbook is for an alert, and in the list of runbooks', () => {
  for (const path of runbooks.filter((name) => !name.endsWith('/README.md'))) {
    expect(
      alerts.some(({ annotations }) => annotations.runbook_url.startsWith(`${path}#`)),
      path,
    ).toBe(true);
    expect(text('docs/runbooks/README.md')).toContain(`(${path.split('/').at(-1)})`);
  }
});
