import type { ConsentView } from '@grantkit/core'
import { html } from 'hono/html'
import type { Markup } from './page.ts'

/**
 * The complete URL of the client ID metadata document of an app, with its host emphasised
 * (draft-ietf-oauth-client-id-metadata-document 8.5). On a shared host, the host alone does not identify the app.
 */
export function documentAddress({ client, identity }: ConsentView): Markup | '' {
  if (identity === undefined) return ''
  const { protocol, host, pathname } = new URL(client.clientId)
  return html`<dt>Described by</dt><dd><code>${protocol}//<strong>${host}</strong>${pathname}</code></dd>`
}

/** The warning about the app. */
export function originHint({ client, identity }: Pick<ConsentView, 'client' | 'identity'>): string {
  if (client.origin === 'integration') return 'An integration that the school has arranged.'
  if (identity === undefined)
    return 'An unverified app: it chose this name itself. Go on only if you have just started it.'
  if (!identity.loopback) return 'It chose this name itself. Go on only if you trust who describes it.'
  return 'Any program on this device can pretend to be this app. Go on only if you have just started it.'
}
