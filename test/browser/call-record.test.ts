import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../shared/ids.ts';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import {
  type ConsoleCalls,
  type EventRow,
  type Spoken,
  startConsoleCalls,
  type User,
} from '../support/console-calls.ts';
import { lookAt } from '../support/page-checks.ts';

/** The page of one call, in a real browser; skipped where there is none. */

let calls: ConsoleCalls;
let browser: Browser;

beforeAll(async () => {
  if (CHROMIUM) [calls, browser] = await Promise.all([startConsoleCalls(), sharedChromium()]);
});
afterAll(async () => {
  calls?.close();
});

const TURN_SECONDS = 6;
const MINUTES = 10;
const TURNS = (MINUTES * 60) / TURN_SECONDS;

interface Line {
  role: 'user' | 'agent';
  text: string;
  from: number;
  until: number;
}

/** Ten minutes in which agent and caller speak in turn, every six seconds. */
const LINES: Line[] = Array.from({ length: TURNS }, (_, turn) => turn * TURN_SECONDS).flatMap((at, turn) => [
  { role: 'agent' as const, text: `Question ${turn}: on which day would it suit you?`, from: at + 0.5, until: at + 3 },
  { role: 'user' as const, text: `Answer ${turn}: on Monday, please.`, from: at + 3.6, until: at + 5.4 },
]);
const SPOKEN: Spoken[] = LINES.map(({ role, from, until }) => ({
  voice: role === 'user' ? 'caller' : 'agent',
  from,
  until,
}));

const UNSORTED: EventRow[] = [
  { type: 'call.started', at: 0, message: 'call started', data: { stt: 'flux', llm: 'gpt-4.1-mini', tts: 'sonic' } },
  ...LINES.flatMap(({ role, text, from, until }): EventRow[] =>
    role === 'user'
      ? [{ type: 'user.turn', at: until + 0.3, message: text }]
      : [
          {
            ...{ type: 'tts.first_audio', at: from, message: 'first audio', latency_ms: 640 },
            data: { parts: { end_of_turn_ms: 200, first_token_ms: 300, first_segment_ms: 60, first_audio_ms: 80 } },
          },
          { type: 'agent.reply', at: until, message: text },
        ],
  ),
  {
    type: 'tool.call',
    at: 61,
    message: 'find_slots',
    data: { name: 'find_slots', args: { day: 'Monday' }, url: 'https://crm.example/slots' },
  },
  {
    type: 'tool.result',
    at: 61.4,
    level: 'warning',
    latency_ms: 400,
    message: 'find_slots answered',
    data: { name: 'find_slots', status: 500, result: '{"error":"no such day"}' },
  },
  { type: 'interrupted', at: 100, message: 'caller talked over the agent' },
  { type: 'recording.paused', at: 200, data: { by: 'agent' } },
  { type: 'recording.resumed', at: 215, data: { by: 'agent' } },
  { type: 'call.dtmf', at: 300, message: 'keys pressed: 42', data: { digits: '42' } },
  {
    type: 'error',
    at: 400,
    level: 'error',
    message: `voice failed: ${'the provider closed the connection, and then '.repeat(6)}that was it`,
    data: { component: 'voice', provider: 'sonic' },
  },
  {
    type: 'guardrail.violation',
    at: 600,
    level: 'error',
    message: 'a rule was broken',
    data: { rule_name: 'No prices', quote: 'It costs ten.' },
  },
];
const EVENTS = UNSORTED.toSorted((a, b) => a.at - b.at);

const COST = {
  components: { transcriber: 41.25, llm: 12.3456, voice: 88, telephony: 60, platform: 0 },
  lines: [
    { component: 'llm', provider: 'openai', model: 'gpt-4.1-mini', quantity: 1, unit: 'token', amount_paise: 12.3456 },
  ],
  ...{ usage_paise: 202, floor_paise: 250, floor_per_minute_paise: 25, floor_applied: true, total_paise: 250 },
  ...{ duration_seconds: 600, channel: 'phone', waived: null, waived_paise: 0 },
};

