import { describe } from 'vitest';
import { playSeeds } from '../support/random-conversations.ts';

describe('random conversations', () => playSeeds(1, 250));
