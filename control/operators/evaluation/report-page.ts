import { distribution, lineChart } from '../../../shared/svg-chart.ts';
import { type Html, html } from '../../http/html.ts';
import type { EvaluationFigures } from './figures.ts';
import type { JudgedCalls } from './judge-calls.ts';
import type { EvaluatedSet } from './read-calls.ts';
import { rowsOf } from './rows.ts';

/** The report of an evaluation as one HTML page, without anything from elsewhere. */

export interface Evaluation extends EvaluatedSet {
  all: EvaluationFigures;
  /** By the version the calls were placed with, newest first; of one agent only. */
  versions: { version: number; figures: EvaluationFigures }[];
  judged: JudgedCalls | null;
}

const STYLE = `:root{color-scheme:light dark;--ground:light-dark(#fbfaf8,#131514);--raised:light-dark(#fff,#1b1e1d);
--edge:light-dark(#d6d3cd,#3a4140);--ink:light-dark(#1c1d1b,#edeeec);--quiet:light-dark(#62645f,#a3a8a5)}
*{box-sizing:border-box}body{max-width:60rem;margin:0 auto;padding:2rem 1rem 4rem;background:var(--ground);color:var(--ink);
font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{margin:0;font-size:1.5rem}h2{margin:2rem 0 .5rem;font-size:1.125rem}p{margin:.25rem 0}.quiet{color:var(--quiet)}
.scroll{overflow-x:auto;border:1px solid var(--edge);border-radius:10px;background:var(--raised)}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.5rem .75rem;border-bottom:1px solid var(--edge);text-align:left;font-weight:400}tbody tr:last-child>*{border-bottom:0}
tbody th{min-width:8.5rem;overflow-wrap:normal}thead th{color:var(--quiet);font-size:.875rem}.number{text-align:right;white-space:nowrap}
svg{display:block;width:100%;min-width:36rem;height:auto}`;

/** @param latencies of every answer, for the chart. */
export function reportPage(
  { workspace_id, agent_id, since, until, all, versions, judged }: Evaluation,
  latencies: { felt: readonly number[]; engine: readonly number[] },
): string {
  const columns = [
    { name: 'All', figures: all },
    ...versions.map(({ version, figures }) => ({ name: `Version ${version}`, figures })),
  ];
  const rows = rowsOf(columns.map(({ figures }) => figures));
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Evaluation of calls</title><style>${{ markup: STYLE }}</style></head><body><main>
<h1>Evaluation of ${String(all.calls)} calls</h1>
<p class="quiet">${agent_id === null ? 'All agents' : `Agent ${agent_id}`} of workspace ${workspace_id}, ${dayOf(since)} to ${dayOf(until)}</p>
<h2>Figures</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Figures"><table><thead><tr><th scope="col">Of answered calls</th>${columns.map(
    ({ name }) => html`<th scope="col" class="number">${name}</th>`,
  )}</tr></thead><tbody>${rows.map(
    ({ name, cells }) =>
      html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td class="number">${cell}</td>`)}</tr>`,
  )}</tbody></table></div>
${chartOf(latencies)}${judged ? criteriaOf(judged) : nothing}
<h2>What the figures are</h2>
<p>Felt: from the true end of the caller’s speech to the first sound of the answer. Added by the engine: from the end of the turn to the
request at the model, and from the first audio to the first frame; welcomes and fillers are left out.</p>
<p>Talk-over, missed and false interruptions and silences are counted by the engine with its detector of voices; a voice in the caller’s
background counts as the caller’s.</p>
</main></body></html>
`;
  return page.markup;
}

const nothing: Html = { markup: '' };
const dayOf = (date: Date) => date.toISOString().slice(0, 16).replace('T', ' ');

function chartOf({ felt, engine }: { felt: readonly number[]; engine: readonly number[] }): Html {
  if (felt.length === 0) return nothing;
  const lines = [
    distribution('felt', felt),
    ...(engine.length > 0 ? [distribution('added by the engine', engine)] : []),
  ];
  const head = {
    title: 'Time until the answer',
    subtitle: 'Share of the answers whose first sound came within so long.',
    source: `${felt.length} answers`,
  };
  const markup = lineChart(head, [{ x: { label: 'milliseconds' }, y: { label: 'per cent', to: 100 }, lines }]);
  return html`<h2>Latency</h2><div class="scroll" tabindex="0" role="region" aria-label="Latency">${{ markup }}</div>`;
}

function criteriaOf({ criteria, failed }: NonNullable<Evaluation['judged']>): Html {
  return html`<h2>Criteria, judged by a model</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Criteria"><table><thead><tr><th scope="col">Criterion</th><th scope="col" class="number">Met</th></tr></thead><tbody>${criteria.map(
    ({ text, passed, of }) =>
      html`<tr><th scope="row">${text}</th><td class="number">${`${passed} of ${of}`}</td></tr>`,
  )}</tbody></table></div>${failed > 0 ? html`<p class="quiet">${`${failed} calls could not be judged.`}</p>` : nothing}`;
}
