import { type RotationStep, rotateDuringCalls } from './rotation-calls.ts';

/**
 * `make rotation`: replaces the certificates, the keys of the bus, the key of secrets, the secret of stream tokens and an API key
 * during 50 calls (CALLS), ten seconds each (STEP_SECONDS). The first and the last step change nothing: they are what the machine
 * itself does to the frames. Exit code 1 when a call ends, is not charged or loses events, or when a step has more late frames or
 * loses more audio than those two.
 */

const calls = Number(process.env.CALLS ?? 50);
const stepMs = 1_000 * Number(process.env.STEP_SECONDS ?? 10);
/** Beyond the two that change nothing: half as many again, as they differ by so much themselves, and a frame in a thousand. */
const ALLOWED_TIMES = 1.5;
const ALLOWED_SHARE = 0.001;
const FRAME_MS = 20;

const lateShare = ({ late, frames }: RotationStep) => late / Math.max(1, frames);
const lostShare = ({ lostMs, frames }: RotationStep) => lostMs / FRAME_MS / Math.max(1, frames);

const { steps, calls: made, failures } = await rotateDuringCalls({ calls, stepMs });
console.log(
  [
    '| changed during the calls | frames | late | worst gap ms | audio lost ms | engine late ms | this process late ms |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...steps.map(
      ({ step, frames, late, worstGapMs, lostMs, engineLagMs, ownLagMs }) =>
        `| ${[step, frames, late, worstGapMs, lostMs, engineLagMs, ownLagMs].join(' | ')} |`,
    ),
  ].join('\n'),
);
console.log(`\n${made} calls`);

const unchanged = [steps[0]!, steps.at(-1)!];
for (const share of [lateShare, lostShare]) {
  const most = ALLOWED_TIMES * Math.max(...unchanged.map(share)) + ALLOWED_SHARE;
  for (const step of steps.filter((each) => share(each) > most)) {
    const { late, lostMs, frames } = step;
    failures.push(`${step.step}: ${late} of ${frames} frames late, ${lostMs} ms lost, more than while nothing changes`);
  }
}
for (const failure of new Set(failures)) console.log(`FAILED: ${failure}`);
if (failures.length === 0) console.log('No call noticed.');
process.exit(failures.length === 0 ? 0 : 1);
