/** A request object (RFC 9101 4): the parameters of an authorization request in a JWT that the client signed. */
import * as z from 'zod'
import type { OpenedRequest } from '../../authorization/authorization-request.ts'
import type { ServerContext } from '../../feature.ts'
import { type Parameters, parameters } from '../../http/message.ts'
import { CLOCK_TOLERANCE } from '../../kernel/kernel.ts'
import { defineErrors, OAuthError, withCode } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import { type Hash, sha256 } from '../../kernel/secrets.ts'
import {
  type CompactJws,
  type JwtClaims,
  readJws,
  requireAudience,
  requireSignature,
  requireTimes,
} from '../../tokens/compact-jws.ts'
import { type JwsAlgorithm, registeredAlgorithms } from '../../tokens/jwk.ts'

/**
 * @example
 * ```ts
 * import { REQUEST_OBJECT_ERRORS } from '@grantkit/core/request-objects'
 *
 * const { error } = REQUEST_OBJECT_ERRORS.request_object_signature // 'invalid_request_object'
 * ```
 */
export const REQUEST_OBJECT_ERRORS = defineErrors({
  ...withCode('invalid_request_object', {
    request_object_malformed:
      'The request object must be a signed JWT of three parts, with no request or request_uri in it (RFC 9101 4)',
    request_object_client:
      'client_id of the request object, and its iss, must be the client_id of the request; sub must not be',
    request_object_algorithm:
      'The server does not accept this alg; see request_object_signing_alg_values_supported',
    request_object_typ: 'typ of the request object names another kind of JWT. Send oauth-authz-req+jwt',
    request_object_signature: 'No key of the client verifies the request object',
    request_object_audience: 'aud of the request object must have the issuer of this server',
    request_object_times: 'exp, nbf or iat of the request object is missing or no time',
    request_object_expired: 'The request object has expired. Begin again in the application',
    request_object_early: 'iat or nbf of the request object is in the future. Compare your clock',
    request_object_too_long: 'The request object is too old, or its exp is too far ahead',
    request_object_spent: 'This request object was used before. Begin again in the application',
  }),
  request_object_missing: [
    'invalid_request',
    'The request must be signed. Send it in a request object (RFC 9101)',
  ],
})

const JWT_ERRORS = {
  algorithm: REQUEST_OBJECT_ERRORS.request_object_algorithm,
  signature: REQUEST_OBJECT_ERRORS.request_object_signature,
  audience: REQUEST_OBJECT_ERRORS.request_object_audience,
  endless: REQUEST_OBJECT_ERRORS.request_object_times,
  claims: REQUEST_OBJECT_ERRORS.request_object_times,
  expired: REQUEST_OBJECT_ERRORS.request_object_expired,
  early: REQUEST_OBJECT_ERRORS.request_object_early,
}

/** Which request objects the server accepts. */
export interface AcceptedObjects {
  readonly algorithms: readonly JwsAlgorithm[]
  /** In seconds. */
  readonly maxAge: number
  readonly nbf: 'required' | undefined
}

/** A client has sent what it signed, and its user has allowed it, or it was pushed. */
export interface RequestObjectAccepted {
  readonly type: 'request_object_accepted'
  readonly clientId: string
  /** Who has allowed it; absent at a push. */
  readonly subject?: string | undefined
  /** At a push: whether its client has authenticated. Anybody can push what a public client has signed, again and again. */
  readonly authenticated?: boolean | undefined
  /** Of the key, as the object names it. */
  readonly kid?: string | undefined
  /** SHA-256 of the object, in base64url. */
  readonly hash: Hash
  /** The object itself: only the client can have signed it. */
  readonly requestObject: string
}

/** In seconds: it may be pushed at its end, and the browser brings the `request_uri` later. */
const MAX_PUSHED = 10 * 60

