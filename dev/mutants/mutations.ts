import { parseSync } from 'vite';

/** One small change of a source file that a test should notice. */
export interface Mutation {
  start: number;
  end: number;
  /** What stands there in its place; '' for a statement that is left out. */
  text: string;
  kind: 'expression' | 'statement';
}

/** A node of the parser's tree (ESTree with TypeScript), positions in characters. */
interface Node {
  type: string;
  start: number;
  end: number;
  operator?: string;
  [field: string]: unknown;
}

const OPERATORS: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
};

/**
 * Returns every mutation of a TypeScript source: comparisons at their boundary and turned round, arithmetic, `and` for `or`,
 * conditions turned round, `true` for `false`, `min` for `max`, and statements left out, but for what is logged. Throws on a
 * syntax error.
 */
export function mutationsOf(source: string): Mutation[] {
  const { program, errors } = parseSync('source.ts', source);
  if (errors.length > 0) throw new Error(errors[0]!.message);
  const found: Mutation[] = [];
  visit(program as unknown as Node, source, (node) => found.push(...mutationsAt(node, source)));
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

function visit(node: Node, source: string, see: (node: Node) => void): void {
  // Types are erased before anything runs.
  if (/^TS(?!AsExpression|NonNullExpression|SatisfiesExpression)/.test(node.type)) return;
  if (isLogStatement(node, source)) return;
  see(node);
  for (const value of Object.values(node)) {
    for (const each of Array.isArray(value) ? value : [value]) if (isNode(each)) visit(each, source, see);
  }
}

/** What is logged is for people: no test has to notice it. */
function isLogStatement({ type, start, end }: Node, source: string): boolean {
  return type === 'ExpressionStatement' && /^[\w.#]*\blog\??\.(debug|info|warn|error)\(/.test(source.slice(start, end));
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

function mutationsAt(node: Node, source: string): Mutation[] {
  const { type, start, end, operator = '' } = node;
  const textOf = (part: unknown) => source.slice((part as Node).start, (part as Node).end);
  const expression = (text: string): Mutation => ({ start, end, text, kind: 'expression' });
  switch (type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const other = OPERATORS[operator];
      if (!other) return [];
      const { left, right } = node as { left?: Node; right?: Node };
      return [expression(`${textOf(left)} ${other} ${textOf(right)}`)];
    }
    case 'UnaryExpression':
      return operator === '!' ? [expression(textOf(node.argument))] : [];
    case 'Literal':
      return typeof node.value === 'boolean' ? [expression(String(!node.value))] : [];
    case 'MemberExpression': {
      const text = textOf(node);
      if (text === 'Math.min') return [expression('Math.max')];
      return text === 'Math.max' ? [expression('Math.min')] : [];
    }
    case 'IfStatement':
    case 'ConditionalExpression': {
      const test = node.test as Node;
      return [{ start: test.start, end: test.end, text: `!(${textOf(test)})`, kind: 'expression' }];
    }
    case 'ExpressionStatement':
      // A directive such as 'use strict' does nothing here; `super()` cannot be left out.
      if (node.directive || /^super\b/.test(textOf(node))) return [];
      return [{ start, end, text: '', kind: 'statement' }];
    default:
      return [];
  }
}

/**
 * Writes all mutations into the source, each behind a question whether it is the active one: `__isMutant(id)`, with the id of
 * the mutation at index 0 being `firstId`. So a file is compiled once for all its mutants.
 */
export function withMutations(source: string, mutations: readonly Mutation[], firstId: number): string {
  const order = mutations.map((mutation, index) => ({ ...mutation, id: firstId + index }));
  let next = 0;
  // Mutations are sorted from the outside to the inside, so those within one follow it.
  function write(from: number, to: number): string {
    let text = '';
    let at = from;
    while (next < order.length && order[next]!.start < to) {
      const outer = order[next]!;
      next++;
      text += source.slice(at, outer.start);
      const inner = write(outer.start, outer.end);
      text +=
        outer.kind === 'statement'
          ? `{ if (!__isMutant(${outer.id})) ${inner} }`
          : `(__isMutant(${outer.id}) ? (${outer.text}) : (${inner}))`;
      at = outer.end;
    }
    return text + source.slice(at, to);
  }
  return `const __isMutant = globalThis.__isMutant ?? (() => false); ${write(0, source.length)}`;
}
