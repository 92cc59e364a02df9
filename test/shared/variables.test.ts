import { expect, it } from 'vitest';
import { fillVariables, variablesOf } from '../../shared/variables.ts';

it('variables are listed once, in order of first use', () => {
  expect(variablesOf('Hi {name}, {day}', 'on {day} at {time_1}, {name}')).toEqual(['name', 'day', 'time_1']);
});

it('other braces are not variables', () => {
  expect(variablesOf('{} {1a} { name } {a-b} {{x}}')).toEqual(['x']);
  expect(fillVariables('{} {1a} {"a": 1}', { a: 'x' })).toBe('{} {1a} {"a": 1}');
});

it('variables are filled with their values', () => {
  expect(fillVariables('{name} owes {amount}: {late}', { name: 'Asha', amount: 5, late: false })).toBe(
    'Asha owes 5: false',
  );
});

it('a variable without a value is nothing', () => {
  expect(fillVariables('Hi {name}!', {})).toBe('Hi !');
  expect(fillVariables('{toString}{constructor}{__proto__}', {})).toBe('');
});

it('values are not read as text with variables', () => {
  expect(fillVariables('{a}', { a: '{b} $& $1', b: 'x' })).toBe('{b} $& $1');
});
