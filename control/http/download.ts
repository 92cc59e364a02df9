/**
 * Headers of a file that is not to be opened on our own pages: `Content-Disposition` with the name twice, as RFC 6266 advises:
 * plain for old programs, and whole (RFC 8187).
 */
export function downloadHeaders(fileName: string): Record<string, string> {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const whole = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return {
    'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${whole}`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  };
}
