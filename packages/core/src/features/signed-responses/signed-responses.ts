/**
 * Signed authorization responses (JWT Secured Authorization Response Mode for OAuth 2.0, JARM): the answer to an authorization
 * request is one JWT, which names its issuer and its client.
 */
import * as z from 'zod'
import {
  type AnswerParameters,
  type AnswerTarget,
  type EncodedResponseMode,
  ResponseModes,
} from '../../authorization/response-mode.ts'
import { invalidMetadata } from '../../clients/client-metadata.ts'
import type { Feature, ServerContext } from '../../feature.ts'
import { defineErrors } from '../../kernel/oauth-error.ts'
import type { Client, SigningAlgorithm } from '../../kernel/records.ts'
import { jose, type PrivateJwk } from '../../tokens/jwk.ts'

/**
 * @example
 * ```ts
 * import { SIGNED_RESPONSE_ERRORS } from '@grantkit/core/signed-responses'
 *
 * const { error } = SIGNED_RESPONSE_ERRORS.signed_response_required // 'invalid_request'
 * ```
 */
export const SIGNED_RESPONSE_ERRORS = defineErrors({
  signed_response_required: [
    'invalid_request',
    'Answers to this client must be signed. Send response_mode=jwt (JARM)',
  ],
})

export interface SignedResponsesOptions {
  /** Whether every answer must be signed. Default: those to clients that register `authorization_signed_response_alg`. */
  readonly required?: boolean | undefined
  /** Signs the answers to clients that register no algorithm. `keys` needs one for it. Default RS256 (JARM 3). */
  readonly algorithm?: SigningAlgorithm | undefined
}

/** JARM 3. */
const ALG = 'authorization_signed_response_alg'

/** Seconds. At most 10 minutes (JARM 2.1). */
const LIFETIME = 120

/** JARM 2.3, by the mode that carries each. An answer in a fragment would be for scripts alone. */
const CARRIERS = { jwt: 'query', 'query.jwt': 'query', 'form_post.jwt': 'form_post' }

/**
 * Answers requests with `response_mode=jwt`, `query.jwt` and, where `formPost` is mounted too, `form_post.jwt` (JARM). Errors go the
 * same way. Answers are not encrypted.
 *
 * @throws Error that names the option at fault, when the server is created
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { signedResponses } from '@grantkit/core/signed-responses'
 *
 * const features = [signedResponses()]
 * createAuthorizationServer({ issuer, store, scopes, secret, interaction, keys, claims, features })
 * ```
 */
export function signedResponses({
  required = false,
  algorithm = 'RS256',
}: SignedResponsesOptions = {}): Feature {
  return (server) => {
    const { algorithms } = server.keys
    if (!algorithms.includes(algorithm))
      throw new Error(
        `keys: signedResponses needs a key for ${algorithm}. Add one, or name another algorithm (in fapi2: messageSigning.responses)`,
      )
    const requiredBy = ({ featureMetadata }: Client) =>
      required || featureMetadata?.[ALG] !== undefined
        ? SIGNED_RESPONSE_ERRORS.signed_response_required
        : undefined
    const encode: EncodedResponseMode['encode'] = (target, parameters) =>
      signed(server, algorithm, target, parameters)
    const modeOf = ([name, carrier]: [string, string]) => ({
      name,
      carrier,
      requiredBy,
      encode,
      lifetime: LIFETIME,
    })
    return {
      errors: SIGNED_RESPONSE_ERRORS,
      responseModes: new ResponseModes(Object.entries(CARRIERS).map(modeOf)),
      metadata: { authorization_signing_alg_values_supported: algorithms },
      clientMetadata: () => ({ [ALG]: z.enum(algorithms).optional() }),
      // A document may name one for which the server has no key: its client would reject every answer.
      checkClient({ featureMetadata }) {
        const registered = featureMetadata?.[ALG]
        if (registered !== undefined && !algorithms.some((one) => one === registered))
          throw invalidMetadata(`${ALG} must be one of ${algorithms.join(', ')}`)
      },
    }
  }
}

/** JARM 2.1. */
async function signed(
  { keys, issuer, now }: ServerContext,
  byDefault: SigningAlgorithm,
  { client: { clientId, featureMetadata } }: AnswerTarget,
  parameters: AnswerParameters,
): Promise<AnswerParameters> {
  const at = now()
  const registered = keys.algorithms.find((alg) => alg === featureMetadata?.[ALG])
  // There is one at creation, and changed keys without it are not used.
  const key = keys.signer(registered ?? byDefault, at) as PrivateJwk
  const { SignJWT } = await jose()
  const jwt = new SignJWT({ ...parameters, iss: issuer, aud: clientId, exp: at + LIFETIME })
  jwt.setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT' })
  return { response: await jwt.sign(key) }
}
