import type { Option } from '../../ui/fields.tsx';

interface Described {
  label: string;
  hint?: string;
}

export type Setting = Described &
  (
    | { kind: 'text'; maxLength?: number; placeholder?: string }
    | { kind: 'area'; maxLength: number; rows?: number }
    | { kind: 'number'; min: number; max: number; step?: number; unit?: string }
    | { kind: 'check' }
    | { kind: 'choice'; options: readonly Option[] }
    /** Drawn by its group. */
    | { kind: 'own' }
  );
