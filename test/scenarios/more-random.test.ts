import { describe } from 'vitest';
import { playSeeds } from '../support/random-talk.ts';

describe('more random conversations', () => playSeeds(251, 500));
