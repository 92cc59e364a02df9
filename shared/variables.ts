/** `{name}` in a welcome message or prompt is replaced by a value of the call's `user_data`. */
const VARIABLE = /\{([a-zA-Z_][a-zA-Z0-9_]{0,63})\}/g;

export const VARIABLE_NAME = /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/;

/** The variables of the texts, each once, in order of first use. */
export function variablesOf(...texts: string[]): string[] {
  const names = new Set<string>();
  for (const text of texts) for (const match of text.matchAll(VARIABLE)) names.add(match[1]!);
  return [...names];
}

/** A variable without a value becomes empty. */
export function fillVariables(text: string, values: Record<string, string | number | boolean>): string {
  return text.replace(VARIABLE, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? '' : String(value);
  });
}
