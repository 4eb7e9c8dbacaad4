import { pages } from '@grantkit/pages'
import type { ConnectedApp } from '@grantkit/pages/connected-apps'
import { expect, it } from 'vitest'
import { pointInTime } from './page.ts'

it('a time looks like those of the connected apps, which are on the same page', () => {
  const at = 1_790_000_000
  const app: ConnectedApp = {
    ...{ installation: 'tool', app: 'tool', clientId: 'tool', redirectUris: [], scopes: [] },
    ...{ firstUsed: at, lastUsed: at, expiresAt: at, grantIds: ['grant'] },
  }
  const list = pages({ brand: { name: 'Notes' } }).connectedAppsList({
    ...{ locale: 'en', heading: 'h3', apps: [app], ticket: 't' },
    actions: { disconnect: '/d', name: '/n' },
  })
  expect(String(list)).toContain(String(pointInTime(at)))
})
