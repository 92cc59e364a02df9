import type { RequestOpts } from '@oazapfts/runtime';

/** A function of `generated/api.ts` with its arguments, such as `(opts) => postTools(body, opts)`. */
export type ApiCall = (opts: RequestOpts) => Promise<unknown>;

/** Returns the request as a command line with `curl`; nothing is sent. The key is left to be filled in. */
export async function curlOf(call: ApiCall, origin: string): Promise<string> {
  let seen: { url: string; init: RequestInit } | undefined;
  const look = async (input: RequestInfo | URL, init: RequestInit = {}) => {
    seen = { url: String(input), init };
    return new Response('{}', { headers: { 'content-type': 'application/json' } });
  };
  await call({ fetch: look as typeof fetch });
  const { url, init } = seen!;
  const method = init.method ?? 'GET';
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(new URL(url, origin).href)}`,
    `-H 'Authorization: Bearer YOUR_API_KEY'`,
  ];
  if (typeof init.body === 'string') lines.push(`-H 'Content-Type: application/json'`, `-d ${quoted(init.body)}`);
  else if (init.body instanceof FormData) lines.push(...[...init.body].map(formPart));
  return lines.join(' \\\n  ');
}

const formPart = ([name, value]: [string, FormDataEntryValue]): string =>
  `-F ${quoted(`${name}=${typeof value === 'string' ? value : `@${value.name}`}`)}`;

/** Quoted for a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
