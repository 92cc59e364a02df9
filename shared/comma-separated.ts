/** The entries of a setting that takes several, with commas between them; empty ones are left out. */
export const commaSeparated = (setting: string): string[] => setting.split(',').flatMap((entry) => entry.trim() || []);
