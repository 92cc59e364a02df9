import { accessSync, constants } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** The browser of the machine, where there is one: CHROMIUM_BIN, or where Debian puts it. */
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
  /** A WAV file that is played into the microphone, once. Without it the microphone beeps. */
  microphone?: string;
  /** Asked for the microphone, the browser says no. */
  refuseMicrophone?: boolean;
}

/** Headless, with a microphone that is none, and without a word to anybody else. */
export function launchChromium({ microphone, refuseMicrophone = false }: ChromiumOptions = {}): Promise<Browser> {
  if (!CHROMIUM) throw new Error('there is no Chromium: apt-get install chromium');
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      // In a container there is nobody but root.
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
