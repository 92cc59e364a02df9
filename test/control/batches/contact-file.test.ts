import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_ROWS, readContactFile } from '../../../control/batches/contact-file.ts';
import { parsePhoneNumber } from '../../../control/batches/contact-number.ts';
import { HttpError, type ValidationItem } from '../../../control/http/errors.ts';

const seed = Number(process.env.PROPERTY_SEED ?? 20_260_101);

const read = (file: string | Buffer, phoneColumn = '', countryCode = '91') =>
  readContactFile(Buffer.from(file as string), { phoneColumn, countryCode });

type Contact = [row: number, number: string, values: (string | null)[]];
const contactsOf = ({ contacts_json }: { contacts_json: string }): Contact[] => JSON.parse(contacts_json);

async function refusal(file: string | Buffer, phoneColumn?: string): Promise<string> {
  try {
    await read(file, phoneColumn);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    const words = typeof error.detail === 'string' ? error.detail : (error.detail as ValidationItem[])[0]!.msg;
    return `${error.status} ${words}`;
  }
  return 'taken';
}

describe('a phone number in a cell', () => {
  it.each([
    ['+919811112222', '91', '+919811112222'],
    ['+91 98111-12222', '91', '+919811112222'],
    ['+44 (20) 7946 0958', '91', '+442079460958'],
    ['9811112222', '91', '+919811112222'],
    ['09811112222', '91', '+919811112222'],
    ['00919811112222', '91', '+919811112222'],
    // A spreadsheet removed the plus.
    ['919811112222', '91', '+919811112222'],
    ['919811112222.0', '91', '+919811112222'],
    ["'+919811112222", '91', '+919811112222'],
    ['tel:+919811112222', '91', '+919811112222'],
    ['\u202a+919811112222\u202c', '91', '+919811112222'],
    ['98111\u00a012222', '91', '+919811112222'],
    ['٩٨١١١١٢٢٢٢', '91', '+919811112222'],
    ['९८१११ १२२२२', '91', '+919811112222'],
    ['۹۸۱۱۱۱۲۲۲۲', '91', '+919811112222'],
    ['９８１１１１２２２２', '91', '+919811112222'],
    ['2025550123', '1', '+12025550123'],
    ['12025550123', '1', '+12025550123'],
    ['07911123456', '44', '+447911123456'],
    ['0612345678', '39', '+390612345678'],
    ['0501234567', '971', '+971501234567'],
    ['6581234567', '65', '+6581234567'],
    ['+9779812345678', '999', '+9779812345678'],
  ])('%j in country %s is %s', (cell, country, number) => {
    expect(parsePhoneNumber(cell, country)).toEqual({ number });
  });

  it.each([
    ['', 'the number is missing'],
    ['  ', 'the number is missing'],
    ['9.19E+11', 'the spreadsheet shortened this number: format the column as text'],
    ['9,19811E+11', 'the spreadsheet shortened this number: format the column as text'],
    ['98111', 'the number of digits is wrong for its country'],
    ['+12', 'the number of digits is wrong for its country'],
    ['+9198111122223333', 'the number of digits is wrong for its country'],
    ['+44 20 7946', 'the number of digits is wrong for its country'],
    ['+0981111222', 'no country has this calling code'],
    ['+9998111122', 'no country has this calling code'],
    ['call me', 'this is not a phone number'],
    ['98111+12222', 'this is not a phone number'],
    ['=1+1', 'this is not a phone number'],
    ['9811112222 / 9811113333', 'the number of digits is wrong for its country'],
  ])('%j is refused', (cell, msg) => {
    expect(parsePhoneNumber(cell, '91')).toEqual({ msg });
  });

  it('is E.164 or refused for any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 30 }),
        fc.constantFrom('91', '1', '44', '39', '999'),
        (cell, code) => {
          const answer = parsePhoneNumber(cell, code);
          if ('number' in answer) expect(answer.number).toMatch(/^\+[1-9][0-9]{6,14}$/);
          else expect(answer.msg).not.toBe('');
        },
      ),
      { seed },
    );
  });
});

