import type { Session } from '../authorization/interaction.ts'
import type { PublicClient } from '../clients/client-record.ts'
import type { HttpRequest, HttpResponse } from '../http/http.ts'

/** The content of the page that asks, and the fields of its form. */
export interface LogoutView {
  readonly session: Session
  /** Who asks, as far as the request says. It proves nothing. */
  readonly client?: PublicClient | undefined
  /** The form: POST to `action` with `ticket`. */
  readonly action: string
  readonly ticket: string
  /** Sources for `form-action` in the page's Content-Security-Policy: browsers apply it to the redirect after the form. */
  readonly formActionSources: readonly string[]
}

/** The application's part of signing out: the end of a session, and two pages. */
export interface LogoutInteraction {
  /** Ends the session of this browser, on the server too. @returns the `Set-Cookie` that takes the place of its cookie */
  endSession(request: HttpRequest): Promise<string>
  /** Asks whether to sign out. Say that apps keep what they were allowed. */
  logoutPage(view: LogoutView): HttpResponse | Promise<HttpResponse>
  signedOutPage(): HttpResponse | Promise<HttpResponse>
}
