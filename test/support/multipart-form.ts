/** A part of a `multipart/form-data` body for injected requests. */

export interface FormPart {
  name: string;
  value: Buffer | string;
  /** The part is a file with this name. */
  file_name?: string;
}

export function multipartForm(parts: readonly FormPart[]): { payload: Buffer; headers: Record<string, string> } {
  const chunks = parts.flatMap(({ name, value, file_name }) => {
    const file = file_name === undefined ? '' : `; filename="${file_name}"\r\nContent-Type: application/octet-stream`;
    const head = `--a line\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value as string), Buffer.from('\r\n')];
  });
  return {
    payload: Buffer.concat([...chunks, Buffer.from('--a line--\r\n')]),
    headers: { 'content-type': 'multipart/form-data; boundary="a line"' },
  };
}
