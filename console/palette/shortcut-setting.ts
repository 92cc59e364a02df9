const KEY = 'antiphon.shortcuts';

/** Whether keys without a modifier do something; people who speak to their machine may turn them off. */
export function shortcutsEnabled(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off';
  } catch {
    // Storage may be forbidden.
    return true;
  }
}

export function enableShortcuts(enabled: boolean): void {
  try {
    if (enabled) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, 'off');
  } catch {
    // Without storage they stay on.
  }
}