async function longCall(user: User): Promise<string> {
  const answeredMs = Date.now() - 700_123;
  const id = await calls.finishedCall(user, {
    ...{ started_at: new Date(answeredMs), duration_seconds: MINUTES * 60, recorded: true, avg_first_audio_ms: 640 },
    ...{ summary: 'The caller books a table for four.', cost_paise: 250, cost_breakdown: COST },
    extracted: { day: 'Monday', guests: 4, confirmed: true },
    transcript: LINES.map(({ role, text, from, until }, nth) => ({
      ...{
        role,
        text,
        at: Math.round(answeredMs + (role === 'agent' ? from : until) * 1_000),
        interrupted: nth === 32,
      },
    })),
  });
  // A short "mhm" while the agent speaks.
  await calls.record(user, id, MINUTES * 60, [...SPOKEN, { voice: 'caller', from: 121.5, until: 121.8 }]);
  await calls.addEvents(user, id, answeredMs, EVENTS);
  await calls.fixture.api.sql`
    insert into webhook_deliveries (
      workspace_id, id, event_id, event_type, body_id, endpoint_id, receiver, url, call_id, agent_id, event_seq, status, attempts,
      last_status_code, created_at
    ) values (
      ${user.workspace_id}, ${`whd_${newId()}`}, 'e', 'call.ended', 'b', 'agent', 'agent:a', 'https://crm.example/hook', ${id}, '', 1,
      'delivered', 1, 200, now()
    )`;
  return id;
}

