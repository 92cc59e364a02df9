import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emailHtml } from './email-html.ts';

export interface OutgoingEmail {
  id: string;
  to: string;
  subject: string;
  text: string;
  files?: readonly AttachedFile[];
}

export interface AttachedFile {
  /** Letters, digits, dots and hyphens. */
  name: string;
  content: Buffer;
  content_type: string;
}

/** Hands one email over. Rejects when it should be tried again, with `RejectedEmail` when that would not help. */
export type MailTransport = (email: OutgoingEmail) => Promise<void>;

/** The receiving server will never take this email. */
export class RejectedEmail extends Error {}

export interface MailTransportOptions {
  /** `smtp://user:password@host:587` or `smtps://…:465`; empty: emails become files. */
  smtpUrl: string;
  /** `Name <address>`. */
  from: string;
  folder: string;
}

const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 20_000;

export function createMailTransport({ smtpUrl, from, folder }: MailTransportOptions): MailTransport {
  return smtpUrl === '' ? fileTransport(folder, from) : smtpTransport(smtpUrl, from);
}

/**
 * For use without a mail server: each email is a file that only its owner may read, as it may hold a link that opens an
 * account.
 */
function fileTransport(folder: string, from: string): MailTransport {
  return async ({ id, to, subject, text, files = [] }) => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const attached = files.map(({ name }) => `Attachment: ${id}-${name}\n`).join('');
    for (const { name, content } of files) await writeFile(join(folder, `${id}-${name}`), content, { mode: 0o600 });
    const path = join(folder, `${id}.txt`);
    const content = `From: ${from}\nTo: ${to}\nSubject: ${subject}\n${attached}\n${text}\n`;
    await writeFile(`${path}.part`, content, { mode: 0o600 });
    await rename(`${path}.part`, path);
  };
}

function smtpTransport(smtpUrl: string, from: string): MailTransport {
  const url = new URL(smtpUrl);
  const secure = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  // Imported only where it is used: it takes a while.
  const transport = import('nodemailer').then(({ createTransport }) =>
    createTransport({
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port) || (secure ? 465 : 587),
      secure,
      // A password never leaves this machine unencrypted.
      requireTLS: !secure && user !== '' && !isLocal,
      ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(url.password) } }),
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SOCKET_TIMEOUT_MS,
      dnsTimeout: CONNECT_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    }),
  );
  return async ({ id, to, subject, text, files = [] }) => {
    try {
      // An object, so that an address cannot be parsed as two.
      await (await transport).sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        html: emailHtml({ subject, text }),
        attachments: files.map(({ name, content, content_type }) => ({
          filename: name,
          content,
          contentType: content_type,
        })),
        messageId: `<${id}@${mailHost(from)}>`,
      });
    } catch (error) {
      throw isPermanentRejection(error) ? new RejectedEmail((error as Error).message) : error;
    }
  };
}

/**
 * A 5xx about the recipient or the email itself; one about the service's own credentials is retried while the operator mends
 * it.
 */
function isPermanentRejection(error: unknown): boolean {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  return (code === 'EENVELOPE' || code === 'EMESSAGE') && (responseCode ?? 0) >= 500;
}

const mailHost = (from: string) => /@([^>\s]+)/.exec(from)?.[1] ?? 'localhost';
