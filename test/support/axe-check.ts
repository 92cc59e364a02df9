import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Returns what axe-core finds wrong with the page as it stands: one line for each element. */
export async function axeFaults(page: Page): Promise<string[]> {
  // By `evaluate`, since the page's content security policy lets no other script in.
  await page.evaluate(`window.axe || (() => { ${axe.source} })()`);
  return page.evaluate(`(async () => {
    // What moves in is judged when it has come.
    await Promise.allSettled(document.getAnimations().filter((each) => each.effect?.getComputedTiming().iterations !== Infinity).map((each) => each.finished));
    const { violations } = await axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'],
      resultTypes: ['violations'],
    });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ html, any, all, none }) =>
        [id + ': ' + help, html.slice(0, 200), ...[...any, ...all, ...none].map(({ message }) => message)].join(' | ')));
  })()`);
}
