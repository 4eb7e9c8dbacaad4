import type { AuthorizationServer, PublicClient } from '@grantkit/core'
import { displayText } from '@grantkit/core/internal'
import { html } from '@grantkit/pages'
import type { Markup } from '../http/page.ts'

/**
 * The app that requests a sign-in, taken from the authorization request to which the user returns. Of an app that a
 * document describes only the host is known: the document is not fetched before the user has signed in.
 */
export type RequestingApp = (
  returnTo: string,
) => Promise<PublicClient | { readonly documentHost: string } | undefined>

interface Options {
  readonly baseUrl: string
  readonly metadata: () => AuthorizationServer['metadata']
  readonly findClient: (clientId: string) => Promise<PublicClient | undefined>
}

export function requestingApp({ baseUrl, metadata, findClient }: Options): RequestingApp {
  return async (returnTo) => {
    const { origin, pathname, searchParams } = new URL(returnTo, baseUrl)
    const clientId = searchParams.get('client_id')
    if (clientId === null || origin + pathname !== metadata().authorization_endpoint) return undefined
    if (isAddress(clientId)) return { documentHost: new URL(clientId).host }
    // The name is optional on the sign-in page.
    return findClient(clientId).catch(() => undefined)
  }
}

function isAddress(clientId: string): boolean {
  return clientId.startsWith('https://') && URL.canParse(clientId)
}

/** Which app sends the user, for the sign-in page. */
export function sentBy(app: Awaited<ReturnType<RequestingApp>>): Markup | '' {
  if (app === undefined) return ''
  if ('documentHost' in app) return html`<p>The app of <code>${app.documentHost}</code> sends you.</p>`
  const name = html`<bdi>${app.clientName ?? 'An app without a name'}</bdi>`
  if (app.origin === 'integration') return html`<p>${name} sends you.</p>`
  return html`<p>${name} sends you. It chose this name itself.</p>`
}

/** Its name for the page of another application. */
export function nameOfApp(app: Awaited<ReturnType<RequestingApp>>): string | undefined {
  if (app === undefined) return undefined
  return displayText('documentHost' in app ? app.documentHost : (app.clientName ?? '')) || undefined
}
