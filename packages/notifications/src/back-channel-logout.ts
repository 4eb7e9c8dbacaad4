/** OpenID Connect Back-Channel Logout 1.0: the server tells clients by a signed message that a session has ended. */
import type { Feature, PrivateJwk } from '@grantkit/core'
import { type Client, type Grant, newId, type ServerContext, type Transients } from '@grantkit/core/feature'
import {
  jose,
  type MessagePost,
  OPENID,
  SESSION_ERRORS,
  type SessionObserver,
  sidsFor,
} from '@grantkit/core/internal'
import type { Receiver, Undelivered } from './delivery.ts'
import { createOutbox } from './outbox.ts'
import {
  endSessions,
  type LogoutFacts,
  logoutMetadata,
  logoutTermsOf,
  MAX_CLIENTS,
  type SessionClients,
  sessionClients,
  withoutIdToken,
} from './session-clients.ts'

export interface BackChannelLogoutOptions {
  /** Sends the messages: `safePost` of `@grantkit/safe-fetch`, which reaches only public addresses. */
  readonly post: MessagePost
  /** Seconds that a session of yours may last at most. For so long it is known which clients take part. Default 30 days. */
  readonly sessionLifetime?: number | undefined
  /** The allowed ports of `backchannel_logout_uri`, as those of `post`. Default: 443 alone. */
  readonly ports?: readonly number[] | undefined
  /**
   * Delivers by timers, or until a signal aborts, and continues after a start what another process left. `false`: only
   * `server.sessions.deliver()` delivers. Default true, but false in a Cloudflare Worker.
   */
  readonly timers?: boolean | AbortSignal | undefined
}

/** Clients may not know that a session has ended. Their own sessions go on. */
export interface LogoutUndelivered {
  readonly type: 'logout_undelivered'
  /** Absent if the messages could not be stored. */
  readonly clientId?: string | undefined
  readonly subject?: string | undefined
  readonly sid?: string | undefined
  /**
   * `refused`: the client answered so. `attempts`: the last attempt failed. `expired`: nobody tried it within 30 hours. `overflow`:
   * too many messages waited. `lost`: the store has lost them. `too_many_clients`: the session has more than 100 clients.
   * `not_stored`: the store failed at the sign-out.
   */
  readonly why: Undelivered<LogoutFacts>['why'] | 'too_many_clients' | 'not_stored'
  readonly count: number
  readonly attempts?: number | undefined
  readonly status?: number | undefined
  /** For the log only: it could reveal networks behind this server. */
  readonly fault?: string | undefined
  readonly cause?: unknown
}

const SESSION_LIFETIME = 30 * 24 * 60 * 60

/**
 * Tells the clients of a session that it has ended. The operator registers `backchannelLogoutUri` of a client with `clients.add`;
 * its ID tokens then have a `sid`. Call `server.sessions.ended` where your application ends sessions; `logout()` calls it by
 * itself. Needs a store with transients, and the `openid` scope.
 *
 * @throws Error that names the option at fault, when the server is created
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { backChannelLogout } from '@grantkit/notifications'
 * import { safePost } from '@grantkit/safe-fetch'
 *
 * const features = [backChannelLogout({ post: safePost({ issuer }) })]
 * export const authorization = createAuthorizationServer({
 *   ...{ issuer, store, scopes, secret, interaction, keys, claims, features },
 * })
 * ```
 */
export function backChannelLogout(options: BackChannelLogoutOptions): Feature {
  const { sessionLifetime: lifetime = SESSION_LIFETIME, ports } = options
  if (!Number.isInteger(lifetime) || lifetime < 1)
    throw new Error('backChannelLogout: sessionLifetime must be whole seconds')
  return (server) => {
    const { transients } = server.store
    if (transients === undefined) throw new Error('backChannelLogout: the store has no transients')
    if (server.keys.algorithms.length === 0)
      throw new Error('backChannelLogout needs the option keys of the server, to sign logout tokens')
    const sessions = sessionClients({
      ...{ transients, ports: server, lifetime },
      codeLifetime: server.terms.code,
    })
    const registered = registration(server, sessions)
    return {
      metadata: { backchannel_logout_supported: true, backchannel_logout_session_supported: true },
      clientMetadata: (registeredBy) => logoutMetadata(registeredBy, { issuer: server.issuer, ports }),
      tokenMembers: { prepare: ({ client, stored }) => registered(client, stored?.value) },
      sessions: observer(server, { ...options, transients, sessions }),
      errors: SESSION_ERRORS,
    }
  }
}

