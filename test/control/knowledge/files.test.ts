import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectDatabase } from '../../../control/db/connect.ts';
import { createDocumentReader } from '../../../control/knowledge/documents/document-reader.ts';
import { type FailedSource, processSources } from '../../../control/knowledge/process-sources.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { type Client, request, startTestApi, type TestApi } from '../../support/control-app.ts';
import { documentReaderHere } from '../../support/document-reader-here.ts';
import { docxOf, docxParagraph, docxXml, pdfOf, zipOf } from '../../support/documents.ts';
import { multipartForm } from '../../support/multipart-form.ts';

const log = createLogger('control', 'silent');
let api: TestApi;
let acme: Client;
let base: string;

beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(async () => {
  acme = await api.newWorkspace();
  base = (await acme.send('POST', '/knowledge-bases', { name: 'Hotel' })).body.id;
});

const upload = (content: Buffer | string, file_name: string, to = base) => {
  const form = multipartForm([{ name: 'file', value: content, file_name }]);
  const url = `/api/v1/knowledge-bases/${to}/sources/file`;
  return request(api.http, {
    method: 'POST',
    url,
    headers: { 'x-api-key': acme.key, ...form.headers },
    payload: form.payload,
  });
};
const deps = () => ({ sql: api.sql, clock: systemClock, log, embedder: null });
const process = () => processSources({ ...deps(), reader: documentReaderHere });
const sources = async () => (await acme.send('GET', `/knowledge-bases/${base}`)).body.sources;
const files = () => api.sql`select 1 from knowledge_files where workspace_id = ${acme.workspace_id}`;
const found = async (query: string) =>
  (await acme.send('POST', `/knowledge-bases/${base}/search`, { query })).body.items.map(
    ({ text }: { text: string }) => text,
  );

const BREAKFAST = 'Breakfast is served from seven to ten.';

