import { describe } from 'vitest';
import { playSeeds } from '../support/random-conversations.ts';

describe('more random conversations', () => playSeeds(251, 500));
