import { describe } from 'vitest';
import { playSeeds } from '../support/random-talk.ts';

describe('random conversations', () => playSeeds(1, 250));
