import type { PublicClient } from '../clients/client-record.ts'
import type { HttpRequest, HttpResponse } from '../http/http.ts'
import type { PageView } from '../http/page.ts'
import { isLoopbackUrl } from '../http/public-url.ts'
import type { TermViews } from '../kernel/records.ts'
import type { ScopeInWords } from '../kernel/scope.ts'
import { systemClock } from '../kernel/time.ts'

/** The signed-in user of this browser. */
export interface Session {
  /** New for every sign-in: a consent form is bound to it. */
  readonly id: string
  /**
   * The id of the first of several sessions that follow each other: the same user signed in again, as `prompt=login` asks, and
   * did not sign out. Clients then know one session. Default: `id`.
   */
  readonly firstId?: string | undefined
  /** The stable identifier of the user; becomes `sub`. */
  readonly subject: string
  /** Time of the last sign-in, in epoch seconds. */
  readonly authTime: number
  /**
   * When the user last proved who they are, in epoch seconds, if that was earlier: another server may return a user whom it has
   * asked for nothing. `prompt=login` and `max_age=0` compare it. Default: `authTime`.
   */
  readonly confirmedAt?: number | undefined
  /** How the user signed in, such as `password` or `passkey`. An observer gets it. */
  readonly signedInBy?: string | undefined
  /** How strong that sign-in was: one of the classes of `stepUp`, which alone reads it. Absent: weaker than all of them. */
  readonly acr?: string | undefined
  /** The methods of that sign-in, such as `pwd`, `otp`, `hwk` (RFC 8176). Read by `stepUp`. */
  readonly amr?: readonly string[] | undefined
}

/** Hints that the sign-in page may show or prefill. */
export interface SignInHint extends PageView {
  /** Absent until the user has signed in, if a document describes the client. */
  readonly client?: PublicClient | undefined
  readonly redirectUri?: string | undefined
  /** The host of that document. Nothing else is known then. */
  readonly clientHost?: string | undefined
  readonly loginHint?: string | undefined
  readonly uiLocales?: string | undefined
  /** `login`, `select_account` or both: the user has to sign in again (OpenID Connect Core 3.1.2.1). */
  readonly prompt?: string | undefined
  /** The maximum age of the sign-in, in seconds. */
  readonly maxAge?: number | undefined
  /**
   * The classes that the request asks for, of those of `stepUp`, in its order of preference: the user must sign in so that the
   * session is at or above one of them.
   */
  readonly acrValues?: readonly string[] | undefined
}

/** The content of the consent page, and the fields of its form. */
export interface ConsentView extends PageView {
  readonly client: PublicClient
  readonly session: Session
  /** The verified identity of the client, if it has one: a document describes it, or its redirect URI belongs to it. Show it as large as the name. */
  readonly identity?: ClientIdentity | undefined
  /** The target of the redirect. Show its host and port: the client chose its name itself. */
  readonly redirectUri: string
  /** The requested scopes, in the order of the catalogue. The user cannot untick a `required` one. */
  readonly scopes: readonly ConsentScope[]
  readonly resources: readonly string[]
  /**
   * The form: POST to `action` with `ticket`, `decision` (`allow`, `deny`, or `allow_reading`: only ticked scopes whose
   * `access` is `read`, and those of OpenID Connect) and one `scope` for each ticked scope.
   */
  readonly action: string
  readonly ticket: string
  /** The same request from its beginning, a path with query on this origin: for signing in again, or as another user. */
  readonly returnTo: string
  /**
   * Sources for `form-action` in the page's Content-Security-Policy. Browsers apply it to the redirect after the form
   * too, so it must name the client's redirect target. Empty if the answer is a page.
   */
  readonly formActionSources: readonly string[]
  /** The user has just sent this form too late, or after another sign-in. No decision was stored: show this to the user. */
  readonly formExpired: boolean
  /** The user has just pressed "Allow" with no scope ticked. No decision was stored: show this to the user. */
  readonly allowsNothing?: true | undefined
  /**
   * The form may have `callback` with the value `show`: the app runs on another computer, and the user takes the callback URL
   * there. Present with the option `callbackPage`, for a loopback redirect URI.
   */
  readonly canShowCallback?: true | undefined
  /**
   * What the user decides beside scopes, by names of terms: the form has the fields that its feature names. Absent without
   * such a feature.
   */
  readonly terms?: TermViews | undefined
  /** By what people find the request, such as `7K3M-Q2WD`. Only with an observer. */
  readonly reference?: string | undefined
}

/**
 * What is verified of a client, apart from what it claims. If `client.origin` is `document`, show the whole `client_id`, with
 * the host emphasised: many publishers share some hosts, so the host alone identifies none.
 */
