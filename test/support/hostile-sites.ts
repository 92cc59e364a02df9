import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** Web pages made to harm whoever reads them. */

const MB = 1024 * 1024;

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;
export const html = { 'content-type': 'text/html' };
export const ends =
  (status: number, headers: Record<string, string> = {}, body: string | Buffer = ''): Answer =>
  (_request, response) =>
    response.writeHead(status, headers).end(body);
/** Sends parts for as long as somebody listens. */
const endless =
  (part: string): Answer =>
  (_request, response) => {
    response.writeHead(200, html);
    const send = () => {
      while (!response.destroyed && response.write(part));
    };
    response.on('drain', send);
    send();
  };

/** What the site does, its page, and how reading it ends: a reason, or `read`. */
export const HOSTILE_SITES: [does: string, page: Answer, expected: string | RegExp][] = [
  ['sends a page without end', endless('<p>word '.repeat(1_000)), 'the page is larger than 5 MB'],
  ['sends nothing', () => {}, 'its server takes longer than 15 seconds'],
  [
    'sends a byte now and then',
    (_request, response) => void response.writeHead(200, html).write('<html>'),
    'its server takes longer than 15 seconds',
  ],
  ['breaks the connection', (request) => request.socket.destroy(), 'the connection to its server broke'],
  [
    'breaks off in the middle',
    (_request, response) => {
      response.writeHead(200, { ...html, 'content-length': '1000' });
      response.write('<html>', () => response.destroy());
    },
    'the connection to its server broke',
  ],
  ['redirects to itself', ends(302, { location: '/' }), 'it redirects more than 3 times'],
  [
    'redirects to this machine',
    ends(302, { location: 'http://127.0.0.2/' }),
    'its address is not on the public internet',
  ],
  [
    'redirects to a cloud’s metadata',
    ends(302, { location: 'http://169.254.169.254/latest' }),
    'its address is not on the public internet',
  ],
  [
    'redirects to a private network',
    ends(307, { location: 'http://10.0.0.1/' }),
    'its address is not on the public internet',
  ],
  [
    'redirects to an address in IPv6',
    ends(302, { location: 'http://[::ffff:10.0.0.1]/' }),
    'its address is not on the public internet',
  ],
  [
    'redirects to a file',
    ends(302, { location: 'file:///etc/passwd' }),
    'it redirects to an address that cannot be followed',
  ],
  ['redirects nowhere', ends(302), 'it redirects to an address that cannot be followed'],
  [
    'sends a gzip bomb',
    ends(200, { ...html, 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(50 * MB))),
    'the page is larger than 5 MB',
  ],
  ['sends broken gzip', ends(200, { ...html, 'content-encoding': 'gzip' }, 'not gzip'), 'its compression is broken'],
  [
    'compresses in its own way',
    ends(200, { ...html, 'content-encoding': 'x-own' }, 'x'),
    'its compression is not supported',
  ],
  [
    'sends a picture as a page',
    ends(200, html, Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\0\0', 'latin1')),
    /neither a page/,
  ],
  ['sends JSON', ends(200, { 'content-type': 'application/json' }, '{}'), /neither a page.*application\/json/],
  ['says 304 to who knows nothing', ends(304), 'its server answered 304'],
  ['always fails', ends(500), 'its server answered 500'],
  [
    'has a page nested without end',
    ends(200, html, `<html>${'<div>'.repeat(500_000)}`),
    'the page is nested too deeply',
  ],
  ['has a script that never ends', ends(200, html, '<html><script>for(;;);</script>Words'), 'read'],
  ['has a page without words', ends(200, html, '<html></html>'), 'read'],
];
