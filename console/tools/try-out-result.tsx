import type { ToolTest } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { latencyText } from '../ui/format.ts';

/** What a tool's request sent and brought: status, time, and what the model would receive. */
export function TryOutResult({ result }: { result: ToolTest }) {
  const { status, latency_ms, request, response_headers, error } = result;
  const isGood = status >= 200 && status < 300;
  return (
    <div class="try-out-result">
      <p class="try-out-status">
        <span class="chip" data-tone={isGood ? 'good' : 'bad'}>
          {status === 0 ? t('No response') : t('Status {{status}}', { status: String(status) })}
        </span>
        <span class="quiet">{latencyText(latency_ms)}</span>
      </p>
      {error !== '' && <p class="error">{t('There was no response: {{reason}}.', { reason: error })}</p>}
      <h3>{t('What the model receives')}</h3>
      <pre class="code-block">{result.result || '–'}</pre>
      {Object.keys(result.variables).length > 0 && (
        <>
          <h3>{t('Variables')}</h3>
          <pre class="code-block">{JSON.stringify(result.variables, null, 2)}</pre>
        </>
      )}
      <details>
        <summary>{t('What was sent')}</summary>
        <pre class="code-block">
          {[
            `${request.method} ${request.url}`,
            ...linesOf(request.headers),
            ...(request.body ? ['', request.body] : []),
          ]
            .join('\n')
            .trim()}
        </pre>
      </details>
      {Object.keys(response_headers).length > 0 && (
        <details>
          <summary>{t('Headers of the response')}</summary>
          <pre class="code-block">{linesOf(response_headers).join('\n')}</pre>
        </details>
      )}
    </div>
  );
}

const linesOf = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
