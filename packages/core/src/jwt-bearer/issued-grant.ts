import type { ServerContext } from '../feature.ts'
import { formOf } from '../grants/access-tokens.ts'
import type { Exchanged, TokenRequest } from '../grants/grant-type.ts'
import { openWithinLimit } from '../grants/user-grants.ts'
import { OAuthError, SERVER_ERRORS } from '../kernel/oauth-error.ts'
import type { Client, Grant } from '../kernel/records.ts'
import { newGrantId, newSecret, sha256 } from '../kernel/secrets.ts'
import type { AssertionUse } from './replay.ts'

/** What a token request asks for, next to its assertion. */
export interface GrantRequest {
  readonly client: Client
  readonly scope: string | undefined
  readonly resources: readonly string[]
  /** The thumbprint of the key that the request proves. */
  readonly jkt: string | undefined
}

/** What an assertion gives. */
export interface ApprovedGrant extends Pick<Grant, 'scopes' | 'resources' | 'authTime' | 'acr' | 'amr'> {
  readonly authority: NonNullable<Grant['authority']>
  /** The user; absent for a workload. */
  readonly subject?: string | undefined
  /** Of the token, in seconds. */
  readonly lifetime: number
  readonly use: AssertionUse
}

/** A token was issued for an assertion. */
export interface AssertionExchanged {
  readonly type: 'assertion_exchanged'
  readonly grantId: string
  readonly clientId: string
  /** The user; absent for a workload. */
  readonly subject?: string | undefined
  /** `iss` of the assertion, and its `sub`. */
  readonly issuer: string
  readonly assertedSubject: string
  /** `act.sub` of an ID-JAG: who acts for the user, as the issuer says. */
  readonly actor?: string | undefined
}

/** Issues one grant with one token, which ends with it. There is no refresh token: the client presents another assertion. */
export async function issueGrant(
  server: ServerContext,
  approved: ApprovedGrant,
  { client, assertCanRespond, prepareResponse, jkt }: TokenRequest,
): Promise<Exchanged> {
  const { subject, scopes, resources, authority } = approved
  const accessToken = newSecret(server.random)
  const { lifetime, mark } = formOf(resources, approved.lifetime, server.terms.longest)
  const now = server.now()
  const times = { issuedAt: now, expiresAt: now + lifetime }
  const token = { hash: sha256(accessToken), scopes, resources, ...times, ...mark, ...(jkt && { jkt }) }
  const grant = { ...emptyGrant(server, approved, client, now + lifetime), accessTokens: [token] }
  assertCanRespond(client, grant)
  const issued = { accessToken, scopes, resources, expiresIn: lifetime, jkt }
  await prepareResponse({ kind: 'changed', grant, result: issued })
  // An assertion whose answer is a 429 or a 503 can be sent again.
  await approved.use.mark()
  await insert(server, grant)
  const ids = { grantId: grant.id, clientId: client.clientId, subject }
  const { issuer, subject: assertedSubject, actor } = authority
  server.emit({
    ...{ type: 'assertion_exchanged', ...ids, issuer, assertedSubject },
    ...(actor && { actor }),
  } satisfies AssertionExchanged)
  return { grant, issued }
}

function emptyGrant(
  { random, now }: ServerContext,
  { subject, scopes, resources, authTime, acr, amr, authority }: ApprovedGrant,
  { clientId }: Client,
  expiresAt: number,
): Omit<Grant, 'accessTokens'> {
  const createdAt = now()
  return {
    id: newGrantId(random),
    // A workload is no user: guards treat it as they treat client credentials.
    ...(subject === undefined ? { origin: 'machine' } : { origin: 'assertion', subject }),
    ...{ clientId, scopes, resources, authority, createdAt, usedAt: createdAt, expiresAt },
    ...(authTime !== undefined && { authTime }),
    ...(acr && { acr }),
    ...(amr && { amr }),
  }
}

async function insert(server: ServerContext, grant: Grant): Promise<void> {
  const opened =
    grant.subject === undefined
      ? await server.store.grants.insert(grant.id, grant, grant.expiresAt)
      : await openWithinLimit(server, grant)
  if (!opened) throw new OAuthError(SERVER_ERRORS.contention)
}
