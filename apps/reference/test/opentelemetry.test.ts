import { readFile } from 'node:fs/promises'
import { metrics } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { expect, it } from 'vitest'

const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')

it('the example for OpenTelemetry is the one of the documentation, and counts', async () => {
  expect(await read('../../../docs/operations.md')).toContain(await read('./opentelemetry.ts'))
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] })
  metrics.setGlobalMeterProvider(provider)
  const { onEvent } = await import('./opentelemetry.ts')
  onEvent({ type: 'code_redeemed', grantId: 'grant', clientId: 'client' })
  onEvent({ type: 'grant_ended', grantId: 'grant', clientId: 'client', reason: 'code_replayed' })
  await provider.forceFlush()
  const [metric] = exporter.getMetrics()[0]?.scopeMetrics[0]?.metrics ?? []
  expect(metric?.descriptor.name).toBe('grantkit.events')
  expect(metric?.dataPoints.map(({ attributes, value }) => ({ ...attributes, value }))).toEqual([
    { type: 'code_redeemed', value: 1 },
    { type: 'grant_ended', reason: 'code_replayed', value: 1 },
  ])
  await provider.shutdown()
})
