import * as z from 'zod'
import { requiredChallenge } from '../grants/authorization-code.ts'
import type { AskedTerms, WithTerms } from '../grants/request-terms.ts'
import type { HttpRequest } from '../http/http.ts'
import { type Parameters, ResourceParameter, readMessage, text } from '../http/message.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, type ErrorDefinition, OAuthError, withCode } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { requestedMembers } from '../kernel/resource-indicator.ts'
import { OPENID, type ScopeOptions, type ScopesOfRequest, scopesOfRequest } from '../kernel/scope.ts'
import { type RedirectTarget, StateParameter } from './redirect-target.ts'
import { QUERY, RESPONSE_MODE_ERRORS, type ResponseModes } from './response-mode.ts'
import { type AuthenticationClasses, type Prompt, requestedPrompts } from './sign-in.ts'

export const REQUEST_ERRORS = defineErrors({
  ...withCode('invalid_request', {
    challenge_and_nonce_missing:
      'code_challenge and nonce are missing. Send code_challenge, or the scope openid and a nonce (OAuth 2.1 7.5.1)',
    response_type_missing: 'response_type is missing. Send response_type=code',
  }),
  client_cannot_authenticate: [
    'unauthorized_client',
    "The server supports none of the client's authentication methods; see token_endpoint_auth_methods_supported",
  ],
  response_type_unsupported: ['unsupported_response_type', 'response_type must be code'],
  request_object_unsupported: [
    'request_not_supported',
    'The request parameter is not supported. Send the parameters themselves',
  ],
  request_uri_unsupported: [
    'request_uri_not_supported',
    'The request_uri parameter is not supported. Send the parameters themselves',
  ],
  registration_unsupported: [
    'registration_not_supported',
    'The registration parameter is not supported. Register the client first',
  ],
})

/** The only flow. */
export const RESPONSE_TYPE = 'code'

/** A valid authorization request, ready to show to the user. */
export interface AuthorizationRequest extends ScopesOfRequest {
  readonly resources: readonly string[]
  readonly challenge?: string | undefined
  /** The thumbprint of the only key that may redeem the code (RFC 9449 10). */
  readonly jkt?: string | undefined
  readonly nonce?: string | undefined
  readonly prompts: readonly Prompt[]
  readonly maxAge?: number | undefined
  /** The classes of sign-ins that it asks for; absent if it asks for none. */
  readonly acrValues?: readonly string[] | undefined
  readonly idTokenHint?: string | undefined
  readonly loginHint?: string | undefined
  readonly uiLocales?: string | undefined
  /** What it asks for beside scopes and resources; absent for nothing. */
  readonly asked?: AskedTerms | undefined
}

const parameter = text()

/** RFC 6749 4.1.1, RFC 7636 4.3, RFC 8707 2, OpenID Connect Core 3.1.2.1. */
export const AuthorizationParameters = z.object({
  response_type: parameter.optional(),
  response_mode: parameter.optional(),
  scope: parameter.optional(),
  state: StateParameter,
  code_challenge: parameter.optional(),
  code_challenge_method: parameter.optional(),
  resource: ResourceParameter,
  nonce: parameter.optional(),
  prompt: parameter.optional(),
  max_age: z
    .string()
    .regex(/^[0-9]{1,9}$/, 'must be a number of seconds')
    .optional(),
  id_token_hint: parameter.optional(),
  login_hint: parameter.optional(),
  ui_locales: parameter.optional(),
  request: z.unknown().optional(),
  request_uri: z.unknown().optional(),
  registration: z.unknown().optional(),
})
type AuthorizationParameters = z.infer<typeof AuthorizationParameters>

/** Where codes can be bound to a key; any other server ignores `dpop_jkt` (RFC 9449 10). */
const BINDING = {
  dpop_jkt: z
    .string()
    .regex(/^[\w-]{43}$/, 'must be a SHA-256 thumbprint in base64url')
    .optional(),
}
/** Where sign-ins have classes; any other server ignores it (OpenID Connect Core 3.1.2.1). */
const CLASSES = { acr_values: parameter.optional() }

