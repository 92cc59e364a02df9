/** Light or dark: what the person chose in this browser, or what the system has. */

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const THEME_KEY = 'antiphon.theme';

/** Reads a stored choice; anything odd is the system's. */
export const themeOf = (stored: string | null): Theme => THEMES.find((theme) => theme === stored) ?? 'system';

export function chosenTheme(): Theme {
  try {
    return themeOf(localStorage.getItem(THEME_KEY));
  } catch {
    // Storage may be forbidden.
    return 'system';
  }
}

/** Draws the page in the theme; the style sheet knows it by `data-theme`. Called before anything is drawn. */
export function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  try {
    if (theme === 'system') localStorage.removeItem(THEME_KEY);
    else localStorage.setItem(THEME_KEY, theme);
  } catch {
    // Without storage it lasts until the page is closed.
  }
}
