import type { Percentiles } from '../../../shared/percentiles.ts';
import type { EvaluationFigures } from './figures.ts';

/** One figure of each set of calls. */
export interface FigureRow {
  name: string;
  cells: string[];
}

const NONE = '–';
const inMs = (of: Percentiles | null, name: keyof Percentiles) => (of ? `${of[name]} ms` : NONE);

const ROWS: readonly (readonly [name: string, (figures: EvaluationFigures) => string | number])[] = [
  ['calls', ({ calls }) => calls],
  ['answers measured', ({ answers }) => answers],
  ['felt latency, p50', ({ felt_ms }) => inMs(felt_ms, 'p50')],
  ['felt latency, p95', ({ felt_ms }) => inMs(felt_ms, 'p95')],
  ['felt latency, p99', ({ felt_ms }) => inMs(felt_ms, 'p99')],
  ['added by the engine, p50', ({ engine_ms }) => inMs(engine_ms, 'p50')],
  ['added by the engine, p95', ({ engine_ms }) => inMs(engine_ms, 'p95')],
  ['added by the engine, p99', ({ engine_ms }) => inMs(engine_ms, 'p99')],
  ['replies interrupted', ({ interruptions }) => interruptions],
  ['calls with turns counted', ({ turn_taking }) => turn_taking?.calls ?? 0],
  ['talk-over in a call', ({ turn_taking }) => (turn_taking ? `${turn_taking.talk_over_seconds_per_call} s` : NONE)],
  ['missed interruptions', ({ turn_taking }) => turn_taking?.missed_interruptions ?? NONE],
  ['false interruptions', ({ turn_taking }) => turn_taking?.false_interruptions ?? NONE],
  ['silences of 4 s', ({ turn_taking }) => turn_taking?.long_silences ?? NONE],
];

/** The figures as texts, a row each; a dash where nothing was measured. */
export const rowsOf = (figures: readonly EvaluationFigures[]): FigureRow[] =>
  ROWS.map(([name, textOf]) => ({ name, cells: figures.map((each) => String(textOf(each))) }));
