import type { TelemetryOptions } from './telemetry-settings.ts';

/** @returns what sends the rest and stops, within the deadline in milliseconds; null when OpenTelemetry is off: no package is loaded then. */
export async function startTelemetry(
  options: TelemetryOptions,
): Promise<{ close(deadlineMs: number): Promise<void> } | null> {
  const { settings } = options;
  const isOff = settings.OTEL_EXPORTER_OTLP_ENDPOINT === '' || settings.OTEL_SDK_DISABLED.toLowerCase() === 'true';
  if (isOff) return null;
  const { openOtlpExport } = await import('./otlp-export.ts');
  return openOtlpExport(options);
}
