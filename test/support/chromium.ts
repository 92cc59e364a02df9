import { accessSync, constants } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Path of the installed browser, if any: CHROMIUM_BIN, or Debian's path. */
export const CHROMIUM = [process.env.CHROMIUM_BIN ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  isProgram,
);

function isProgram(path: string): boolean {
  try {
    if (path !== '') accessSync(path, constants.X_OK);
    return path !== '';
  } catch {
    return false;
  }
}

export interface ChromiumOptions {
  /** A WAV file that is played into the microphone once. Default: beeps. */
  microphone?: string;
  /** The browser denies the microphone. */
  refuseMicrophone?: boolean;
}

/** Starts Chromium headless with a fake microphone and without background network traffic. */
export function launchChromium({ microphone, refuseMicrophone = false }: ChromiumOptions = {}): Promise<Browser> {
  if (!CHROMIUM) throw new Error('there is no Chromium: apt-get install chromium');
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      // The sandbox does not work for root, as in containers.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--use-fake-device-for-media-stream',
      ...(refuseMicrophone ? ['--deny-permission-prompts'] : ['--use-fake-ui-for-media-stream']),
      ...(microphone ? [`--use-file-for-fake-audio-capture=${microphone}%noloop`] : []),
      '--allow-loopback-in-peer-connection',
      '--autoplay-policy=no-user-gesture-required',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-dev-shm-usage',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}

let shared: Promise<Browser> | undefined;

/** Returns the browser of this process, for all its test files: none of them closes it, it ends with the process. */
export function sharedChromium(): Promise<Browser> {
  shared ??= launchChromium();
  return shared;
}
