import { describe } from 'vitest';
import { playSeeds } from '../support/random-conversations.ts';

/** All of them with ALL=1, as `make scenarios` sets it. */
const LAST_SEED = process.env.ALL ? 500 : 350;

describe('more random conversations', () => playSeeds(251, LAST_SEED));
