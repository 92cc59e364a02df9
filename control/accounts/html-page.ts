import { type Html, html } from '../http/html.ts';
import type { FileReply } from '../http/route.ts';
import { inlineHash, pageHeaders } from '../http/security-headers.ts';

/** HTML pages without scripts, for links in emails and for the consent to a connected app. */

export interface Page {
  title: string;
  /** Made with `html`, so that everything in it is escaped. */
  content: Html;
  status?: number;
  /** The app that opened the page, whose origin its form leads to. */
  formOrigin?: string;
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:12vh auto;padding:0 1rem;color:#1b1b1f}
h1{font-size:1.3rem}label{display:block;margin:1rem 0 .3rem}
input[type=text],input[type=password],input[type=email]{width:100%;box-sizing:border-box;padding:.5rem;font:inherit}
button{margin:1rem .5rem 0 0;padding:.5rem 1rem;font:inherit}`;

const STYLE_HASH = inlineHash(STYLE);

/** The page loads nothing, runs nothing, cannot be framed, and its URL with the token is not sent to other sites. */
export function page({ title, content, status = 200, formOrigin }: Page): FileReply {
  const { markup } = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${{ markup: STYLE }}</style></head>
<body><h1>${title}</h1>
${content}
</body>
</html>
`;
  const headers = pageHeaders({
    allows: { 'style-src': [STYLE_HASH] },
    ...(formOrigin ? { formOrigins: [formOrigin], windows: 'opened' } : {}),
  });
  return { status, body: markup, headers: { ...headers, 'Cache-Control': 'no-store' } };
}
