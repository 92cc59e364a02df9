import { type Html, html } from '../http/html.ts';

/** The HTML part of an email, made of its text: the same words, nothing loaded from elsewhere. */

const STYLE = {
  page: 'margin:0;padding:24px 12px;background:#f3f5f7;font:16px/1.55 system-ui,-apple-system,Segoe UI,Roboto,sans-serif;color:#1c2733',
  card: 'max-width:34rem;margin:0 auto;padding:28px;background:#ffffff;border:1px solid #dfe4e9;border-radius:10px',
  heading: 'margin:0 0 16px;font-size:20px;line-height:1.3',
  paragraph: 'margin:0 0 16px;overflow-wrap:anywhere',
  table: 'margin:0 0 16px;border-collapse:collapse',
  label: 'padding:4px 24px 4px 0;color:#5b6875;text-align:left;vertical-align:top;font-weight:400;white-space:nowrap',
  value: 'padding:4px 0;overflow-wrap:anywhere',
};

/** Paragraphs are divided by empty lines; one of which every line is `Label: value` becomes a table; addresses become links. */
export function emailHtml({ subject, text }: { subject: string; text: string }): string {
  const paragraphs = text.split(/\n{2,}/).filter((paragraph) => paragraph.trim() !== '');
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${subject}</title></head>
<body style="${STYLE.page}"><div style="${STYLE.card}"><h1 style="${STYLE.heading}">${subject}</h1>
${paragraphs.map(paragraphHtml)}
</div></body>
</html>
`.markup;
}

function paragraphHtml(paragraph: string): Html {
  const lines = paragraph.trim().split('\n');
  const facts = lines.map((line) => /^([A-Z][\w ]{0,30}): (.+)$/.exec(line));
  if (facts.length > 1 && facts.every((fact) => fact !== null)) {
    const row = ([, label = '', value = '']: RegExpExecArray) =>
      html`<tr><th style="${STYLE.label}">${label}</th><td style="${STYLE.value}">${linked(value)}</td></tr>`;
    return html`<table style="${STYLE.table}">${facts.map(row)}</table>
`;
  }
  const broken = lines.map((line, index) => (index === 0 ? html`${linked(line)}` : html`<br>${linked(line)}`));
  return html`<p style="${STYLE.paragraph}">${broken}</p>
`;
}

function linked(text: string): Html[] {
  const parts = text.split(/(https?:\/\/[^\s<>"]+[^\s<>".,;:)])/);
  return parts.map((part, index) => (index % 2 === 1 ? html`<a href="${part}">${part}</a>` : html`${part}`));
}
