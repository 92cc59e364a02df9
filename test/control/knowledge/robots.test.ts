import { describe, expect, it } from 'vitest';
import { parseRobots } from '../../../control/knowledge/pages/robots.ts';

const allows = (text: string, path: string) => parseRobots(text, 'antiphon').allows(path);

describe('robots.txt', () => {
  it.each([
    ['', '/a', true],
    ['User-agent: *\nDisallow: /a', '/a/b', false],
    ['User-agent: *\nDisallow: /a', '/b', true],
    ['User-agent: *\nDisallow:', '/a', true],
    ['User-agent: *\nDisallow: /\nAllow: /public', '/public/x', true],
    ['User-agent: *\nDisallow: /page\nAllow: /page', '/page', true],
    ['User-agent: other\nDisallow: /', '/a', true],
    ['User-agent: other\nUser-agent: Antiphon\nDisallow: /', '/a', false],
    ['User-agent: *\nDisallow: /\n\nUser-agent: antiphon\nAllow: /', '/a', true],
    ['User-agent: *\nDisallow: /*.pdf$', '/a/b.pdf', false],
    ['User-agent: *\nDisallow: /*.pdf$', '/a/b.pdf?x', true],
    ['User-agent: *\nDisallow: /a*b*c', '/axxbyyc', false],
    ['User-agent: *\nDisallow: /*?', '/a?b=1', false],
    ['user-agent : *\r\ndisallow : /a # comment', '/a', false],
    ['User-agent: *\nDisallow: /é', '/%C3%A9', false],
    ['Disallow: /', '/a', true],
    ['User-agent: *\nDisallow: /robots.txt', '/robots.txt', true],
  ])('%j lets us read %s: %s', (text, path, expected) => {
    expect(allows(text, path)).toBe(expected);
  });

  it('with a pattern of many stars is matched in one pass', () => {
    const pattern = '/a*'.repeat(600);
    expect(allows(`User-agent: *\nDisallow: ${pattern}b$`, '/a'.repeat(50_000))).toBe(true);
  });
});
