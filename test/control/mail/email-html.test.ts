import { describe, expect, it } from 'vitest';
import { emailHtml } from '../../../control/mail/email-html.ts';

const bodyOf = (text: string, subject = 'Hello') => {
  const html = emailHtml({ subject, text });
  return html
    .slice(html.indexOf('</h1>') + 5, html.indexOf('</div>'))
    .replace(/ style="[^"]*"/g, '')
    .trim();
};

describe('the HTML of an email', () => {
  it('has the paragraphs and lines of the text, its addresses as links, and its facts as a table', () => {
    expect(bodyOf('Hello,\nAsha\n\nsee https://x.example/?a=1&b=2.\n\nNumber: 1\nTotal: ₹5')).toBe(
      '<p>Hello,<br>Asha</p>\n' +
        '<p>see <a href="https://x.example/?a=1&amp;b=2">https://x.example/?a=1&amp;b=2</a>.</p>\n' +
        '<table><tr><th>Number</th><td>1</td></tr><tr><th>Total</th><td>₹5</td></tr></table>',
    );
  });

  it('escapes what people chose, and loads nothing', () => {
    const html = emailHtml({ subject: '</title><b>', text: '<img src=x> javascript:alert(1) https://x/"onclick="y' });
    expect(html).not.toMatch(/<b>|<img|onclick="|url\(|<link|<script/);
    expect(html).toContain('&lt;img src=x&gt; javascript:alert(1) <a href="https://x/">https://x/</a>&quot;onclick=');
  });
});
