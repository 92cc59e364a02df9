import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { loadOpus } from '../../media/audio/opus.ts';
import { findMediasoupWorker } from '../../media/leg/mediasoup-worker.ts';
import { CHROMIUM } from './chromium.ts';

/**
 * Returns what a call through the page needs and this machine lacks. Such a call takes a minute of real time, so it is made by
 * `make browser` only (BROWSER_TALK=1).
 * @throws Error when something is missing there.
 */
export function missingForPageCalls(): string[] {
  const packageMain = createRequire(import.meta.url).resolve('mediasoup');
  const { version } = JSON.parse(readFileSync(join(dirname(packageMain), '../../package.json'), 'utf8'));
  const asked = process.env.BROWSER_TALK === '1';
  const missing = [
    asked ? '' : '`make browser`',
    CHROMIUM ? '' : 'Chromium',
    findMediasoupWorker(version, packageMain) ? '' : "mediasoup's worker",
    'missing' in loadOpus() ? '@discordjs/opus' : '',
    spawnSync(process.env.POCKETSPHINX_BIN ?? 'pocketsphinx_continuous', []).error ? 'pocketsphinx' : '',
  ].filter(Boolean);
  if (asked && missing.length > 0) throw new Error(`the call cannot be made: ${missing.join(', ')} is missing`);
  return missing;
}