const AllParameters = AuthorizationParameters.extend(BINDING).extend(CLASSES)
type AllParameters = z.infer<typeof AllParameters>

export interface ChallengeOptions {
  /** `required`: no client may omit the challenge, even with `pkceOptional`. Default: `pkceOptional` of the client counts. */
  readonly pkce?: 'required' | undefined
}

export interface RequestOptions extends ScopeOptions, ChallengeOptions, WithTerms {
  /** Those of {@link parametersOf}. */
  readonly parameters: z.ZodType<AllParameters>
  /** Absent: `query` alone. */
  readonly responseModes?: ResponseModes | undefined
  /** Absent: sign-ins have no classes. */
  readonly authenticationClasses?: AuthenticationClasses | undefined
}

interface ParameterOptions extends WithTerms, Pick<RequestOptions, 'authenticationClasses'> {
  /** Whether a code can be bound to a key. */
  readonly bindsCodes: boolean
}

/**
 * Step two: the parameters of the request.
 *
 * @throws OAuthError to be sent to the client by redirect
 */
export function readAuthorizationRequest(
  { scopes, resources }: Kernel,
  options: RequestOptions,
  { client, redirectUri, responseMode }: Pick<RedirectTarget, 'client' | 'redirectUri' | 'responseMode'>,
  sent: Parameters,
): AuthorizationRequest {
  const requested: AllParameters = readMessage(options.parameters, sent)
  refuseUnsupported(requested)
  if (responseMode.name !== (requested.response_mode ?? QUERY.name)) {
    const refusal = options.responseModes?.refusal({ client, redirectUri })
    throw refusal ?? new OAuthError(RESPONSE_MODE_ERRORS.response_mode_unsupported)
  }
  if (client.cannotAuthenticate === true) throw new OAuthError(REQUEST_ERRORS.client_cannot_authenticate)
  const challenge = challengeOf(requested, client, options)
  const prompts = requestedPrompts(requested.prompt)
  const scope = scopesOfRequest(scopes, options, client, requested.scope)
  // Only the nonce in an ID token protects a code in place of the challenge.
  const hasNonce = requested.nonce !== undefined && scope.scopes.includes(OPENID)
  if (challenge === undefined && !hasNonce && client.nonceOptional !== true)
    throw new OAuthError(REQUEST_ERRORS.challenge_and_nonce_missing)
  const members = requestedMembers(requested.resource, resources)
  return {
    ...scope,
    resources: members,
    asked: options.requestTerms?.asked(sent, { client, scopes: scope.scopes, resources: members }),
    challenge,
    jkt: requested.dpop_jkt,
    nonce: requested.nonce,
    prompts,
    maxAge: requested.max_age === undefined ? undefined : Number(requested.max_age),
    acrValues: options.authenticationClasses?.requested(requested.acr_values),
    idTokenHint: requested.id_token_hint,
    loginHint: requested.login_hint,
    uiLocales: requested.ui_locales,
  }
}

/**
 * The parameters that a server reads.
 *
 * @throws Error for a parameter of a term that has another meaning
 */
export function parametersOf({
  bindsCodes,
  authenticationClasses,
  requestTerms,
}: ParameterOptions): z.ZodType<AllParameters> {
  const hasClasses = (authenticationClasses?.names.length ?? 0) > 0
  return AuthorizationParameters.extend({
    ...(bindsCodes && BINDING),
    ...(hasClasses && CLASSES),
    ...requestTerms?.parametersBeside(AllParameters.shape),
  }) as unknown as z.ZodType<AllParameters>
}