/** Before a code is redeemed, its client is named in the record of the session. A failure costs no code. */
function registration({ emit }: ServerContext, sessions: SessionClients) {
  async function register({ clientId, subject, scopes }: Grant, sid: string): Promise<undefined> {
    if (await sessions.add(sid, scopes.includes(OPENID) ? clientId : withoutIdToken(clientId))) return
    const why = 'too_many_clients'
    const count = MAX_CLIENTS
    emit({ type: 'logout_undelivered', clientId, subject, sid, why, count } satisfies LogoutUndelivered)
  }
  return (client: Client, grant: Grant | undefined) => {
    const terms = logoutTermsOf(client)
    if (terms === undefined || grant?.sid === undefined) return undefined
    if (grant.code === undefined || grant.code.redeemedAt !== undefined) return undefined
    // Its session alone matters to a bound client. A message is about an ID token.
    if (!terms.sessionBound && !grant.scopes.includes(OPENID)) return undefined
    return register(grant, grant.sid)
  }
}

interface ObserverParts extends BackChannelLogoutOptions {
  readonly transients: Transients
  readonly sessions: SessionClients
}

function observer(
  server: ServerContext,
  { transients, sessions, post, timers }: ObserverParts,
): SessionObserver {
  const sidsOf = sidsFor(server.issuer, server.secret)
  const outbox = createOutbox<LogoutFacts>(server, transients, {
    ...{ name: 'logout-outbox', post, timers },
    receiver: (clientId) => logoutReceiver(server, clientId),
    share: ({ sub }) => ({ subject: sub }),
    undelivered({ target: clientId, facts, ...report }) {
      const { sub: subject, sid } = facts ?? {}
      server.emit({
        type: 'logout_undelivered',
        clientId,
        subject,
        sid,
        ...report,
      } satisfies LogoutUndelivered)
    },
  })
  return {
    sidOf: ({ id, firstId = id }, client) =>
      logoutTermsOf(client) === undefined ? undefined : sidsOf(firstId)[0],
    deliver: () => outbox.deliver(),
    async ended(ended) {
      try {
        await endSessions({ kernel: server, sessions, outbox, sidsOf }, ended)
      } catch (cause) {
        const { subject, sessionIds } = ended
        const facts = { subject, why: 'not_stored', count: sessionIds.length, cause } as const
        server.emit({ type: 'logout_undelivered', ...facts } satisfies LogoutUndelivered)
      }
    },
  }
}

/** Back-Channel Logout 2.5. A client that is gone, or has no address any more, wants no message. */
async function logoutReceiver(
  server: ServerContext,
  clientId: string,
): Promise<Receiver<LogoutFacts> | 'gone'> {
  const client = await server.store.clients.find(clientId)
  const url = client && logoutTermsOf(client)?.uri
  if (client === undefined || url === undefined) return 'gone'
  return {
    url,
    async message({ facts }) {
      const token = await logoutToken(server, client, facts)
      const body = String(new URLSearchParams({ logout_token: token }))
      return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body }
    },
  }
}

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Seconds. It is used at once, and a captured one must not be replayed for long (Back-Channel Logout 4). */
const LIFETIME = 120

/** Signs a new token for each attempt. Without `nonce` and with its own type it is no ID token. @throws Error without a key */
async function logoutToken(
  { issuer, now, random, keys }: ServerContext,
  client: Client,
  facts: LogoutFacts,
): Promise<string> {
  const issuedAt = now()
  const key = signerOf(keys, client, issuedAt)
  const { SignJWT } = await jose()
  return new SignJWT({ events: { [LOGOUT_EVENT]: {} }, sid: facts.sid })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'logout+jwt' })
    .setIssuer(issuer)
    .setSubject(facts.sub)
    .setAudience(client.clientId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + LIFETIME)
    .setJti(newId(random))
    .sign(key)
}

/** The key of the ID tokens of the client (Back-Channel Logout 2.4). A profile may have taken its algorithm away. */
function signerOf(
  keys: ServerContext['keys'],
  { idTokenSignedResponseAlg }: Client,
  now: number,
): PrivateJwk {
  for (const alg of [idTokenSignedResponseAlg, ...keys.algorithms]) {
    const key = keys.signer(alg, now)
    if (key !== undefined) return key
  }
  throw new Error('backChannelLogout: no key signs logout tokens')
}
