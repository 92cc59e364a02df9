import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLogger } from '../../shared/log.ts';
import {
  certificateRemainingSeconds,
  readCertificate,
  tlsFiles,
  watchCertificate,
} from '../../shared/tls-certificate.ts';
import { afterFile } from '../support/after-file.ts';
import { selfSignedCertificate } from '../support/certificate.ts';
import { until } from '../support/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'antiphon-tls-'));
afterFile(() => rmSync(folder, { recursive: true, force: true }));
const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };

function write({ cert, key }: { cert: string; key: string }): void {
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, key);
}

/** A watch whose every look at the files is awaited. */
function watched(certificate: Awaited<ReturnType<typeof readCertificate>>) {
  const lines: { level: number; msg: string }[] = [];
  const taken: string[] = [];
  let due: (() => void) | null = null;
  const clock = {
    now: () => 0,
    wall: () => 0,
    after(_ms: number, run: () => void) {
      due = run;
      return { cancel: () => {} };
    },
  };
  const log = createLogger('test', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) });
  const { stop } = watchCertificate({ certificate, clock, log, take: ({ cert }) => taken.push(cert) });
  const look = async () => {
    const run = due!;
    due = null;
    run();
    await until(() => due !== null, 'the next look');
  };
  return { lines, taken, look, stop };
}

it('a certificate without its key is refused at start, with the name of the setting', () => {
  expect(tlsFiles({ TLS_CERT_FILE: '', TLS_KEY_FILE: '' })).toBeNull();
  expect(() => tlsFiles({ TLS_CERT_FILE: 'a', TLS_KEY_FILE: '' })).toThrow('TLS_KEY_FILE is missing');
  expect(() => tlsFiles({ TLS_CERT_FILE: '', TLS_KEY_FILE: 'a' })).toThrow('TLS_CERT_FILE is missing');
});

it('files that are no certificate with its key are refused, with their names', async () => {
  await expect(readCertificate(files)).rejects.toThrow(`no TLS with ${files.certFile}`);
  write({ cert: selfSignedCertificate('localhost').cert, key: selfSignedCertificate('localhost').key });
  await expect(readCertificate(files)).rejects.toThrow(/mismatch/);
});

it('a new certificate is taken once', async () => {
  write(selfSignedCertificate('localhost'));
  const { taken, lines, look, stop } = watched(await readCertificate(files));
  await look();
  const next = selfSignedCertificate('localhost');
  write(next);
  await look();
  await look();
  stop();
  expect(taken).toEqual([next.cert]);
  expect(lines.map(({ msg }) => msg)).toEqual(['new TLS certificate in use']);
});

it('one that stays unusable is logged once, and one that is being replaced not at all', async () => {
  write(selfSignedCertificate('localhost'));
  const { taken, lines, look, stop } = watched(await readCertificate(files));
  const next = selfSignedCertificate('localhost');
  writeFileSync(files.certFile, next.cert);
  await look();
  writeFileSync(files.keyFile, next.key);
  await look();
  expect(lines.filter(({ level }) => level > 30)).toEqual([]);
  writeFileSync(files.certFile, 'no certificate');
  for (let times = 0; times < 4; times++) await look();
  stop();
  expect(taken).toEqual([next.cert]);
  expect(lines.filter(({ level }) => level > 30).map(({ msg }) => msg)).toEqual([
    'new TLS certificate cannot be used; the old one stays',
  ]);
});

it('the time until the end of the certificate in use is known while it is watched', async () => {
  expect(certificateRemainingSeconds()).toBeNull();
  write(selfSignedCertificate('localhost'));
  const { stop } = watched(await readCertificate(files));
  expect(certificateRemainingSeconds()).toBe(Date.UTC(2100, 0, 1) / 1_000);
  stop();
  expect(certificateRemainingSeconds()).toBeNull();
});
