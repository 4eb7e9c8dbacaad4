import { approve } from '../approval.ts'
import {
  type AuthorizationRequest,
  type AuthorizationTarget,
  answerByRedirect,
  readAuthorizationRequest,
  trustedTarget,
} from '../authorization-request.ts'
import {
  FORM,
  type HttpRequest,
  type HttpResponse,
  parameters,
  requireMediaType,
  securePage,
} from '../http.ts'
import type { ConsentScope, Session } from '../interaction.ts'
import { OAuthError } from '../oauth-error.ts'
import { basePathOf } from '../paths.ts'
import { signInNeeded } from '../rules/prompt.ts'
import { formActionSources } from '../rules/redirect-uri.ts'
import { includesAll } from '../rules/scope.ts'
import { sealTicket } from '../rules/ticket.ts'
import { newId } from '../secrets.ts'
import type { ServerContext } from '../server-context.ts'
import { markSignIn, signedInSince, splitSignInTicket } from '../sign-in-ticket.ts'
import { subjectOfHint } from '../tokens/id-token.ts'

/** What an authorization request carries through the browser: nothing is stored before the user approves. */
interface Visit {
  readonly target: AuthorizationTarget
  readonly request: AuthorizationRequest
  /** The request as the client sent it. */
  readonly query: string
  /** The user has just come back from the sign-in that this request demanded. */
  readonly signedInForThis: boolean
}

/** The authorization endpoint (RFC 6749 3.1 and 4.1.1, OpenID Connect Core 3.1.2). */
export async function authorize(server: ServerContext, request: HttpRequest): Promise<HttpResponse> {
  const { query, ticket } = splitSignInTicket(queryOf(request))
  const given = parameters(query)
  const target = await trustedTarget(server, given)
  return answerByRedirect(server, request, target, async () => {
    const asked = readAuthorizationRequest(server, target.client, given)
    const session = await server.interaction.session(request)
    const signedInForThis = signedInSince(server, query, ticket, session)
    return proceed(server, { target, request: asked, query, signedInForThis }, session)
  })
}

/** The steps between a valid request and a code, each of which may need the user. */
async function proceed(
  server: ServerContext,
  visit: Visit,
  session: Session | undefined,
): Promise<HttpResponse> {
  const { prompts, maxAge } = visit.request
  const demand = { prompts, maxAge, satisfied: visit.signedInForThis }
  if (session === undefined || signInNeeded(session, demand, server.now()))
    return askToSignIn(server, visit, session)
  if (!(await isHintedUser(server, visit.request.idTokenHint, session)))
    return askForHintedUser(server, visit, session)
  if (await consentRemembered(server, visit, session)) return approveRemembered(server, visit, session)
  return askForConsent(server, visit, session)
}

async function askToSignIn(
  server: ServerContext,
  visit: Visit,
  session: Session | undefined,
): Promise<HttpResponse> {
  const { target, request, query } = visit
  if (request.prompts.includes('none')) throw new OAuthError('sign_in_needed')
  const marked = demandsSignIn(request) ? markSignIn(server, query, session) : query
  const returnTo = `${pathOf(server, 'authorize')}?${marked}`
  const { loginHint, uiLocales } = request
  const { client, redirectUri } = target
  return securePage(await server.interaction.signIn(returnTo, { client, redirectUri, loginHint, uiLocales }))
}

/** Whether it will matter, once the user is back, that this request had sent them to sign in. */
function demandsSignIn({ prompts, maxAge, idTokenHint }: AuthorizationRequest): boolean {
  return prompts.length > 0 || maxAge !== undefined || idTokenHint !== undefined
}

/** Never a code for another user than the client meant (OpenID Connect Core 3.1.2.1, id_token_hint). */
function askForHintedUser(server: ServerContext, visit: Visit, session: Session): Promise<HttpResponse> {
  if (visit.signedInForThis) throw new OAuthError('sign_in_as_other_user')
  return askToSignIn(server, visit, session)
}

async function isHintedUser(
  server: ServerContext,
  hint: string | undefined,
  session: Session,
): Promise<boolean> {
  const hinted = hint === undefined ? undefined : await subjectOfHint(server.keys, server.issuer, hint)
  return hinted === undefined || hinted === session.subject
}

async function askForConsent(server: ServerContext, visit: Visit, session: Session): Promise<HttpResponse> {
  const { target, request, query } = visit
  if (request.prompts.includes('none')) throw new OAuthError('consent_needed')
  const page = await server.interaction.consentPage({
    client: target.client,
    session,
    redirectUri: target.redirectUri,
    scopes: consentScopes(server, request.scopes),
    resources: request.resources,
    action: `${pathOf(server, 'consent')}?${query}`,
    returnTo: `${pathOf(server, 'authorize')}?${query}`,
    ticket: consentTicket(server, query, session),
    formActionSources: formActionSources(target.redirectUri),
  })
  return securePage(page)
}

/** Only an integration may be remembered: anyone can claim to be a public client (RFC 8252 8.6). */
async function consentRemembered(server: ServerContext, visit: Visit, session: Session): Promise<boolean> {
  const { target, request } = visit
  const { client } = target
  const mayRemember = client.rememberConsent === true && client.tokenEndpointAuthMethod !== 'none'
  if (!mayRemember || request.prompts.includes('consent')) return false
  const grants = await server.store.grants.listBySubject(session.subject)
  return grants.some(
    (grant) => grant.clientId === client.clientId && includesAll(grant.scopes, request.scopes),
  )
}

function approveRemembered(
  server: ServerContext,
  { target, request, query }: Visit,
  session: Session,
): Promise<HttpResponse> {
  return approve(server, {
    target,
    request,
    session,
    scopes: request.scopes,
    ticket: consentTicket(server, query, session),
  })
}

function consentTicket(server: ServerContext, query: string, session: Session): string {
  const end = server.now() + server.lifetimes.consentTicket
  return sealTicket(
    server.secret,
    { purpose: 'consent', session: session.id, query },
    end,
    newId(server.random),
  )
}

function pathOf({ issuer, paths }: ServerContext, page: 'authorize' | 'consent'): string {
  return basePathOf(issuer) + paths[page]
}

function consentScopes(server: ServerContext, asked: readonly string[]): ConsentScope[] {
  return Object.entries(server.scopes)
    .filter(([name]) => asked.includes(name))
    .map(([name, definition]) => ({ ...definition, name, required: name === 'openid' }))
}

/** A POST carries in its body what a GET carries in its query (OpenID Connect Core 3.1.2.1). */
function queryOf(request: HttpRequest): string {
  if (request.method === 'GET') return request.query
  requireMediaType(request, FORM)
  return String(new URLSearchParams(request.body))
}
