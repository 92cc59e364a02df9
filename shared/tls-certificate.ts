import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type ConnectionOptions, createSecureContext, type SecureContextOptions } from 'node:tls';
import { z } from 'zod';
import type { Clock } from './clock.ts';
import { errorText, type Logger } from './log.ts';

/** Files in PEM: the program's certificate, followed by those of its authorities, and its key. Both, or none: then there is no TLS. */
export const TLS_SETTINGS = {
  TLS_CERT_FILE: z.string().default(''),
  TLS_KEY_FILE: z.string().default(''),
};

export interface TlsFiles {
  certFile: string;
  keyFile: string;
}

/** What a program proves its name with, as it was read from the files. */
export interface TlsCertificate extends TlsFiles {
  cert: string;
  key: string;
}

/** Looks at two small files; certificates change every few weeks. */
const CHECK_INTERVAL_MS = 5_000;

/** Null where neither is set. @throws Error when only one is. */
export function tlsFiles(settings: z.output<z.ZodObject<typeof TLS_SETTINGS>>): TlsFiles | null {
  const { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile } = settings;
  if (certFile === '' && keyFile === '') return null;
  if (certFile !== '' && keyFile !== '') return { certFile, keyFile };
  throw new Error(
    `${certFile === '' ? 'TLS_CERT_FILE' : 'TLS_KEY_FILE'} is missing: TLS needs a certificate and its key`,
  );
}

/** @throws Error when the files do not hold a certificate and its key. */
export async function readCertificate(files: TlsFiles): Promise<TlsCertificate> {
  try {
    const certificate = { ...files, ...(await readTexts(files)) };
    createSecureContext(secureContext(certificate));
    return certificate;
  } catch (error) {
    throw new Error(`no TLS with ${files.certFile} and ${files.keyFile}: ${errorText(error)}`);
  }
}

/** For Node's servers. */
export function secureContext({ cert, key }: TlsCertificate): SecureContextOptions {
  return { cert, key, minVersion: 'TLSv1.2' };
}

/** For a client that asks for this very certificate, whatever the address that it is reached by. */
export function onlyThisCertificate({ cert }: TlsCertificate): ConnectionOptions {
  return { ca: cert, allowPartialTrustChain: true, checkServerIdentity: () => undefined };
}

export interface CertificateWatchOptions {
  /** The one that is used. */
  certificate: TlsCertificate;
  clock: Clock;
  log: Logger;
  /** Uses another one for new connections; those that are open go on. May throw: it is then tried again. */
  take(certificate: TlsCertificate): void;
}

/** Of the certificate that this process serves with: its end, by the clock that watches it. */
let served: { endMs: number; clock: Clock } | null = null;

/** What the metric of `certificateRemainingSeconds` says of itself, in both programs. */
export const CERTIFICATE_METRIC = {
  name: 'antiphon_tls_certificate_remaining_seconds',
  help: 'Time until the certificate ends that the process serves TLS with; there is none without TLS.',
};

/** Seconds until the certificate ends that this process serves with, negative when it has; null where it has none. */
export function certificateRemainingSeconds(): number | null {
  return served && (served.endMs - served.clock.wall()) / 1_000;
}

/** The end of a chain's first certificate, which is the program's own. Milliseconds since 1970. */
const endOf = ({ cert }: TlsCertificate) => new X509Certificate(cert).validToDate.getTime();

/** Takes a new certificate when the files hold one. One that cannot be used is logged once, and the old one stays. */
export function watchCertificate({ certificate, clock, log, take }: CertificateWatchOptions): { stop(): void } {
  let current = certificate;
  let stopped = false;
  let lastFailure = '';
  let logged = '';
  let timer = clock.after(CHECK_INTERVAL_MS, check);
  served = { endMs: endOf(current), clock };

  async function takeNext(): Promise<void> {
    const texts = await readTexts(current);
    if (texts.cert !== current.cert || texts.key !== current.key) {
      const next = await readCertificate(current);
      take(next);
      current = next;
      served = { endMs: endOf(next), clock };
      log.info({ valid_to: new Date(served.endMs).toISOString() }, 'new TLS certificate in use');
    }
    lastFailure = '';
    logged = '';
  }

  function check(): void {
    takeNext()
      .catch((error: unknown) => {
        const failure = errorText(error);
        // The two files are replaced one after the other: what is wrong once may be right next time.
        if (failure === lastFailure && failure !== logged) {
          logged = failure;
          log.error({ error: failure }, 'new TLS certificate cannot be used; the old one stays');
        }
        lastFailure = failure;
      })
      .finally(() => {
        if (!stopped) timer = clock.after(CHECK_INTERVAL_MS, check);
      });
  }

  return {
    stop() {
      stopped = true;
      served = null;
      timer.cancel();
    },
  };
}

async function readTexts({ certFile, keyFile }: TlsFiles): Promise<{ cert: string; key: string }> {
  const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
  return { cert, key };
}
