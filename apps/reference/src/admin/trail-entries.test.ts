import { expect, it } from 'vitest'
import type { AuditEntry } from '../audit/entry.ts'
import { trailEntries } from './trail-entries.ts'

const CONSENT = {
  id: 1,
  at: '2026-11-21T08:27:00.000Z',
  type: 'consent_granted',
  subject: 'alice',
  scopes: ['openid', 'courses:read'],
  resources: [],
  network: '127.0.0.0/24',
} as unknown as AuditEntry

it('shows a list as words, and leaves out an empty list', async () => {
  const page = String(await trailEntries({ basePath: '' } as never, [CONSENT]))
  expect(page).toContain('scopes <code>openid courses:read</code> · network <code>127.0.0.0/24</code>')
  expect(page).not.toContain('resources')
})
