import { failOnDemand } from './fail-on-demand.ts';

failOnDemand('silero');
await import('../../../media/turn/silero-worker.ts');
