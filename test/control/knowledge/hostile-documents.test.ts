import { describe, expect, it } from 'vitest';
import { documentKindOf } from '../../../control/knowledge/documents/document-kind.ts';
import { createDocumentReader } from '../../../control/knowledge/documents/document-reader.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { HOSTILE_DOCUMENTS } from '../../support/hostile-documents.ts';

const log = createLogger('control', 'silent');
/** The time is that of the service; memory is less. */
const LIMITS = { timeoutMs: 180_000, maxCpuMs: 30_000, maxHeapMb: 256, maxMemoryMb: 512 };
const MAX_CHARACTERS = 1_000_000;
/** Reading it takes many seconds and little memory: each end of an element is looked for among all that are open. */
const SLOW = Buffer.from(`<html>${'<div>'.repeat(4_900)}${'</b>'.repeat(4_000_000)}`);
const MAX_GROWTH_BYTES = 150 * 1024 * 1024;

describe('a hostile document', () => {
  it.each(HOSTILE_DOCUMENTS)(
    '$what ends with its reason, and costs this process no memory',
    async ({ file_name, make, expected }) => {
      const bytes = await make();
      const before = process.memoryUsage.rss();
      const kind = documentKindOf(bytes, file_name);
      const reader = createDocumentReader({ clock: systemClock, log }, LIMITS);
      const result = kind && (await reader.read({ kind, bytes, charset: '', maxCharacters: MAX_CHARACTERS }));
      const outcome = result === null ? 'refused' : result.type === 'read' ? 'read' : result.reason;
      expect(outcome).toMatch(expected instanceof RegExp ? expected : new RegExp(`^${expected}$`));
      expect(process.memoryUsage.rss() - before).toBeLessThan(MAX_GROWTH_BYTES);
    },
  );

  it.each(['timeoutMs', 'maxCpuMs'])('is ended with its process when it takes too long (%s)', async (limit) => {
    const reader = createDocumentReader({ clock: systemClock, log }, { ...LIMITS, [limit]: 1 });
    const slow = await reader.read({ kind: 'html', bytes: SLOW, charset: '', maxCharacters: 10 });
    expect(slow).toEqual({ type: 'unreadable', reason: 'reading it takes longer than 0 seconds' });
  });

  it('is ended with its process when it takes too much memory', async () => {
    const reader = createDocumentReader({ clock: systemClock, log }, { ...LIMITS, maxMemoryMb: 1 });
    const large = await reader.read({ kind: 'html', bytes: SLOW, charset: '', maxCharacters: 10 });
    expect(large).toEqual({ type: 'unreadable', reason: 'reading it takes too much memory' });
  });
});
