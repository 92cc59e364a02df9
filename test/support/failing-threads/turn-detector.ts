import { failOnDemand } from './fail-on-demand.ts';

failOnDemand('turn-detector');
await import('../../../media/turn/turn-detector-worker.ts');
