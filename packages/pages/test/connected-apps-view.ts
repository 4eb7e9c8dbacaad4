/** What core would show on the page of connected apps. */

import type { ScopeInWords } from '@grantkit/core/internal'
import type { ConnectedApp, ConnectedAppsView } from '@grantkit/pages/connected-apps'

const DAY = 24 * 60 * 60
const NOON = 1_800_014_400

function app(
  installation: string,
  scopes: readonly ScopeInWords[],
  more: Partial<ConnectedApp>,
): ConnectedApp {
  const times = { firstUsed: NOON - 90 * DAY, lastUsed: NOON, expiresAt: NOON + 90 * DAY }
  const client = { installation, clientId: installation, origin: 'registered' as const }
  const one = { ...client, redirectUris: [], scopes, ...times, grantIds: [installation], ...more }
  return { ...one, app: one.clientId }
}

/** One app of each kind, with these permissions. @param name of an app that registered itself */
export function connectedAppsView(
  { request, locale }: Pick<ConnectedAppsView, 'request' | 'locale'>,
  name: string | undefined,
  scopes: readonly ScopeInWords[],
): ConnectedAppsView {
  return {
    ...{ request, locale, session: { id: 'session', subject: 'ada', authTime: 0 }, ticket: 'ticket' },
    apps: [
      app('c1', scopes, {
        name,
        called: locale === 'de' ? 'Büro-Laptop' : 'Office laptop',
        redirectUris: ['http://127.0.0.1:8123/callback'],
      }),
      app('c2', scopes.slice(0, 1), {
        ...{ name: 'Invoices', origin: 'integration', redirectUris: ['https://invoices.example/callback'] },
      }),
      app('g3', scopes.slice(0, 3), {
        ...{ name: 'Editor', clientId: 'https://editor.example/desk/client.json', origin: 'document' },
        ...{ redirectUris: ['https://editor.example/callback'], knownClient: 'editor' },
      }),
      ...['3b', '3c'].map((id, at) =>
        app(`g${id}`, scopes.slice(0, 1), {
          ...{ name: 'Editor', clientId: 'https://editor.example/desk/client.json', origin: 'document' },
          ...(at === 0 ? { redirectUris: ['http://127.0.0.1:49200/'] } : { called: 'Studio' }),
          lastUsed: NOON - DAY,
        }),
      ),
      app('g4', scopes, {
        name: 'Backup tool',
        origin: 'integration',
        device: { network: '203.0.113.0/24' },
      }),
      app('c5', scopes.slice(0, 1), { origin: undefined, redirectUris: ['com.example.app:/callback'] }),
    ],
    next: '/connected-apps?after=2',
    actions: { disconnect: '/connected-apps/disconnect', name: '/connected-apps/name' },
    returnTo: '/connected-apps',
    expired: false,
  }
}
