import type { AuthorizationServer, PublicClient } from '@grantkit/core'
import { html } from '@grantkit/pages'
import type { Markup } from './page.ts'

/** Shows which app requests the sign-in, taken from the authorization request to which the user returns. */
export type SendingApp = (returnTo: string) => Promise<Markup | ''>

interface Options {
  readonly baseUrl: string
  readonly metadata: () => AuthorizationServer['metadata']
  readonly findClient: (clientId: string) => Promise<PublicClient | undefined>
}

export function sendingApp({ baseUrl, metadata, findClient }: Options): SendingApp {
  return async (returnTo) => {
    const { origin, pathname, searchParams } = new URL(returnTo, baseUrl)
    const clientId = searchParams.get('client_id')
    if (clientId === null || origin + pathname !== metadata().authorization_endpoint) return ''
    if (isAddress(clientId)) return html`<p>The app of <code>${new URL(clientId).host}</code> sends you.</p>`
    // The name is optional on the sign-in page.
    const client = await findClient(clientId).catch(() => undefined)
    return client === undefined ? '' : words(client)
  }
}

/** A client ID metadata document is not fetched before the user has signed in, so only its host is known. */
function isAddress(clientId: string): boolean {
  return clientId.startsWith('https://') && URL.canParse(clientId)
}

function words({ clientName = 'An app without a name', origin }: PublicClient): Markup {
  const name = html`<bdi>${clientName}</bdi>`
  if (origin === 'integration') return html`<p>${name} sends you.</p>`
  return html`<p>${name} sends you. It chose this name itself.</p>`
}