describe('an uploaded file', () => {
  it('is queued with its name and size, and its text is found once it is read', async () => {
    const pdf = await pdfOf([BREAKFAST, 'The pool closes at nine.']);
    const added = await upload(pdf, 'Guide.pdf');
    expect(added).toMatchObject({
      status: 201,
      body: {
        kind: 'file',
        status: 'queued',
        name: 'Guide.pdf',
        file_name: 'Guide.pdf',
        size_bytes: pdf.length,
        url: '',
      },
    });
    // This one in a process of its own, as in service.
    await processSources(deps());
    expect(await sources()).toMatchObject([{ status: 'ready', error: '', passages: 1 }]);
    expect(await found('breakfast')).toEqual([expect.stringContaining(BREAKFAST)]);
  });

  it.each([
    ['a.docx', () => docxOf([BREAKFAST])],
    ['a.txt', () => Buffer.from(BREAKFAST)],
    ['no extension', () => Buffer.from(BREAKFAST)],
    ['a.md', () => Buffer.from(`# Meals\n\n${BREAKFAST}`)],
    ['a.html', () => Buffer.from(`<p>${BREAKFAST}<script>alert('breakfast')</script>`)],
    ['a.csv', () => Buffer.from(`meal,hours\nbreakfast,"${BREAKFAST}"\n`)],
    ['a.txt', () => Buffer.from(`\ufeff${BREAKFAST}`, 'utf16le')],
  ])('%s is read', async (name, content) => {
    expect((await upload(await content(), name)).status).toBe(201);
    await process();
    expect(await sources()).toMatchObject([{ status: 'ready', error: '' }]);
    expect(await found('breakfast')).toEqual([expect.stringContaining(BREAKFAST)]);
    expect((await found('alert')).length).toBe(0);
  });

  it('is dropped once its text is read, and is processed again from its text', async () => {
    const { id } = (await upload(docxOf([BREAKFAST]), 'a.docx')).body;
    expect(await files()).toHaveLength(1);
    await process();
    expect(await files()).toHaveLength(0);
    expect((await acme.send('POST', `/knowledge-bases/${base}/sources/${id}/reprocess`)).status).toBe(202);
    await process();
    expect(await sources()).toMatchObject([{ status: 'ready', passages: 1 }]);
  });

  it('has the kind of its content, not of its name', async () => {
    expect((await upload(await pdfOf([BREAKFAST]), 'a.txt')).status).toBe(201);
    await process();
    expect(await found('breakfast')).toEqual([expect.stringContaining(BREAKFAST)]);
  });

  it.each([
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), 'a.txt'],
    ['a picture called PDF', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), 'a.pdf'],
    ['text called PDF', Buffer.from('hello'), 'a.pdf'],
    ['a spreadsheet', zipOf([{ name: 'xl/workbook.xml', content: '<x/>' }]), 'a.docx'],
    ['an old Word file', Buffer.from('d0cf11e0a1b11ae1000000', 'hex'), 'a.doc'],
    ['a program', Buffer.from('#!/bin/sh\necho'), 'a.sh'],
    ['XML', Buffer.from('<?xml version="1.0"?><a/>'), 'a.txt'],
  ])('is refused when it is %s', async (_what, content, name) => {
    const refused = await upload(content, name);
    expect(refused).toMatchObject({ status: 415, body: { detail: 'only PDF, TXT, MD, HTML or CSV files' } });
  });

  it('is refused when it is larger than 20 MB, empty or missing', async () => {
    const large = await upload(Buffer.alloc(20 * 1024 * 1024 + 1, 'a '), 'a.txt');
    expect(large).toMatchObject({ status: 413, body: { detail: 'the file is larger than 20 MB' } });
    expect((await upload('', 'a.txt')).status).toBe(422);
    const form = multipartForm([{ name: 'other', value: 'x' }]);
    const url = `/api/v1/knowledge-bases/${base}/sources/file`;
    const headers = { 'x-api-key': acme.key, ...form.headers };
    const missing = await request(api.http, { method: 'POST', url, headers, payload: form.payload });
    expect(missing).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'file'] }] } });
  });

  it('writes an audit event', async () => {
    await upload(BREAKFAST, 'a.txt');
    const [event] = await api.sql`
      select action, data from audit_events where workspace_id = ${acme.workspace_id} order by id desc limit 1`;
    expect(event).toMatchObject({ action: 'source.added', data: { kind: 'file', file_name: 'a.txt' } });
  });

  it('fails when its base would be too long, and is read when texts are removed', async () => {
    const text = 'word '.repeat(99_999);
    const ids: string[] = [];
    for (let n = 0; n < 10; n++) {
      const body = { name: 'T', text: `${text}${n}` };
      ids.push((await acme.send('POST', `/knowledge-bases/${base}/sources/text`, body)).body.id);
    }
    const { id } = (await upload('word '.repeat(3_000), 'a.txt')).body;
    await api.sql`update knowledge_sources set status = 'ready' where id = any(${ids})`;
    await process();
    expect((await sources())[0]).toMatchObject({ status: 'failed', error: 'character limit reached (5000000)' });
    await acme.send('DELETE', `/knowledge-bases/${base}/sources/${ids[0]}`);
    await acme.send('POST', `/knowledge-bases/${base}/sources/${id}/reprocess`);
    await process();
    expect((await sources())[0]).toMatchObject({ status: 'ready', error: '' });
  });

  it('is queued again when the reader is closed meanwhile', async () => {
    await upload(await pdfOf([BREAKFAST]), 'a.pdf');
    const reader = createDocumentReader({ clock: systemClock, log });
    const processing = processSources({ ...deps(), reader });
    reader.close();
    await processing;
    expect(await sources()).toMatchObject([{ status: 'queued', error: '' }]);
    expect(await files()).toHaveLength(1);
  });

  describe('whose processing throws', () => {
    const reader = { read: async () => Promise.reject(new Error('a defect')), close: () => {} };

    it('is tried again and fails at last, and those after it are processed in the same round', async () => {
      const { id } = (await upload(BREAKFAST, 'a.txt')).body;
      await acme.send('POST', `/knowledge-bases/${base}/sources/text`, { name: 'Pool', text: 'It closes at nine.' });
      const failed: FailedSource[] = [];
      const onFailed = (source: FailedSource) => failed.push(source);
      const state = async () => (await sources()).find((source: { id: string }) => source.id === id);
      let nowMs = Date.now() + 1_000;
      const clock = { ...systemClock, wall: () => nowMs };
      for (let time = 1; time <= 5; time++) {
        await processSources({ ...deps(), clock, reader, onFailed });
        const error = expect.stringMatching(/^it could not be processed: /);
        expect(await state()).toMatchObject({ status: time < 5 ? 'queued' : 'failed', error });
        nowMs += 600_000;
      }
      expect((await sources()).map(({ status }: { status: string }) => status).sort()).toEqual(['failed', 'ready']);
      const ended = failed.filter(({ source_id }) => source_id === id);
      expect(ended).toMatchObject([{ tries: 5, reason: 'error' }]);
      // It may be processed by a later release.
      await acme.send('POST', `/knowledge-bases/${base}/sources/${id}/reprocess`);
      await process();
      expect(await state()).toMatchObject({ status: 'ready', error: '' });
    });

    it('ends the round when it cannot be finished either', async () => {
      await upload(BREAKFAST, 'a.txt');
      const pool = connectDatabase({ url: api.databaseUrl, max: 1 });
      const away = { read: async () => pool.end({ timeout: 0 }).then(reader.read), close: () => {} };
      await expect(processSources({ ...deps(), sql: pool, reader: away })).rejects.toMatchObject({
        code: 'CONNECTION_ENDED',
      });
      expect(await sources()).toMatchObject([{ status: 'processing', error: '' }]);
    });
  });
});

