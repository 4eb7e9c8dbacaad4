import { metrics } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { expect, it } from 'vitest'

it('the example for OpenTelemetry of the documentation counts events', async () => {
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
