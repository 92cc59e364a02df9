/** Markup whose values are escaped, for pages and emails. */

/** Text that is markup already. */
export interface Html {
  markup: string;
}

/**
 * Makes markup and escapes its values: `html\`<p>${name}</p>\``. Values made with `html`, and lists of them, are inserted as
 * they are.
 */
export function html(parts: TemplateStringsArray, ...values: (string | Html | Html[])[]): Html {
  const written = values.map((value) =>
    typeof value === 'string'
      ? escaped(value)
      : Array.isArray(value)
        ? value.map((each) => each.markup).join('')
        : value.markup,
  );
  return { markup: parts.reduce((text, part, index) => text + part + (written[index] ?? ''), '') };
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign]!);