describe('the text of', () => {
  const read = async (content: Buffer, name: string) => {
    await upload(content, name);
    await process();
    const [row] = await api.sql<{ text: string }[]>`
      select text from knowledge_sources where workspace_id = ${acme.workspace_id} order by id desc limit 1`;
    return row!.text;
  };

  it('a table names the column of each cell', async () => {
    const text = await read(Buffer.from('Room;Price\nDouble;90\nSuite;"150; breakfast"\n'), 'rooms.csv');
    expect(text).toBe('Room: Double; Price: 90\nRoom: Suite; Price: 150; breakfast');
  });

  it('a DOCX has its tables and notes, and nothing that was deleted', async () => {
    const cell = (word: string) => `<w:tc>${docxParagraph(word)}</w:tc>`;
    const deleted = '<w:p><w:del><w:r><w:delText>no</w:delText></w:r></w:del><w:r><w:t>yes</w:t></w:r></w:p>';
    const body = `${deleted}<w:tbl><w:tr>${cell('Room')}${cell('90 &amp; up')}</w:tr></w:tbl>`;
    const notes = docxXml(docxParagraph('A note'));
    const file = zipOf([
      { name: 'word/document.xml', content: docxXml(body) },
      { name: 'word/footnotes.xml', content: notes },
    ]);
    expect(await read(file, 'a.docx')).toBe('yes\nRoom | 90 & up |\n\nA note');
  });

  it('a page leaves out navigation and what is hidden, and prefers its main part', async () => {
    const main = `<main><h1>Rooms</h1>${'<p>All rooms face the sea.</p>'.repeat(10)}</main>`;
    const page = `<html><title>Hotel</title><nav>Home</nav><div hidden>secret</div>${main}<footer>Imprint</footer></html>`;
    const text = await read(Buffer.from(page), 'a.html');
    expect(text).toMatch(/^Rooms\n/);
    expect(text).not.toMatch(/Home|secret|Imprint|Hotel/);
  });

  it('a page is decoded by the charset that it declares', async () => {
    const page = Buffer.from('<html><meta charset="iso-8859-1"><p>Caf\xe9 cr\xe8me</p>', 'latin1');
    expect(await read(page, 'a.html')).toBe('Café crème');
  });
});