/** Nothing in it is verified yet. @throws OAuthError to be shown as a page */
export function openObject(
  server: ServerContext,
  accepted: AcceptedObjects,
  object: string,
  clientId: string,
): OpenedRequest {
  const jws = readJws(object)
  const claims = jws?.claims
  if (jws === undefined || claims === undefined || 'request' in claims || 'request_uri' in claims)
    throw new OAuthError(REQUEST_OBJECT_ERRORS.request_object_malformed)
  const { iss = clientId, sub, client_id } = claims
  // With the client as its subject it would be a client assertion (RFC 9101 10.8).
  if (client_id !== clientId || iss !== clientId || sub === clientId)
    throw new OAuthError(REQUEST_OBJECT_ERRORS.request_object_client)
  const exp = z.number().safeParse(claims.exp).data
  if (exp === undefined) throw new OAuthError(REQUEST_OBJECT_ERRORS.request_object_times)
  const expiresAt = Math.floor(exp) + CLOCK_TOLERANCE
  return {
    parameter: 'request',
    sent: parametersIn(claims),
    // Not the signature: there are several for one content.
    name: sha256(jws.signed),
    expiresAt,
    nameExpiresAt: expiresAt + MAX_PUSHED,
    proven: true,
    errors: {
      expired: REQUEST_OBJECT_ERRORS.request_object_expired,
      spent: REQUEST_OBJECT_ERRORS.request_object_spent,
    },
    verify: (client, at) => verifyObject(server, accepted, { jws, claims }, client, at),
    accepted(request, { subject, authenticated }) {
      const kid = z.string().max(200).safeParse(jws.header.kid).data
      const facts = { clientId, subject, authenticated, kid, hash: sha256(object), requestObject: object }
      server.emit({ type: 'request_object_accepted', ...facts } satisfies RequestObjectAccepted, request)
    },
  }
}

/** RFC 7519 4.1: claims about the JWT, and no parameters. */
const JWT_CLAIMS = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti']

/** The claims as a query would have them: numbers and JSON as text, a `resource` for each of a list (RFC 8707 2), and no nulls. */
function parametersIn(claims: JwtClaims): Parameters {
  const query = new URLSearchParams()
  for (const [name, claim] of Object.entries(claims)) {
    if (JWT_CLAIMS.includes(name)) continue
    for (const value of name === 'resource' ? [claim].flat() : [claim])
      if (value !== null) query.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  return parameters(String(query))
}

/** Another `typ` is another kind of JWT by the same key (RFC 8725 3.11). RFC 9101 10.8 recommends the first, and many leave it out. */
const TYPE = /^(application\/)?(oauth-authz-req\+)?jwt$/i

/** @param at when it arrived: it may expire while its user signs in @throws OAuthError */
async function verifyObject(
  { issuer, now, clientKeys }: ServerContext,
  { algorithms, maxAge, nbf: needed }: AcceptedObjects,
  { jws, claims }: { readonly jws: CompactJws; readonly claims: JwtClaims },
  client: Client,
  at: number,
): Promise<void> {
  const keys = clientKeys?.(client) ?? (async () => [])
  const registered = client.featureMetadata?.[SIGNING_ALG]
  const verification = { algorithms: registeredAlgorithms(algorithms, registered), keys }
  await requireSignature(jws, verification, now(), JWT_ERRORS)
  requireAudience(claims, [issuer], JWT_ERRORS, true)
  if (!TYPE.test(String(jws.header.typ ?? 'JWT')))
    throw new OAuthError(REQUEST_OBJECT_ERRORS.request_object_typ)
  const { exp, nbf } = requireTimes(claims, at, JWT_ERRORS)
  if (needed && nbf === undefined) throw new OAuthError(REQUEST_OBJECT_ERRORS.request_object_times)
  const isOld = nbf !== undefined && (at - nbf > maxAge || exp - nbf > maxAge)
  if (isOld || exp - at > maxAge + CLOCK_TOLERANCE)
    throw new OAuthError(REQUEST_OBJECT_ERRORS.request_object_too_long)
}

/** RFC 9101 10.5, as clients register it. */
export const SIGNING_ALG = 'request_object_signing_alg'