/** The client has a secret then, which protects the code from all but injection (RFC 9700 2.1.1). */
function challengeOf(
  { code_challenge, code_challenge_method }: AuthorizationParameters,
  { pkceOptional, tokenEndpointAuthMethod }: Client,
  { pkce }: ChallengeOptions,
): string | undefined {
  const mayLack = pkce !== 'required' && pkceOptional === true && tokenEndpointAuthMethod !== 'none'
  if (mayLack && code_challenge === undefined && code_challenge_method === undefined) return undefined
  return requiredChallenge(code_challenge, code_challenge_method)
}

function refuseUnsupported(requested: AuthorizationParameters): void {
  if (requested.request_uri !== undefined) throw new OAuthError(REQUEST_ERRORS.request_uri_unsupported)
  if (requested.request !== undefined) throw new OAuthError(REQUEST_ERRORS.request_object_unsupported)
  if (requested.registration !== undefined) throw new OAuthError(REQUEST_ERRORS.registration_unsupported)
  if (requested.response_type === undefined) throw new OAuthError(REQUEST_ERRORS.response_type_missing)
  if (requested.response_type !== RESPONSE_TYPE)
    throw new OAuthError(REQUEST_ERRORS.response_type_unsupported)
}

// Requests that are one parameter: pushed ones (RFC 9126) and request objects (RFC 9101).

/** What one parameter carries in place of all others. */
export interface OpenedRequest {
  readonly parameter: AuthorizationRequestSource['parameter']
  /** With the `client_id`. */
  readonly sent: Parameters
  /** A request of this name has one answer, however many forms were made of it (RFC 9126 4). A push seals it: it is short. */
  readonly name: string
  /** The browser must arrive before then. Epoch seconds. */
  readonly expiresAt: number
  /** Until when one of this name may arrive elsewhere, in epoch seconds. Default: `expiresAt`. */
  readonly nameExpiresAt?: number | undefined
  /** Whether its client is known to have made it, once it is verified. */
  readonly proven: boolean
  /** Each is shown as a page. */
  readonly errors: { readonly expired: ErrorDefinition; readonly spent: ErrorDefinition }
  /**
   * Checks what depends on the client, before anything of the request counts. Absent: there is nothing to check.
   *
   * @param at when it arrived, in epoch seconds
   * @throws OAuthError to be shown as a page
   */
  verify?(client: Client, at: number): Promise<void>
  /** Its user has allowed it, or it was pushed. */
  accepted?(request: HttpRequest, by: AcceptedBy): void
}

/** Who stands behind a request: its user, or at a push its client, if it has authenticated. */
interface AcceptedBy {
  readonly subject?: string | undefined
  readonly authenticated?: boolean | undefined
}

/** Opens the requests that come as one parameter. */
export interface AuthorizationRequestSource {
  readonly parameter: 'request_uri' | 'request'
  /**
   * @returns `undefined` if the value is of another source
   * @throws OAuthError to be shown as a page, such as for the request of another client
   */
  open(value: string, clientId: string): OpenedRequest | undefined
  /** Why a request of this client must not come like this; absent if it may. @param opened absent if it came as plain parameters */
  refusal(client: Client, opened: OpenedRequest | undefined): ErrorDefinition | undefined
}

/** A request that a client pushed. */
interface ValidatedRequest {
  /** Those to keep. */
  readonly parameters: Parameters
  /** Present if they came as one parameter. Whoever keeps them keeps its name too, and says that it is accepted. */
  readonly opened?: OpenedRequest | undefined
}

/**
 * Validates the parameters of a request as the authorization endpoint does. Without a client, only their form: the rest is
 * checked when the browser arrives (RFC 9126 2.1).
 *
 * @param bind adds what the push itself proves
 * @param now the time at which the push was read, in epoch seconds
 * @throws OAuthError
 */
export type ValidateRequest = (
  sent: Parameters,
  bind: (parameters: Parameters, opened?: OpenedRequest) => Parameters,
  now: number,
  client?: Client,
) => Promise<ValidatedRequest>
