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

/** The colours, forms and letters of the console (`console/style.css`), in light and dark as the system has it. */
const STYLE = `:root{color-scheme:light dark;--ground:light-dark(#fbfaf8,#131514);--raised:light-dark(#fff,#1b1e1d);
--sunken:light-dark(#f1efeb,#232726);--edge:light-dark(#8b8880,#7d8482);--ink:light-dark(#1c1d1b,#edeeec);
--quiet:light-dark(#62645f,#a3a8a5);--accent:light-dark(#0b7a6c,#3cc4ae);--accent-strong:light-dark(#08655a,#5ad4bf);
--on-accent:light-dark(#fff,#06231f);--accent-soft:light-dark(#e1f1ee,#15322d);--danger:light-dark(#a8321f,#ff9a85)}
*{box-sizing:border-box}
html{background:var(--ground);-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{max-width:26.5rem;margin:0 auto;padding:14vh 1.25rem 4rem;color:var(--ink);font:1rem/1.5 system-ui,sans-serif;
overflow-wrap:anywhere;-webkit-font-smoothing:antialiased}
main{display:grid;gap:1rem}
svg{width:2.5rem;height:2.5rem;color:var(--accent)}
h1{margin:0;font-size:1.75rem;font-weight:640;letter-spacing:-.02em;line-height:1.2}
p,form{margin:0}form{display:grid;gap:1.25rem}fieldset{display:grid;gap:.5rem;margin:0;padding:0;border:0}
.quiet{color:var(--quiet)}.error{color:var(--danger)}
label,legend{font-weight:560}legend{padding:0;margin-bottom:.375rem}
.field{display:grid;gap:.375rem}
.choice{display:flex;align-items:center;gap:.75rem;padding:.625rem .875rem;border:1px solid var(--edge);border-radius:10px;
background:var(--raised);font-weight:400;cursor:pointer}
.choice:has(:checked){border-color:var(--accent);background:var(--accent-soft)}
input{width:100%;min-height:2.75rem;padding:.5rem .875rem;border:1px solid var(--edge);border-radius:10px;
background:var(--raised);color:inherit;font:inherit}
input:user-invalid,input[aria-invalid=true]{border-color:var(--danger)}
input[type=radio]{flex:none;width:1.5rem;min-height:1.5rem;margin:0;accent-color:var(--accent)}
.buttons{display:flex;flex-wrap:wrap;gap:.75rem}
button,.button{display:inline-flex;align-items:center;justify-content:center;min-height:2.75rem;padding:.5rem 1.25rem;
border:1px solid transparent;border-radius:999px;background:var(--accent);color:var(--on-accent);font:inherit;font-weight:560;
text-decoration:none;cursor:pointer}
button:hover,.button:hover{background:var(--accent-strong)}
button.secondary{border-color:var(--edge);background:var(--raised);color:inherit}
button.secondary:hover{background:var(--sunken)}
a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:3px}`;

/** The console's sign, as `console/icons.tsx` draws it. */
const MARK = html`<svg viewBox="0 0 32 32" aria-hidden="true"><g stroke="currentColor" stroke-width="2.8" stroke-linecap="round"><path d="M7 13v6M13 8v16M19 11.5v9M25 14v4"/></g></svg>`;

/** The way on from a page where nothing is left to do. */
export const toConsole = (text: string, href = '/'): Html => html`<p><a class="button" href="${href}">${text}</a></p>`;

/** What is wrong with a form; nothing where nothing is. The rules' sentences begin in lower case. */
export const errorText = (text: string): Html =>
  text === '' ? html`` : html`<p class="error" role="alert">${text[0]!.toUpperCase()}${text.slice(1)}</p>`;

/** The way out of a page where one need not do anything. */
export const backToSignIn: Html = html`<p><a href="/">Back to sign-in</a></p>`;

const STYLE_HASH = inlineHash(STYLE);

/** The page loads nothing, runs nothing, cannot be framed, and its URL with the token is not sent to other sites. */
export function page({ title, content, status = 200, formOrigin }: Page): FileReply {
  const { markup } = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Antiphon</title><style>${{ markup: STYLE }}</style></head>
<body><main>${MARK}<h1>${title}</h1>
${content}
</main></body>
</html>
`;
  const headers = pageHeaders({
    allows: { 'style-src': [STYLE_HASH] },
    ...(formOrigin ? { formOrigins: [formOrigin], windows: 'opened' } : {}),
  });
  return { status, body: markup, headers: { ...headers, 'Cache-Control': 'no-store' } };
}
