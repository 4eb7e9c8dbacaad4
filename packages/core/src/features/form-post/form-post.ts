/**
 * OAuth 2.0 Form Post Response Mode: the answer to an authorization request is a form that the browser posts to the redirect
 * URI, so that its code stands in no address, no history and no log.
 */
import { type ResponseMode, ResponseModes } from '../../authorization/response-mode.ts'
import { type PublicClient, publicClient } from '../../clients/client-record.ts'
import { formActionSources, isHttpsOrLoopback } from '../../clients/redirect-uri.ts'
import type { Feature } from '../../feature.ts'
import { type HttpResponse, securePage } from '../../http/http.ts'
import type { PageView } from '../../http/page.ts'

/** The content of the page that posts the answer. */
export interface FormPostView extends PageView {
  readonly client: PublicClient
  /** The form: POST to `action`, with a hidden input for each of `fields`, a button without a name, and nothing else. */
  readonly action: string
  /** Escape them: a client chose `state`. */
  readonly fields: Readonly<Record<string, string>>
  /** The text of an inline script after the form, which sends it. Without it the user clicks the button. */
  readonly script: string
  /** For a Content-Security-Policy of the page: the source of that script, for `script-src`. */
  readonly scriptSource: string
  /** The same, for `form-action`. */
  readonly formActionSources: readonly string[]
}

/** The application's part of the mode: a page. */
export interface FormPostInteraction {
  formPostPage(view: FormPostView): HttpResponse | Promise<HttpResponse>
}

/** It is the same on every page, so that the policy names it by a hash, and no other script runs. */
const SCRIPT = 'document.forms[0].submit()'
const SCRIPT_SOURCE = "'sha256-ePniVEkSivX/c7XWBGafqh8tSpiRrKiqYeqbG7N1TOE='"

/**
 * Answers requests with `response_mode=form_post` (OAuth 2.0 Form Post Response Mode 2), for https and loopback redirect URIs.
 * Errors go the same way.
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { formPost } from '@grantkit/core/form-post'
 * import { pages } from '@grantkit/pages'
 *
 * const features = [formPost(pages({ brand: { name: 'Notes' } }).formPost)]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function formPost(pages: FormPostInteraction): Feature {
  const mode: ResponseMode = {
    name: 'form_post',
    redirects: false,
    fits: isHttpsOrLoopback,
    async answer({ client, redirectUri }, parameters, page) {
      const sent = Object.entries(parameters).filter(([, value]) => value !== undefined)
      const sources = formActionSources(redirectUri)
      const own = await pages.formPostPage({
        ...page,
        client: publicClient(client),
        action: redirectUri,
        fields: Object.fromEntries(sent) as Record<string, string>,
        script: SCRIPT,
        scriptSource: SCRIPT_SOURCE,
        formActionSources: sources,
      })
      return postingPage(own, sources)
    },
  }
  return () => ({ responseModes: new ResponseModes([mode]) })
}

/** For a page that brings no policy of its own. */
function policyOf(sources: readonly string[]): string {
  return `default-src 'none'; script-src ${SCRIPT_SOURCE}; form-action ${sources.join(' ')}; base-uri 'none'; frame-ancestors 'none'`
}

/**
 * With the referrer policy of other pages browsers would post with `Origin: null`, which applications that look at `Origin`
 * refuse (Fetch 3.2).
 */
function postingPage(own: HttpResponse, sources: readonly string[]): HttpResponse {
  const page = securePage({
    ...own,
    headers: { 'content-security-policy': policyOf(sources), ...own.headers },
  })
  return { ...page, status: 200, headers: { ...page.headers, 'referrer-policy': 'strict-origin' } }
}
