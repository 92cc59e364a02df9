import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { type Choice, getMasters, type Masters } from '../generated/api.ts';
import { countryText } from '../numbers/number-texts.ts';
import { serviceText } from '../texts/service-text.ts';
import { language } from '../texts/texts.ts';

/** The lists of forms, in the language of the person; they do not change while the page is open. */
export const useReferenceData = () =>
  useQuery({
    queryKey: ['masters'],
    queryFn: ({ signal }) => ok(getMasters({}, { signal })),
    select: referenceTexts,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Puts the names of choices into the language of the person; countries are in its order. */
export function referenceTexts(lists: Masters): Masters {
  const texts = (choices: Choice[]) => choices.map(({ id, name }) => ({ id, name: serviceText(name) }));
  return {
    ...lists,
    business_types: texts(lists.business_types),
    industries: texts(lists.industries),
    use_cases: texts(lists.use_cases),
    team_sizes: texts(lists.team_sizes),
    document_kinds: texts(lists.document_kinds),
    countries: lists.countries
      .map(({ id }) => ({ id, name: countryText(id) }))
      .toSorted((one, other) => one.name.localeCompare(other.name, language())),
  };
}
