import { type HttpRequest, type HttpResponse, redirect } from '../http/http.ts'
import type { AuthorizationContext } from './authorization-context.ts'

/** Makes the consent page say that an earlier form did not count. Anybody may append it: it does nothing else. */
const MARK = '&consent_form=lapsed'

/**
 * Shows a consent form again, whose ticket is too old, or of another sign-in or request. Its address has the whole
 * request, which begins anew: a form that proves nothing gets no further than a link.
 */
export function showFormAgain({ paths }: AuthorizationContext, { query }: HttpRequest): HttpResponse {
  return redirect(`${paths.authorize}?${query}${MARK}`)
}

export function splitLapsedForm(query: string): { readonly query: string; readonly formLapsed: boolean } {
  const formLapsed = query.endsWith(MARK)
  return { query: formLapsed ? query.slice(0, -MARK.length) : query, formLapsed }
}
