import type { HttpRequest, HttpResponse } from '../http/http.ts'
import type { Client } from '../kernel/records.ts'
import type { ScopeDefinition } from '../kernel/scope.ts'

/** Who is signed in in this browser. */
export interface Session {
  /** Changes with every sign-in: a consent form is bound to it. */
  readonly id: string
  /** The stable identifier of the user; becomes `sub`. */
  readonly subject: string
  /** When the user last proved who they are, in epoch seconds. */
  readonly authTime: number
}

/** What the sign-in page may show or prefill. */
export interface SignInHint {
  readonly client: Client
  readonly redirectUri: string
  readonly loginHint?: string | undefined
  readonly uiLocales?: string | undefined
}

/** What the consent page shows and sends back. */
export interface ConsentView {
  readonly client: Client
  readonly session: Session
  /** Where the browser goes afterwards. Show its host and port: a name is only what an app says of itself. */
  readonly redirectUri: string
  /** What was asked for, in the catalogue's order. `required` ones cannot be unticked. */
  readonly scopes: readonly ConsentScope[]
  readonly resources: readonly string[]
  /**
   * The form: POST to `action` with `ticket`, `decision` (`allow` or `deny`) and one `scope` for each scope that
   * stays ticked.
   */
  readonly action: string
  readonly ticket: string
  /** The same request from its start, a path with query on this origin: for a user who signs in as somebody else. */
  readonly returnTo: string
  /**
   * For `form-action` in the page's Content-Security-Policy: browsers apply it to the redirect that answers the
   * form, so it must name the client's redirect target.
   */
  readonly formActionSources: readonly string[]
}

export interface ConsentScope extends ScopeDefinition {
  readonly name: string
  readonly required: boolean
}

/** A refusal that cannot be sent to the client, because where to send it is not trusted. */
export interface ErrorView {
  readonly error: string
  readonly description: string
  readonly reason: string
  readonly status: number
}

/** The application's part of the authorization endpoint: who is signed in, and three pages. */
export interface Interaction {
  session(request: HttpRequest): Promise<Session | undefined>
  /** Sends the browser to sign in. It must come back to `returnTo`, a path with query on this origin. */
  signIn(returnTo: string, hint: SignInHint): HttpResponse | Promise<HttpResponse>
  consentPage(view: ConsentView): HttpResponse | Promise<HttpResponse>
  errorPage(view: ErrorView): HttpResponse | Promise<HttpResponse>
}
