import type { ConsentView } from '@grantkit/core'
import { html } from 'hono/html'
import type { Markup } from './page.ts'

/**
 * Who vouches for an app that a document describes (draft-ietf-oauth-client-id-metadata-document 8.5): the host of the
 * document, and its whole address on demand. Where anybody can publish, a host says nothing, so all of it is shown.
 */
export function vouchingHost({ client, identity }: ConsentView): Markup | '' {
  if (identity === undefined) return ''
  const { host, shared } = identity
  const whole = html`<code>${client.clientId}</code>`
  const shown = shared
    ? whole
    : html`<code>${host}</code><details><summary>The whole address</summary>${whole}</details>`
  return html`<dt>Described by</dt><dd>${shown}</dd>`
}

/** What to be wary of. */
export function originHint({ client, identity }: Pick<ConsentView, 'client' | 'identity'>): string {
  if (client.origin === 'integration') return 'An integration that the school has arranged.'
  if (identity === undefined)
    return 'An unverified app: it chose this name itself. Go on only if you have just started it.'
  if (!identity.loopback) return 'It chose this name itself. Go on only if you trust who describes it.'
  return 'Any program on this device can pretend to be this app. Go on only if you have just started it.'
}
