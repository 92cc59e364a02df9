import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Tags of rules, or names of some: https://www.deque.com/axe/core-documentation/api-documentation/#options-parameter */
const RULES = {
  all: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] },
  colours: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
};

/** Returns what axe-core finds wrong with the page as it stands: one line for each element. `colours` are what a theme changes. */
export async function axeFaults(page: Page, rules: 'all' | 'colours' = 'all'): Promise<string[]> {
  // By `evaluate`, since the page's content security policy lets no other script in.
  await page.evaluate(`window.axe || (() => { ${axe.source} })()`);
  return page.evaluate(`(async () => {
    // What moves in is judged when it has come.
    await Promise.allSettled(document.getAnimations().filter((each) => each.effect?.getComputedTiming().iterations !== Infinity).map((each) => each.finished));
    const { violations } = await axe.run(document, {
      runOnly: ${JSON.stringify(RULES[rules])},
      resultTypes: ['violations'],
    });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, any, all, none }) =>
        [id + ': ' + help, html.slice(0, 200), ...[...any, ...all, ...none].map(({ message }) => message)].join(' | ')));
  })()`);
}
