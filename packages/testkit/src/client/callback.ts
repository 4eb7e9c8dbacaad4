import type { HttpResponse } from '@grantkit/core'
import { shown } from './consent-form.ts'
import { destinationOf } from './destination.ts'

/** The parameters in the query of a redirect URI. */
export function callbackParameters(callback: URL): Readonly<Record<string, string>> {
  return Object.fromEntries(callback.searchParams)
}

/** The parameters for the client in a redirect. @throws Error when the browser is not sent to the client */
export function redirectParameters(
  response: HttpResponse,
  redirectUri: string,
): Readonly<Record<string, string>> {
  const destination = destinationOf(response)
  if (destination === undefined) throw new Error(`The server shows a page ${shown(response)}`)
  if (destination.startsWith(redirectUri)) return callbackParameters(new URL(destination))
  throw new Error(`No user is signed in: the browser is sent to ${destination}. See the option "browser"`)
}
