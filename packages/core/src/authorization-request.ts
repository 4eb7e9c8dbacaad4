import { z } from 'zod'
import { findClient } from './client-lookup.ts'
import { type HttpRequest, type HttpResponse, type Parameters, redirect } from './http.ts'
import { readMessage, text } from './message.ts'
import { OAuthError } from './oauth-error.ts'
import { reportedError } from './route.ts'
import { challengeFault } from './rules/pkce.ts'
import { type Prompt, parsePrompt } from './rules/prompt.ts'
import { redirectUriMatches, withParameters } from './rules/redirect-uri.ts'
import { ResourceParameter, requestedResources } from './rules/resource-indicator.ts'
import { requestedScopes } from './rules/scope.ts'
import type { ServerContext } from './server-context.ts'
import type { Client } from './store.ts'

/** Where the answer goes. Until this is known to be the client's own, a refusal is a page (RFC 6749 4.1.2.1). */
export interface AuthorizationTarget {
  readonly client: Client
  readonly redirectUri: string
  readonly state?: string | undefined
}

/** An authorization request that may be put before the user. */
export interface AuthorizationRequest {
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
  readonly challenge: string
  readonly nonce?: string | undefined
  readonly prompts: readonly Prompt[]
  readonly maxAge?: number | undefined
  readonly idTokenHint?: string | undefined
  readonly loginHint?: string | undefined
  readonly uiLocales?: string | undefined
}

const parameter = text()

const TargetParameters = z.object({ client_id: parameter, redirect_uri: parameter.optional() })

/** RFC 6749 4.1.1, RFC 7636 4.3, RFC 8707 2, OpenID Connect Core 3.1.2.1. */
export const AuthorizationParameters = z.object({
  response_type: parameter.optional(),
  response_mode: parameter.optional(),
  scope: parameter.optional(),
  state: parameter.optional(),
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

/** The first half: a client we know, at a redirect URI it registered. @throws OAuthError to be shown as a page */
export async function trustedTarget(server: ServerContext, given: Parameters): Promise<AuthorizationTarget> {
  const { client_id, redirect_uri } = readMessage(TargetParameters, given)
  const client = await findClient(server, client_id)
  if (client === undefined) throw new OAuthError('client_unknown')
  if (redirect_uri === undefined) throw new OAuthError('redirect_uri_missing')
  if (!client.redirectUris.some((registered) => redirectUriMatches(registered, redirect_uri))) {
    throw new OAuthError('redirect_uri_not_registered')
  }
  return {
    client,
    redirectUri: redirect_uri,
    state: stateOf(given),
  }
}

/** Returned with every answer, even where the rest of the request cannot be read. */
function stateOf({ state }: Parameters): string | undefined {
  return parameter.safeParse(state).data
}

/** The second half: what is asked for. @throws OAuthError to be sent to the client by redirect */
export function readAuthorizationRequest(
  server: ServerContext,
  client: Client,
  given: Parameters,
): AuthorizationRequest {
  const asked = readMessage(AuthorizationParameters, given)
  refuseUnsupported(asked)
  const fault = challengeFault(asked.code_challenge, asked.code_challenge_method)
  if (fault !== undefined) throw new OAuthError(fault)
  const prompts = parsePrompt(asked.prompt)
  if (prompts === undefined) throw new OAuthError('prompt_invalid')
  return {
    scopes: scopesAsked(server, client, asked.scope),
    resources: resourcesAsked(server, asked.resource),
    challenge: asked.code_challenge ?? '',
    nonce: asked.nonce,
    prompts,
    maxAge: asked.max_age === undefined ? undefined : Number(asked.max_age),
    idTokenHint: asked.id_token_hint,
    loginHint: asked.login_hint,
    uiLocales: asked.ui_locales,
  }
}

/** Runs the second half: a refusal goes back to the client with its state and our issuer (RFC 9207 2). */
export async function answerByRedirect(
  server: ServerContext,
  request: HttpRequest,
  target: AuthorizationTarget,
  answer: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  try {
    return await answer()
  } catch (thrown) {
    const { error, message } = reportedError(thrown, request, server.onEvent)
    return authorizationResponse(server, target, { error, error_description: message })
  }
}

/** RFC 6749 4.1.2, RFC 9207 2. */
export function authorizationResponse(
  server: ServerContext,
  { redirectUri, state }: AuthorizationTarget,
  answer: { readonly code: string } | { readonly error: string; readonly error_description: string },
): HttpResponse {
  return redirect(withParameters(redirectUri, { ...answer, state, iss: server.issuer }))
}

function refuseUnsupported(asked: AuthorizationParameters): void {
  if (asked.request !== undefined) throw new OAuthError('request_object_unsupported')
  if (asked.request_uri !== undefined) throw new OAuthError('request_uri_unsupported')
  if (asked.registration !== undefined) throw new OAuthError('registration_unsupported')
  if (asked.response_type === undefined) throw new OAuthError('response_type_missing')
  if (asked.response_type !== 'code') throw new OAuthError('response_type_unsupported')
  if ((asked.response_mode ?? 'query') !== 'query') throw new OAuthError('response_mode_unsupported')
}

function scopesAsked(server: ServerContext, client: Client, scope = server.defaultScope): readonly string[] {
  if (scope === undefined) throw new OAuthError('scope_missing')
  const scopes = requestedScopes(scope, server.scopes, client.scopes)
  if (typeof scopes === 'string') throw new OAuthError(scopes)
  return scopes
}

function resourcesAsked(server: ServerContext, asked: readonly string[]): readonly string[] {
  const resources = requestedResources(asked, server.resources)
  if (typeof resources === 'string') throw new OAuthError(resources)
  return resources
}
