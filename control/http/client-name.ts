/** Names browser and system, so that users recognise their sessions: `Firefox on Windows`, `curl`. */

const BROWSERS: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
];

const SYSTEMS: [RegExp, string][] = [
  [/\bWindows\b/, 'Windows'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

export function clientName(userAgent: string | undefined): string {
  const text = (userAgent ?? '').slice(0, 500);
  const named = (list: [RegExp, string][]) => list.find(([pattern]) => pattern.test(text))?.[1];
  const browser = named(BROWSERS);
  // A program names itself first: `curl/8.5.0`.
  const program = /^([\w.-]{1,40})\//.exec(text)?.[1];
  const name = browser ?? (program === 'Mozilla' ? undefined : program);
  const system = named(SYSTEMS);
  return [name, system].filter((each) => each !== undefined).join(' on ');
}
