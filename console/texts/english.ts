/** As `t` of `texts.ts`. Parts that the embedded button has too take it as an argument, since catalogues would make it heavy. */
export type Translate = (text: string, values?: Record<string, string | number>) => string;

export const english: Translate = (text, values = {}) =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (_whole, name: string) => String(values[name] ?? ''));
