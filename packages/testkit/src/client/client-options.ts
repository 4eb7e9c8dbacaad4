import type { HttpRequest, HttpResponse } from '@grantkit/core'
import type { Browser } from './browser.ts'
import type { ConnectionOptions } from './connection.ts'
import type { ConsentForm } from './consent-form.ts'

export interface ExistingClient {
  readonly clientId: string
  readonly clientSecret?: string | undefined
  readonly redirectUris: readonly string[]
}

export interface TestClientOptions<R extends HttpResponse = HttpResponse> extends ConnectionOptions<R> {
  /**
   * The signed-in user: headers of the user's browser, which your `interaction.session` reads, such as `{ cookie:
   * 'session=…' }`; or a browser that signs in by your pages, such as `formBrowser`.
   */
  readonly browser?: HttpRequest['headers'] | Browser | undefined
  /**
   * What your `interaction.session` reads of the request of the framework, such as `{ session: { user: 'alice' } }` for
   * `expressRequest`. In the process only, and only with the requests of the browser.
   */
  readonly native?: unknown
  /** Members of the registration (RFC 7591 2). Default: a public client with a loopback redirect URI. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  /** An existing client, such as the result of `server.clients.add`. Default: the test client registers itself. */
  readonly client?: ExistingClient | undefined
  /** Reads a consent page whose form is not in its HTML. Default: reads the form with the ticket. */
  readonly consentForm?: ((page: HttpResponse) => ConsentForm) | undefined
}
