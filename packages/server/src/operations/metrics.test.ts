import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createMetrics } from './metrics.ts'

const CORE = fileURLToPath(new URL('../../../../packages/core/src/', import.meta.url))

/** The types of all events that core and its features declare. */
async function declaredTypes(): Promise<string[]> {
  const types: string[] = []
  for await (const file of glob('**/*.ts', { cwd: CORE, exclude: ['**/*.test.ts'] }))
    for (const [, declared = ''] of (await readFile(CORE + file, 'utf8')).matchAll(
      /^ +readonly type: ('.+)$/gm,
    ))
      types.push(...declared.split(' | ').map((type) => type.slice(1, -1)))
  return types
}

it('the counter of every event of core starts at 0, so that an alert sees the first one', async () => {
  const exposition = await (await createMetrics().app.request('/metrics')).text()
  const types = await declaredTypes()
  expect(types).toContain('client_document_failed')
  const missing = types.filter((type) => !exposition.includes(`grantkit_events_total{type="${type}"} 0`))
  expect(missing).toEqual([])
})

it('counts the refusals of each provider by reason', async () => {
  const { app, onEvent } = createMetrics()
  const refused = { type: 'sign_in_refused', issuer: 'https://idp.example', provider: 'partner' } as const
  for (const reason of ['email_unverified', 'email_unverified', 'client_rejected'] as const)
    onEvent({ ...refused, reason, domain: 'other.example' })
  const exposition = await (await app.request('/metrics')).text()
  expect(exposition.match(/^grantkit_sign_in_refusals_total.*$/gm)).toEqual([
    'grantkit_sign_in_refusals_total{provider="partner",reason="email_unverified"} 2',
    'grantkit_sign_in_refusals_total{provider="partner",reason="client_rejected"} 1',
  ])
})
