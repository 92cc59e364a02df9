import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPocketsphinx } from '../../../media/stt/pocketsphinx.ts';
import { createLogger } from '../../../shared/log.ts';
import { transcriberConformance } from '../transcriber-suite.ts';
import { speechFrames, TEXT, WORDS } from './speech.ts';

const log = createLogger('test', 'silent');

/** A program in place of pocketsphinx, whose own tests transcribe real speech. */
transcriberConformance('local', { turnDetection: 'finalize', through: 'process' }, async (clock) => {
  const folder = mkdtempSync(join(tmpdir(), 'transcribers-'));
  const bin = join(folder, 'program');
  writeFileSync(bin, `#!/bin/sh\ncat >/dev/null\necho ${TEXT}\n`, { mode: 0o755 });
  for (const file of ['m.lm', 'm.dict']) writeFileSync(join(folder, file), '');
  mkdirSync(join(folder, 'en-us', 'en-us'), { recursive: true });
  const common = { modelsDir: folder, languageModelsDir: folder, model: 'm', clock, log };
  return {
    create: (listener) => createPocketsphinx({ ...common, bin, listener }),
    createUnreachable: (listener) => createPocketsphinx({ ...common, bin: join(folder, 'nothing-here'), listener }),
    speech: () => speechFrames('pcm', 16_000),
    words: WORDS,
    live: liveChildren,
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
});

/** Counts the live child processes of this process. */
function liveChildren(): number {
  return readdirSync('/proc').filter((id) => {
    if (!/^\d+$/.test(id)) return false;
    try {
      const fields = readFileSync(`/proc/${id}/stat`, 'latin1')
        .replace(/^.*\) /, '')
        .split(' ');
      return fields[0] !== 'Z' && fields[0] !== 'X' && Number(fields[1]) === process.pid;
    } catch {
      return false;
    }
  }).length;
}