/** What the page shows at one moment: the sound, the marked line, and the cursor as a time. */
const shown = (page: Page) =>
  page.evaluate<{
    sound: number;
    line: number;
    cursor: number;
  }>(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
    const audio = document.querySelector('audio');
    const lines = [...document.querySelectorAll('.said li')];
    resolve({
      sound: audio.currentTime,
      line: lines.findIndex((each) => each.hasAttribute('aria-current')),
      cursor: (parseFloat(document.querySelector('.track .cursor').style.left) / 100) * audio.duration,
    });
  })))`);

const lineOf = (seconds: number) => LINES.findLastIndex(({ from }) => from <= seconds);
const WITHIN_SECONDS = 0.05;

describe.skipIf(!CHROMIUM)('the page of one call', () => {
  it('marks the line that plays and moves the cursor with the recording, anywhere in ten minutes', async () => {
    const user = await calls.fixture.newUser();
    const { page, complaints } = await calls.opened(browser, user, `/calls/${await longCall(user)}`);
    const slider = page.getByRole('slider', { name: 'Position in the recording' });
    await slider.waitFor();
    await expect.poll(() => page.evaluate(`document.querySelector('audio').duration`)).toBe(600);
    // The caller's lines begin with their voice, once the recording was read.
    await page.locator('.said').getByRole('button', { name: 'Play from 0:03', exact: true }).waitFor();
    const box = (await slider.boundingBox())!;
    for (let nth = 1; nth < 20; nth++) {
      await page.mouse.click(box.x + (box.width * nth) / 20, box.y + 20);
      const { sound, line, cursor } = await shown(page);
      expect(Math.abs(sound - (600 * nth) / 20)).toBeLessThan(1);
      expect(Math.abs(cursor - sound)).toBeLessThan(WITHIN_SECONDS);
      expect(line).toBe(lineOf(sound));
    }
    // Just before and just after each of many beginnings.
    for (const nth of [1, 2, 7, 40, 85, 120, 161, 199]) {
      for (const [offset, expected] of [
        [-WITHIN_SECONDS, nth - 1],
        [WITHIN_SECONDS, nth],
      ] as const) {
        await page.evaluate(`document.querySelector('audio').currentTime = ${LINES[nth]!.from + offset}`);
        const { sound, line, cursor } = await shown(page);
        expect([line, Math.abs(cursor - sound) < WITHIN_SECONDS], `line ${nth}`).toEqual([expected, true]);
      }
    }
    await slider.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    expect(await shown(page)).toMatchObject({ sound: 5, line: 1 });
    expect(await slider.getAttribute('aria-valuetext')).toBe('0:05 of 10:00');
    expect(complaints).toEqual([]);
  });

  it('marks lines as they begin while it plays', async () => {
    const user = await calls.fixture.newUser();
    const { page } = await calls.opened(browser, user, `/calls/${await longCall(user)}`);
    await page.locator('.said').getByRole('button', { name: 'Play from 0:03', exact: true }).waitFor();
    await expect.poll(() => page.evaluate(`document.querySelector('audio')?.duration`)).toBe(600);
    await page.evaluate(`(() => {
      window.frames = [];
      const audio = document.querySelector('audio');
      let [two, one] = [59, 59];
      const look = () => {
        const line = [...document.querySelectorAll('.said li')].findIndex((each) => each.hasAttribute('aria-current'));
        const now = audio.currentTime;
        window.frames.push({ line, before: two, now });
        [two, one] = [one, now];
        requestAnimationFrame(look);
      };
      audio.currentTime = 59;
      requestAnimationFrame(look);
    })()`);
    await page.getByLabel('Speed').selectOption('2×');
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    const sixLinesOn = LINES[lineOf(59) + 6]!.from;
    await expect
      .poll(() => page.evaluate(`document.querySelector('audio').currentTime`), { timeout: 60_000 })
      .toBeGreaterThan(sixLinesOn);
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    const frames = await page.evaluate<{ line: number; before: number; now: number }[]>('window.frames');
    // The first frames draw the jump. After that at most two frames late, however long a busy machine takes for a frame.
    const late = frames.slice(3).filter(({ line, before, now }) => line < lineOf(before) || line > lineOf(now));
    expect(late).toEqual([]);
    expect(new Set(frames.map(({ line }) => line)).size).toBeGreaterThan(5);
  });

  it('shows what happened, with each tool, the whole reason of a failure, the cost and the webhooks', async () => {
    const user = await calls.fixture.newUser();
    const { page, complaints } = await calls.opened(browser, user, `/calls/${await longCall(user)}`);
    await page.locator('[data-mark=backchannel]').first().waitFor({ state: 'attached' });
    const marks = ['interruption', 'backchannel', 'tool', 'keys', 'pause', 'problem'];
    for (const mark of marks) expect(await page.locator(`.event-mark[data-mark=${mark}]`).count(), mark).toBe(1);
    await page.getByText('find_slots').first().click();
    await page.getByText('"day": "Monday"').first().waitFor();
    await page.getByText('"error": "no such day"').waitFor();
    const failure = page.locator('.record-timeline li', { hasText: 'voice failed' });
    await failure.locator('summary').click();
    await failure.getByText('that was it', { exact: false }).last().waitFor();
    await page.getByText('Least price of the plan').waitFor();
    await page.getByText('₹0.1235').waitFor();
    await page.getByText('It costs ten.', { exact: true }).waitFor();
    await page.getByText('guests', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'call.ended' }).waitFor();
    for (const nth of [1, 2, 3]) {
      await page.getByRole('button', { name: 'Zoom in' }).click();
      expect(await page.locator('.track').evaluate((track) => track.getAttribute('style'))).toContain(
        `${100 * 2 ** nth}%`,
      );
    }
    await page.locator('.words').nth(1).click();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await lookAt(page, 'call-record');
    expect(complaints).toEqual([]);
  });

  it('follows a live call, ends it, and says why its recording cannot be paused', async () => {
    const user = await calls.fixture.newUser();
    const id = await calls.newCall(user);
    const answeredMs = Date.now() - 60_000;
    await calls.addEvents(user, id, answeredMs, [
      { type: 'welcome', at: 0.2, message: 'Hello, this is Maya.' },
      { type: 'user.turn', at: 4, message: 'Is there a table tonight?' },
      { type: 'agent.reply', at: 4.7, message: 'For how many, please?', latency_ms: 700 },
    ]);
    const { page, complaints } = await calls.opened(browser, user, `/calls/${id}`);
    await page.locator('.said').getByText('Hello, this is Maya.').waitFor();
    await page.getByRole('button', { name: 'Pause recording' }).click();
    await page.getByText('The call is not live').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await lookAt(page, 'call-live');
    await calls.fixture.api.sql`
      insert into call_events (workspace_id, call_id, seq, id, source, type, message, level, data, created_at)
      values (${user.workspace_id}, ${id}, 4, ${`evt_${newId()}`}, 'control', 'user.turn', 'I would like a table.', 'info', '{}', now())`;
    await page.locator('.said').getByText('I would like a table.').waitFor();
    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.route(`**/api/v1/calls/${id}/hangup`, (route) =>
      route.fulfill({ status: 409, json: { detail: 'the call is already over' } }),
    );
    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.getByText('The call is already over').waitFor();
    expect(complaints).toEqual([]);
  });

  it('says what is missing when the recording cannot be read, and analyses again after a question', async () => {
    const user = await calls.fixture.newUser();
    const id = await calls.finishedCall(user, { recorded: true });
    const { page } = await calls.opened(browser, user, `/calls/${id}`);
    await page.getByRole('region', { name: 'Recording' }).getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Analyse again' }).click();
    await page.getByRole('button', { name: 'Analyse', exact: true }).click();
    await page.locator('dialog [role=alert]:not(:empty)').waitFor();
  });
});
