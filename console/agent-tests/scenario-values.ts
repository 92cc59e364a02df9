import type { TestScenario, TestScenarioDraft } from '../generated/api.ts';

/** A scenario as its form has it: criteria with an empty line to write the next in, and pairs as rows. */

export interface Pair {
  name: string;
  value: string;
}

export interface ScenarioValues {
  name: string;
  persona: string;
  first_message: string;
  user_data: Pair[];
  criteria: string[];
  max_turns: number | null;
  language: string;
  tool_results: Pair[];
}

export const MAX_CRITERIA = 10;
const DEFAULT_TURNS = 12;

export const emptyScenario = (variables: readonly string[]): ScenarioValues => ({
  name: '',
  persona: '',
  first_message: '',
  user_data: variables.map((name) => ({ name, value: '' })),
  criteria: [''],
  max_turns: DEFAULT_TURNS,
  language: '',
  tool_results: [],
});

const pairsOf = (record: Readonly<Record<string, string | number | boolean>>): Pair[] =>
  Object.entries(record).map(([name, value]) => ({ name, value: String(value) }));

/** Returns the form of a scenario, with a row for each variable of the agent that it has no value for. */
export function valuesOf(scenario: TestScenario | TestScenarioDraft, variables: readonly string[]): ScenarioValues {
  const { name, persona, first_message, criteria, max_turns, language, tool_results, user_data } = scenario;
  const missing = variables
    .filter((each) => !Object.hasOwn(user_data, each))
    .map((each) => ({ name: each, value: '' }));
  return {
    ...{ name, persona, first_message, max_turns, language },
    criteria: criteria.length > 0 ? [...criteria] : [''],
    user_data: [...pairsOf(user_data), ...missing],
    tool_results: pairsOf(tool_results),
  };
}

/** Returns what is sent. Numbers and booleans that were not touched stay what they were; empty rows are left out. */
export function draftOf(
  { name, persona, first_message, user_data, criteria, max_turns, language, tool_results }: ScenarioValues,
  before: TestScenarioDraft['user_data'] = {},
): TestScenarioDraft {
  const data = user_data
    .filter((pair) => pair.name.trim() !== '' && pair.value !== '')
    .map((pair): [string, string | number | boolean] => {
      const was = before[pair.name.trim()];
      return [pair.name.trim(), was !== undefined && String(was) === pair.value ? was : pair.value];
    });
  const results = tool_results.filter((pair) => pair.name.trim() !== '').map((pair) => [pair.name.trim(), pair.value]);
  return {
    name,
    persona,
    first_message,
    user_data: Object.fromEntries(data),
    criteria: criteria.filter((each) => each.trim() !== ''),
    max_turns: max_turns ?? DEFAULT_TURNS,
    language: language.trim(),
    tool_results: Object.fromEntries(results),
  };
}

/**
 * Returns the errors with the places of the criteria as the form has them: empty ones are not sent, so that the second that is sent
 * may be the third of the form.
 */
export function criterionErrors(errors: Readonly<Record<string, string>>, criteria: readonly string[]): string[] {
  const sent = criteria.flatMap((each, at) => (each.trim() === '' ? [] : [at]));
  const found = criteria.map(() => '');
  for (const [path, text] of Object.entries(errors)) {
    const at = sent[Number(/^criteria\.(\d+)$/.exec(path)?.[1] ?? Number.NaN)];
    if (at !== undefined) found[at] = text;
  }
  return found;
}
