import { failOnDemand } from './fail-on-demand.ts';

failOnDemand('denoise');
await import('../../../media/audio/denoise-worker.ts');
