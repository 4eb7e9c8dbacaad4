import { defineErrors, type ErrorDefinition, type ErrorFacts, OAuthError } from '../kernel/oauth-error.ts'
import type { RedirectUriVerdict } from './redirect-uri-policy.ts'

export const REDIRECT_URI_ERRORS = defineErrors({
  redirect_uri_refused: [
    'invalid_redirect_uri',
    'This redirect URI is not allowed. Use a loopback URI, or ask the operator',
  ],
  known_client_off: [
    'invalid_redirect_uri',
    'This server has not enabled this client. Ask its operator to enable it',
  ],
})

/** An error that names the known client the operator would have to allow; otherwise an error of `definition`. */
export function refusalOf(
  verdict: RedirectUriVerdict,
  definition: ErrorDefinition,
  { detail, facts }: { readonly detail?: string; readonly facts?: ErrorFacts } = {},
): OAuthError {
  const off = 'refused' in verdict ? verdict.knownClientOff : undefined
  if (off === undefined) return new OAuthError(definition, detail, { facts })
  const { known_client_off } = REDIRECT_URI_ERRORS
  const message = off.hint && `${known_client_off.description}: ${off.hint}`
  return new OAuthError(known_client_off, message, { parameters: { known: off.id, name: off.name } })
}
