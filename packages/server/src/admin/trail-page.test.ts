import { expect, it } from 'vitest'
import type { AuditEntry } from '../audit/reading.ts'
import { trailTable } from './trail-page.ts'

const CONSENT: AuditEntry = {
  id: '1',
  at: '2026-11-21T08:27:00.000Z',
  type: 'consent_granted',
  subject: 'alice',
  clientId: 'tool',
  scopes: ['openid', 'notes:read'],
  resources: [],
  network: '127.0.0.0/24',
}
const REFUSAL: AuditEntry = { ...CONSENT, type: 'refused', subject: 'gone', reason: 'code_expired', count: 3 }

const shown = async (...entries: AuditEntry[]) =>
  String(
    await trailTable(
      {
        site: { basePath: '/base' } as never,
        directory: {
          find: async (id) => (id === 'alice' ? ({ email: 'alice@example.com' } as never) : undefined),
        },
        operator: { clients: { find: async () => ({ clientName: '<b>' }) as never } },
      },
      entries,
    ),
  )

it('says in words what happened, to whom and by whom, and keeps the raw names', async () => {
  const page = await shown(CONSENT, REFUSAL)
  expect(page).toContain('<span title="consent_granted">A user approved an app</span>')
  expect(page).toContain('<a href="/base/admin/user?id=alice" title="alice"><bdi>alice@example.com</bdi></a>')
  expect(page).toContain('<bdi>&lt;b&gt;</bdi>')
  expect(page).toContain('A request was refused (3 times)')
  expect(page).toContain('title="code_expired">The authorization code has expired')
  expect(page).toContain('<a href="/base/admin/user?id=gone" title="gone"><code>gone</code></a>')
})

it('says how often something happened only if it was more than once', async () => {
  expect(await shown({ ...REFUSAL, count: 1 })).toContain('A request was refused</span>')
})

it('shows a list as words, and leaves out an empty list', async () => {
  const page = await shown(CONSENT)
  expect(page).toContain('<dt>scopes</dt><dd><code>openid notes:read</code></dd>')
  expect(page).not.toContain('resources')
})

it('names the operator of a change', async () => {
  const change = { ...CONSENT, network: undefined }
  expect(await shown({ ...change, actor: 'account:alice' })).toContain(
    'admin <a href="/base/admin/user?id=alice"',
  )
  expect(await shown({ ...change, actor: 'command:root' })).toContain('<code>command:root</code>')
  expect(await shown({ ...change, actor: 'client:tool' })).toContain(
    'client <a href="/base/admin/client?id=tool"',
  )
})
