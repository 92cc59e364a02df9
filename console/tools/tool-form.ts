import type { Tool } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { objectOf, type ParameterTable, type Schema, schemaOf, tableOf } from './tool-schema.ts';

/** What the editor of a tool holds, and the tool that the API takes. */

export interface HeaderRow {
  name: string;
  /** A secret: it is covered on the page. */
  value: string;
}

export type Parameters = ({ as: 'table' } & ParameterTable) | { as: 'json'; text: string };

export interface ToolValues {
  kind: 'http' | 'client';
  name: string;
  description: string;
  method: 'GET' | 'POST';
  url: string;
  headers: readonly HeaderRow[];
  parameters: Parameters;
  pre_call_message: string;
  timeout_seconds: number | null;
  result_path: string;
  /** Names of variables and their paths. */
  result_variables: readonly { name: string; path: string }[];
  result_message: string;
}

export interface ToolFieldsProps {
  values: ToolValues;
  onChange: <Name extends keyof ToolValues>(name: Name, value: ToolValues[Name]) => void;
  /** By the path within the tool, such as `url` or `headers.Authorization`. */
  errors: Readonly<Record<string, string>>;
}

/** A tool as agents and the list of saved tools have it. */
export type ToolBody = Pick<
  Tool,
  | 'kind'
  | 'name'
  | 'description'
  | 'method'
  | 'url'
  | 'headers'
  | 'parameters'
  | 'pre_call_message'
  | 'timeout_seconds'
  | 'results'
>;

export const NEW_TOOL: ToolValues = {
  ...{ kind: 'http', name: '', description: '', method: 'POST', url: '', pre_call_message: '' },
  ...{ headers: [], parameters: { as: 'table', rows: [], rest: {} }, timeout_seconds: 8 },
  ...{ result_path: '', result_variables: [], result_message: '' },
};

export function valuesOf(tool: ToolBody): ToolValues {
  const { kind, name, description, method, url, pre_call_message, timeout_seconds } = tool;
  return {
    ...{ kind, name, description, method, url, pre_call_message, timeout_seconds },
    headers: Object.entries(tool.headers).map(([header, value]) => ({ name: header, value })),
    parameters: parametersOf(tool.parameters),
    result_path: tool.results.path,
    result_variables: Object.entries(tool.results.variables).map(([variable, path]) => ({ name: variable, path })),
    result_message: tool.results.message,
  };
}

/** A table where that can show all of it. */
export function parametersOf(schema: Schema): Parameters {
  const table = tableOf(schema);
  return table ? { as: 'table', ...table } : { as: 'json', text: JSON.stringify(schema, null, 2) };
}

/** The JSON Schema; null when the text is not JSON. */
export const schemaIn = (parameters: Parameters): Schema | null =>
  parameters.as === 'table' ? schemaOf(parameters) : objectOf(parameters.text);

export function bodyOf(values: ToolValues): Omit<ToolBody, 'timeout_seconds'> & { timeout_seconds?: number } {
  const { headers, parameters, timeout_seconds, result_path, result_variables, result_message, ...same } = values;
  const variables = result_variables.filter(({ name }) => name.trim() !== '');
  const named = headers.filter(({ name }) => name.trim() !== '');
  return {
    ...same,
    url: values.url.trim(),
    name: values.name.trim(),
    headers: Object.fromEntries(named.map(({ name, value }) => [name.trim(), value])),
    parameters: schemaIn(parameters) ?? {},
    results: {
      path: result_path.trim(),
      variables: Object.fromEntries(variables.map(({ name, path }) => [name.trim(), path.trim()])),
      message: result_message,
    },
    ...(timeout_seconds !== null && { timeout_seconds }),
  };
}

/** Returns what the page itself sees wrong, by field; the API checks everything else. */
export function valueErrors({ headers, parameters }: ToolValues): Record<string, string> {
  const errors: Record<string, string> = {};
  if (schemaIn(parameters) === null) errors.parameters = t('This is not a JSON object.');
  const names = parameters.as === 'table' ? parameters.rows.map(({ name }) => name.trim()) : [];
  const twice = repeated(names);
  if (twice !== '') errors.parameters = t('Two parameters are called {{name}}.', { name: twice });
  const header = repeated(headers.map(({ name }) => name.trim().toLowerCase()));
  if (header !== '') errors.headers = t('Two headers are called {{name}}.', { name: header });
  return errors;
}

const repeated = (names: readonly string[]): string =>
  names.find((name, at) => name !== '' && names.indexOf(name) !== at) ?? '';
