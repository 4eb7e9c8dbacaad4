import { CLIENT_ERRORS } from '../../clients/client-record.ts'
import {
  type DecoupledRequest,
  isOpen,
  requestIn,
  requestRecordId,
  requestTimes,
} from '../../grants/decoupled-request.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import type { Transient } from '../../kernel/records.ts'
import { hmacSha256, newGrantId, newSecret, sha256 } from '../../kernel/secrets.ts'
import type { Stored } from '../../kernel/store.ts'
import type { AccessToken } from '../../resource/access.ts'
import { announce, type BackchannelRequests, LIFETIME, requestUrl, takePlace } from './backchannel-request.ts'
import { close, keyOfUser, requestsOf, storeOpened } from './user-requests.ts'

/** What an API is about to do for a caller. */
export interface Operation {
  /** As the guard of the API accepted it: it names the user and the client. */
  readonly token: AccessToken
  /** As `authorization_details` (RFC 9396), made of what the API will do. The user reads what their types say of them. */
  readonly details: readonly { readonly type: string; readonly [field: string]: unknown }[]
}

/**
 * `allowed`: carry the operation out; the next call asks again. `waiting`: the user answers at `url` until `expiresAt`, in epoch seconds;
 * then call again with the same details. `denied`: do not carry it out; for some minutes the answer stays.
 */
export type Approval =
  | { readonly state: 'allowed'; readonly requestId: string }
  | { readonly state: 'denied'; readonly requestId: string }
  | {
      readonly state: 'waiting'
      readonly requestId: string
      readonly url: string
      readonly expiresAt: number
    }

/** Asks the user, or takes the answer. @throws OAuthError */
export async function approvalOf(context: BackchannelRequests, operation: Operation): Promise<Approval> {
  const { server, transients, kind } = context
  const caller = await callerOf(context, operation)
  // The same operation of the same caller is the same request: whoever asks again finds its answer.
  const { claims } = operation.token
  const requestId = hmacSha256(server.secret[0], `operation\n${JSON.stringify({ ...caller, claims })}`)
  const recordId = requestRecordId(kind, requestId)
  const stored = await transients.find(recordId)
  const seen = requestIn(stored?.value)
  if (stored === undefined || seen === undefined) return opened(context, requestId, caller)
  if (isOpen(seen, server.now())) return waiting(context, requestId, seen)
  const { decision, clientId, endsAt } = seen
  if (decision !== undefined && decision.terms === undefined) return { state: 'denied', requestId }
  const key = keyOfUser(caller.subject)
  const { endedAt = 0 } = await requestsOf(context, key)
  if (decision === undefined || seen.taken || seen.createdAt < endedAt)
    return opened(context, requestId, caller, stored)
  // Its place must not be that of the next request, if the page has not given it back yet.
  await close(context, key, { requestId, clientId, endsAt }, 'allowed')
  // Not removed: of two removals, either may be that of the next request, and a store may not know which was the first.
  const isTaken = await transients.replace(recordId, stored, { ...seen, taken: true }, seen.expiresAt)
  return isTaken ? { state: 'allowed', requestId } : approvalOf(context, operation)
}

type Caller = Pick<DecoupledRequest, 'clientId' | 'resources' | 'asked'> & { readonly subject: string }

async function callerOf(
  { server }: BackchannelRequests,
  { token: { subject, clientId, resources }, details }: Operation,
): Promise<Caller> {
  const client = await server.store.clients.find(clientId)
  if (client === undefined) throw new OAuthError(CLIENT_ERRORS.client_unknown)
  const sent = { authorization_details: JSON.stringify(details) }
  const asked = server.requestTerms?.asked(sent, { client, scopes: [], resources })
  if (asked?.authorization_details === undefined)
    throw new Error('backchannelAuthentication: no feature of the server reads authorization_details')
  // What else a request asks of its user, such as an organization, was decided with the token.
  return { clientId, subject, resources, asked: { authorization_details: asked.authorization_details } }
}

function waiting(
  { pageUri }: BackchannelRequests,
  requestId: string,
  { endsAt }: DecoupledRequest,
): Approval {
  return { state: 'waiting', requestId, url: requestUrl(pageUri, requestId), expiresAt: endsAt }
}

/** @param over the record of an earlier request, which it replaces */
async function opened(
  context: BackchannelRequests,
  requestId: string,
  caller: Caller,
  over?: Stored<Transient>,
): Promise<Approval> {
  const { server, kind } = context
  const { clientId, subject } = caller
  const key = keyOfUser(subject)
  const now = server.now()
  // Of calls at once, the place of the first one: the request that is stored ends with its place.
  const endsAt = await takePlace(context, key, { requestId, clientId, endsAt: now + LIFETIME })
  const request: DecoupledRequest = {
    ...{ kind, operation: true, ...caller, scopes: [], ignoredScopes: [] },
    // Its code is never issued, and an approval opens no grant.
    ...{ grantId: newGrantId(server.random), codeHash: sha256(newSecret(server.random)) },
    ...requestTimes(now, endsAt - now),
  }
  if (await storeOpened(context, key, requestId, request, over))
    announce(context, { requestId, clientId, subject, expiresAt: endsAt })
  return waiting(context, requestId, request)
}
