import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EvaluationFigures } from '../../control/operators/evaluation/figures.ts';
import { reportPage } from '../../control/operators/evaluation/report-page.ts';
import { afterFile } from '../support/after-file.ts';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { lookAt, openPage } from '../support/page-checks.ts';

/** The report of an evaluation of calls, in a real browser; skipped where there is none. */

let browser: Browser;

beforeAll(async () => {
  if (CHROMIUM) browser = await sharedChromium();
});

/** Latencies of answers, spread evenly. */
const spread = (fromMs: number, toMs: number) =>
  Array.from({ length: 40 }, (_, nth) => fromMs + ((toMs - fromMs) * nth) / 39);

const figures = (calls: number): EvaluationFigures => ({
  ...{ calls, answers: calls * 8, interruptions: calls },
  felt_ms: { p50: 820, p95: 1_430, p99: 2_100 },
  engine_ms: { p50: 9, p95: 18, p99: 31 },
  turn_taking: {
    ...{ calls, talk_over_seconds_per_call: 1.24, missed_interruptions: 2, false_interruptions: 11, long_silences: 4 },
  },
});

async function served(body: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterFile(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe.skipIf(!CHROMIUM)('the report of an evaluation', () => {
  it('can be read on narrow and wide screens, in light and dark, without anything from elsewhere', async () => {
    const evaluation = {
      ...{ workspace_id: 'a'.repeat(32), agent_id: 'b'.repeat(32), max: 500 },
      ...{ since: new Date('2026-11-22T00:00:00Z'), until: new Date('2026-11-29T00:00:00Z') },
      all: figures(60),
      versions: [4, 3].map((version) => ({ version, figures: figures(30) })),
      judged: {
        criteria: [{ text: 'The agent asks for the name before it books.', passed: 51, of: 58 }],
        failed: 2,
      },
    };
    const page = reportPage(evaluation, { felt: spread(400, 2_200), engine: spread(4, 35) });
    const opened = await openPage(browser, await served(page));
    await opened.page.getByRole('heading', { name: 'Evaluation of 60 calls' }).waitFor();
    await lookAt(opened.page, 'evaluation-report');
    expect(opened.complaints).toEqual([]);
  });
});