describe('a file of contacts', () => {
  it("is parsed with its other columns as variables and a spreadsheet's row numbers", async () => {
    const file = await read(
      'Name, Phone ,Due Date\r\nAsha,9811112222,5 May\r\n\r\nRavi,+919811113333,\r\nAsha again,09811112222,\r\nNobody,12,\r\n',
    );
    expect(file).toMatchObject({
      columns: ['Name', 'Phone', 'Due Date'],
      phone_column: 'Phone',
      keys: ['name', 'due_date'],
      total_rows: 4,
      valid_rows: 2,
      duplicate_rows: 1,
      invalid_rows: 1,
      errors: [{ row: 6, column: 'Phone', msg: 'the number of digits is wrong for its country' }],
    });
    expect(file.preview).toHaveLength(4);
    expect(file.preview[0]).toEqual({ Name: 'Asha', Phone: '9811112222', 'Due Date': '5 May' });
    expect(contactsOf(file)).toEqual([
      [2, '+919811112222', ['Asha', '5 May']],
      [4, '+919811113333', ['Ravi', null]],
    ]);
  });

  const ONE: Contact[] = [[2, '+919811112222', ['Asha']]];
  it.each<[what: string, file: string | Buffer, contacts: Contact[]]>([
    ['a byte order mark', '\ufeffphone,name\n9811112222,Asha\n', ONE],
    ['semicolons', 'phone;name\n9811112222;Asha\n', ONE],
    [
      'semicolons in German, with commas in cells',
      'phone;name\n9811112222;"Asha, A."\n',
      [[2, '+919811112222', ['Asha, A.']]],
    ],
    ['tabs', 'phone\tname\n9811112222\tAsha', ONE],
    ['the old Macintosh', 'phone,name\r9811112222,Asha\r', ONE],
    ["Excel's sep=", 'sep=;\r\nphone;name\r\n9811112222;Asha\r\n', ONE],
    ['quotes', '"phone","name"\n"9811112222","As""ha"""\n', [[2, '+919811112222', ['As"ha"']]]],
    ['a line break in a cell', 'phone,name\n9811112222,"Asha\nRao"\n', [[2, '+919811112222', ['Asha\nRao']]]],
    ['separators in quoted names', '"a;b;c;d",phone\nAsha,9811112222\n', ONE],
    ['a quote in the middle of a cell', 'phone,name\n9811112222,5" screen\n', [[2, '+919811112222', ['5" screen']]]],
    ['empty lines', '\n\nphone,name\n\n,\n9811112222,Asha\n\n', [[6, '+919811112222', ['Asha']]]],
    ['empty columns behind the last', 'phone,name,,\n9811112222,Asha,,\n', ONE],
    ['rows that are too short', 'name,phone,city\nAsha,9811112222\n', [[2, '+919811112222', ['Asha', null]]]],
    ['a column alone', 'phone\n9811112222\n', [[2, '+919811112222', []]]],
    ['the same name twice', 'phone,note,Note\n9811112222,a,b\n', [[2, '+919811112222', ['a', 'b']]]],
    ['Devanagari', 'phone,name\n९८१११ १२२२२,आशा\n', [[2, '+919811112222', ['आशा']]]],
    ['names of JavaScript', 'phone,__proto__,constructor\n9811112222,a,b\n', [[2, '+919811112222', ['a', 'b']]]],
  ])('with %s is accepted', async (_what, file, contacts) => {
    expect(contactsOf(await read(file))).toEqual(contacts);
  });

  it('gives each column a unique name', async () => {
    const file = await read('phone,note,Note,,note_2,x\n9811112222,a,b,c,d,e\n');
    expect(file.columns).toEqual(['phone', 'note', 'Note', 'column 4', 'note_2', 'x']);
    expect(file.keys).toEqual(['note', 'note_2', 'column_4', 'note_2_2', 'x']);
  });

  it('detects the phone column by name, in the order of the list', async () => {
    const both = 'mobile,phone\n9811112222,9811113333\n';
    expect((await read(both)).phone_column).toBe('phone');
    expect((await read(both, 'Mobile')).phone_column).toBe('mobile');
    expect((await read('Contact Number\n9811112222\n')).phone_column).toBe('Contact Number');
    expect((await read('who\n9811112222\n', ' WHO ')).phone_column).toBe('who');
  });

  const utf16 = (text: string, mark: boolean) => Buffer.from(`${mark ? '\ufeff' : ''}${text}`, 'utf16le');
  const many = (rows: number) =>
    `phone\n${Array.from({ length: rows }, (_, at) => `98${String(at).padStart(8, '0')}`).join('\n')}\n`;
  it.each<[what: string, file: string | Buffer, message: string]>([
    ['nothing', '', '422 the file is empty'],
    ['empty lines', '\r\n\n,,\n', '422 the file is empty'],
    ['a header alone', 'phone,name\n', '422 the file has a header and no rows'],
    [
      'no valid row',
      'phone\n9.19E+11\nx\n',
      '422 no row is valid; row 2: the spreadsheet shortened this number: format the column as text',
    ],
    [
      'too many cells',
      'phone,a\n9811112222,a,b\n',
      '422 no row is valid; row 2: the row has more cells than the header',
    ],
    [
      'too long a value',
      `phone,a\n9811112222,${'x'.repeat(2_001)}\n`,
      '422 no row is valid; row 2: a value has at most 2000 characters',
    ],
    ['UTF-16 with a mark', utf16('phone\n9811112222\n', true), '422 the file is in UTF-16: save it as CSV in UTF-8'],
    ['UTF-16 without one', utf16('phone\n9811112222\n', false), '422 the file is in UTF-16: save it as CSV in UTF-8'],
    [
      'UTF-16, big end first',
      utf16('phone\n9811112222\n', true).swap16(),
      '422 the file is in UTF-16: save it as CSV in UTF-8',
    ],
    [
      'Latin-1',
      Buffer.from('phone,name\n9811112222,Jos\u00e9\n', 'latin1'),
      '422 the file is not in UTF-8: save it as CSV in UTF-8',
    ],
    ['NUL bytes', 'phone,name\n9811112222,A\0sha\n', '415 only CSV files'],
    ['a workbook', Buffer.from('504b0304140006000800', 'hex'), '415 only CSV files'],
    ['a PDF', '%PDF-1.7\nphone\n', '415 only CSV files'],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), '415 only CSV files'],
    ['an open quote', 'phone,name\n9811112222,"Asha\n', '422 a quotation mark is never closed, at or after row 2'],
    [
      'no phone column',
      'name\nAsha\n',
      '422 no column is called phone, phone_number, to_number, number, mobile, contact_number: send phone_column',
    ],
    [
      'no header',
      '9811112222,Asha\n',
      '422 no column is called phone, phone_number, to_number, number, mobile, contact_number: send phone_column',
    ],
    ['too many columns', `phone${',x'.repeat(101)}\n9811112222\n`, '422 the file has more than 101 columns'],
    [
      'too long a name',
      `phone,${'x'.repeat(65)}\n9811112222,a\n`,
      `422 a column's name has at most 64 characters: ${'x'.repeat(40)}…`,
    ],
    ['10,001 rows', many(MAX_ROWS + 1), '422 the file has more than 10000 rows'],
    ['lines without end', `phone\n${'\n'.repeat(200_000)}9811112222\n`, '422 the file has too many empty lines'],
    [
      'a record without end',
      `phone,name\n9811112222,"${'x'.repeat(300_000)}"\n`,
      '422 row 2 is too long: is a quotation mark not closed?',
    ],
  ])('of %s is refused with a message', async (_what, file, message) => {
    expect(await refusal(file)).toBe(message);
  });

  it('is refused when the requested column is missing', async () => {
    expect(await refusal('phone\n9811112222\n', 'tel')).toBe('422 no such column');
  });

  it('may have 10,000 rows, and reports the first 100 errors', async () => {
    expect((await read(many(MAX_ROWS))).valid_rows).toBe(MAX_ROWS);
    const wrong = await read(`phone\n9811112222\n${'x\n'.repeat(150)}`);
    expect([wrong.invalid_rows, wrong.errors.length]).toEqual([150, 100]);
  });

  it('does not block the event loop while it is parsed', async () => {
    let turns = 0;
    let reading = true;
    const takeTurn = () => {
      turns++;
      if (reading) setImmediate(takeTurn);
    };
    setImmediate(takeTurn);
    const rows = Array.from({ length: MAX_ROWS }, (_, at) => `98${String(at).padStart(8, '0')},${'x'.repeat(200)}`);
    await read(`phone,a\n${rows.join('\n')}`);
    reading = false;
    expect(turns).toBeGreaterThan(40);
  });

  it('fails only with a message, and counts every row once', async () => {
    const cell = fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom('9811112222', '+919811112222', '"', '""', '\n', '\r\n', ';', '\t', ',', '=1+1', ' '),
    );
    const text = fc
      .tuple(
        fc.constantFrom('phone,name', 'Phone;x', 'number\ta', 'a,b', ''),
        fc.array(fc.array(cell), { maxLength: 8 }),
      )
      .map(([header, rows]) => `${header}\n${rows.map((row) => row.join(',')).join('\n')}`);
    const any = fc.oneof(
      text.map((each) => Buffer.from(each)),
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    );
    await fc.assert(
      fc.asyncProperty(any, async (file) => {
        const message = await refusal(file);
        if (message !== 'taken') {
          expect(message).toMatch(/^4(15|22) ./);
          return;
        }
        const found = await read(file);
        const contacts = contactsOf(found);
        expect(contacts).toHaveLength(found.valid_rows);
        expect(found.valid_rows + found.duplicate_rows + found.invalid_rows).toBe(found.total_rows);
        expect(new Set(contacts.map(([, number]) => number)).size).toBe(contacts.length);
        for (const [, , values] of contacts) expect(values).toHaveLength(found.keys.length);
      }),
      { seed, numRuns: 300 },
    );
  });
});
