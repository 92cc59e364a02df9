import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { loadSpeech } from '../../fixtures/speech.ts';
import { encodeWav } from '../../media/audio/wav.ts';
import { missingForPageCalls } from '../support/browser-calls.ts';
import { builtConsole } from '../support/built-console.ts';
import { launchChromium } from '../support/chromium.ts';
import { attachPageCaller } from '../support/page-caller.ts';
import { until } from '../support/until.ts';

/**
 * What a person does who has read the README: `make up`, open the page it prints, sign in as it prints, and talk to the example
 * agent. Prints how long each step took.
 */

const UP = fileURLToPath(new URL('../../dev/up.ts', import.meta.url));
const READY_WITHIN_MS = 180_000;
const missing = missingForPageCalls();

describe.skipIf(missing.length > 0)('the first minutes', { timeout: 420_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'antiphon-first-'));
  const closing: (() => Promise<unknown> | unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  afterAll(async () => {
    for (const each of closing.toReversed()) await each();
  });

  it('lead from the lines of make up to a conversation with the example agent', async () => {
    const consoleDir = await builtConsole();
    const microphone = join(folder, 'caller.wav');
    writeFileSync(microphone, callerWav());
    const browser = await launchChromium({ microphone });
    closing.push(() => browser.close());
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000);
    const caller = await attachPageCaller(page, { replaceMicrophone: false });

    const { printed, stop } = await makeUp(folder, consoleDir);
    closing.push(stop);
    const start = performance.now();
    const steps: string[] = [];
    const step = (name: string) => steps.push(`${name} ${((performance.now() - start) / 1000).toFixed(1)} s`);

    await page.goto(found(printed, /talk +(\S+)/));
    await page.getByLabel('Email').fill(found(printed, /sign in as (\S+),/));
    await page.getByLabel('Password').fill(found(printed, /password (\S+)\)/));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Talk' }).click();
    step('signed in');
    await page.getByText('You are connected.').waitFor();
    step('connected');
    await caller.waitForAgent(120_000);
    step('agent heard');
    // The caller's words, and the reply to them after the welcome.
    await page
      .locator('.line[data-role="user"]', { hasText: /two|table|people/ })
      .first()
      .waitFor();
    step('caller understood');
    const spoken = page.locator('.line[data-role="agent"]');
    await spoken.nth(1).waitFor();
    step('answered');
    console.log(`first minutes, from "Antiphon is ready": ${steps.join(', ')}`);
    expect(await caller.agentSeconds()).toBeGreaterThan(1);
    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.getByText('You hung up.').waitFor();

    // An agent of one's own, from the first page to its voice.
    const own = performance.now();
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await page.getByRole('link', { name: 'Agents', exact: true }).click();
    await page.getByRole('button', { name: 'New agent' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Front office');
    await page.getByLabel('Language', { exact: true }).selectOption('en');
    await page.getByRole('button', { name: 'Create agent' }).click();
    await page.getByRole('link', { name: 'Talk', exact: true }).click();
    await page.getByRole('button', { name: 'Talk', exact: true }).click();
    await page.getByText('You are connected.').waitFor();
    await spoken.filter({ hasText: 'Hello, how can I help you?' }).first().waitFor();
    console.log(
      `an agent of one's own, from the first page to its voice: ${((performance.now() - own) / 1000).toFixed(1)} s`,
    );
    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.getByText('You hung up.').waitFor();
  });
});

/** Repeats the recording: it counts from the moment the microphone opens, and a busy machine may drop some of it. */
function callerWav(): Buffer {
  const { samples } = loadSpeech('booking-request');
  const audio = new Int16Array(8_000 * 120);
  for (const second of [8, 30, 52, 74, 96]) audio.set(samples, 8_000 * second);
  return Buffer.from(encodeWav(8_000, audio));
}

async function makeUp(folder: string, consoleDir: string): Promise<{ printed: string; stop: () => Promise<unknown> }> {
  const env = {
    ...process.env,
    ...{ ANTIPHON_HOME: join(folder, 'home'), CONSOLE_DIR: consoleDir },
    ...{ API_PORT: '0', MEDIA_PORT: '0', BROWSER_CALLS: 'off' },
  };
  const child: ChildProcess = spawn(process.execPath, [UP], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const stop = () => {
    child.kill('SIGINT');
    return ended;
  };
  let printed = '';
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  try {
    await until(() => printed.includes('Ctrl-C stops it') || child.exitCode !== null, 'ready', READY_WITHIN_MS);
  } catch (error) {
    await stop();
    throw error;
  }
  return { printed, stop };
}

function found(printed: string, pattern: RegExp): string {
  const match = pattern.exec(printed)?.[1];
  if (match === undefined) throw new Error(`not printed: ${pattern}\n${printed}`);
  return match;
}
