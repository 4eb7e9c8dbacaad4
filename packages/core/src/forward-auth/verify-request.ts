import { z } from 'zod'
import { readMessage, text } from '../http/message.ts'
import { parameters } from '../http/parameters.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { parseScope, type ScopeCatalogue } from '../kernel/scope.ts'

export const VERIFY_ERRORS = defineErrors({
  verify_scope_unknown: ['insufficient_scope', 'The gateway asks for a scope that does not exist here'],
})

const VerifyRequest = z.object({ scope: text().optional() })

/**
 * The scopes that a question demands.
 *
 * @throws OAuthError 403 for a scope that does not exist: nginx takes every other refusal than 401 and 403 for an error
 */
export function demandedScopes(query: string, catalogue: ScopeCatalogue): readonly string[] {
  const refusal = VERIFY_ERRORS.verify_scope_unknown
  const { scope } = readMessage(VerifyRequest, parameters(query), () => refusal)
  const names = scope === undefined ? [] : parseScope(scope)
  if (names === undefined || !names.every((name) => Object.hasOwn(catalogue, name)))
    throw new OAuthError(refusal)
  return names
}