export interface ClientIdentity {
  /** The host of its document, as it is written in the `client_id`: an international name in Punycode. Otherwise the host of `known`. */
  readonly host: string
  /** The code goes to a program on the user's computer, and any program there can present this `client_id`. */
  readonly loopback: boolean
  /**
   * The code goes to an https address of this client, and nowhere else, whatever the client calls itself. Absent for a
   * loopback or private-use redirect URI, which verifies nothing.
   */
  readonly known?: { readonly name: string; readonly host: string } | undefined
}

export interface ConsentScope extends ScopeInWords {
  readonly required: boolean
  /** A live grant of this user has it, for the same client and resources. It marks the new scopes, and allows nothing. */
  readonly allowedBefore: boolean
}

/**
 * An error that is not sent to the client, because the redirect URI is not trusted. The client does not see the page: explain
 * there what it must do, by the `reason`. A program that accepts JSON and no HTML gets JSON in place of the page.
 */
export interface ErrorView extends PageView {
  readonly error: string
  readonly description: string
  readonly reason: string
  readonly status: number
  /** What the error is about, to name it in another language: `{ parameter: 'client_id' }`. Escape it. */
  readonly parameters: Readonly<Record<string, string>>
  /**
   * By what people find the request, such as `7K3M-Q2WD`, for the user to give to the operator. Only with an
   * observer.
   */
  readonly reference?: string | undefined
}

/** The application's part of the authorization endpoint: the session, and three pages. */
export interface Interaction {
  /**
   * The languages of the pages as BCP 47 tags, the default first. They are published as `ui_locales_supported` (OpenID Connect
   * Discovery 3), and `locale` of each view is one of them. Default: nothing is published, and `locale` is `en`.
   */
  readonly uiLocales?: readonly string[] | undefined
  session(request: HttpRequest): Promise<Session | undefined>
  /**
   * Sends the browser to the sign-in page. It must come back to `returnTo`, a path with query on this origin; read it back
   * with `returnPath`, because any site can link to that page.
   */
  signIn(returnTo: string, hint: SignInHint): HttpResponse | Promise<HttpResponse>
  consentPage(view: ConsentView): HttpResponse | Promise<HttpResponse>
  errorPage(view: ErrorView): HttpResponse | Promise<HttpResponse>
  /**
   * Opens an app with a private-use redirect URI such as `com.example.app:/callback`, after the answer of the user: a browser
   * opens the app, and leaves its own page standing. Say that the user goes on in the app, with a link to `callbackUrl`. The server
   * adds the same navigation as a `Refresh` header. Default: the redirect alone, which leaves the consent page there.
   */
  openAppPage?(view: OpenAppView): HttpResponse | Promise<HttpResponse>
}

const SAMPLE = Symbol.for('grantkit.sampleSession')

/**
 * A `session` to begin with: every visitor is signed in as one user. `createAuthorizationServer` accepts it only at an issuer
 * of this computer, such as `http://127.0.0.1:3000`.
 */
export function sampleSession(subject: string): Interaction['session'] {
  const session = async () => ({ id: 'session-1', subject, authTime: systemClock() })
  return Object.assign(session, { [SAMPLE]: true })
}

/** Programs are copied with what their examples show. @throws Error if every visitor would be signed in */
export function checkSession(session: Interaction['session'], issuer: string): void {
  if (session && SAMPLE in session && !isLoopbackUrl(issuer))
    throw new Error(
      `interaction.session is sampleSession: everybody would be signed in at ${issuer}. Put your own session there`,
    )
}

/** The page that shows a callback URL, in place of the redirect to it. */
export interface CallbackView extends PageView {
  readonly client: PublicClient
  /** For the app that waits for it, as the browser would bring it there. Any program that has it can sign in with it. */
  readonly callbackUrl: string
  /** Whether it has a code. A denial or an error has none. */
  readonly allowed: boolean
  /** Seconds until its code, or the message that has it, has expired. */
  readonly lifetime: number
}

/** The page that opens an app, in place of the redirect to it. */
export interface OpenAppView extends CallbackView {
  /** The address of the app, without the answer. Show it with its scheme: the app chose its name itself. */
  readonly redirectUri: string
}

export interface CallbackOptions {
  /**
   * Lets the user of an app on another computer copy the callback URL there: the loopback address of that app leads nowhere in
   * this browser. The consent page then offers it (`canShowCallback`). Warn on both pages never to send that address to other
   * people: an attacker can send a user the link of a sign-in that the attacker began. Default: not offered.
   */
  readonly callbackPage?: ((view: CallbackView) => HttpResponse | Promise<HttpResponse>) | undefined
}
