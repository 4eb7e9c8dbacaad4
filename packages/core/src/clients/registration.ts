import { type Endpoint, endpointPath, type PathOptions } from '../http/endpoint.ts'
import { type HttpRequest, json } from '../http/http.ts'
import { jsonBody, readMessage } from '../http/message.ts'
import { type Kernel, lifetime } from '../kernel/kernel.ts'
import { defineErrors, type ErrorDefinition } from '../kernel/oauth-error.ts'
import { camelCased } from '../kernel/records.ts'
import { withoutSecrets } from '../kernel/secrets.ts'
import { networksOf } from '../limits/caller-network.ts'
import type { Limiter, RateLimits } from '../limits/rate-limits.ts'
import {
  type ClientMembers,
  clientMetadata,
  featureMetadata,
  invalidMetadata,
  METADATA_ERRORS,
  type Registrable,
  withoutEmpty,
} from './client-metadata.ts'
import { addClient, clientInformation } from './client-record.ts'
import {
  isLoopback,
  REDIRECT_URI_ERRORS,
  type RedirectUriOptions,
  type RedirectUriVerdict,
  redirectUriPolicyOf,
  refusalOf,
  refuseResponseParameters,
} from './redirect-uri.ts'

export interface RegistrationOptions extends PathOptions<'register'>, RedirectUriOptions {
  /**
   * `false`: no client registers itself, and the server has no such endpoint. `{ initialAccessToken: true }`: only with a token
   * of `clients.addInitialAccessToken`. Default true.
   */
  readonly registration?: boolean | { readonly initialAccessToken: boolean } | undefined
  readonly lifetimes?:
    | {
        /** Lifetime of a self-registered client that no user has approved. Default 1 day. */
        readonly unusedClient?: number | undefined
      }
    | undefined
}

export const REGISTRATION_ERRORS = defineErrors({
  too_many_registrations: [
    'temporarily_unavailable',
    'Too many clients were registered from this address. Try again later',
    429,
  ],
})

/** High enough for many users behind one address. */
export const REGISTRATION_LIMITS: RateLimits = {
  registration: { points: 100, seconds: 600, withoutLimiter: true },
  /** All users of a hosted client register from a few addresses of its vendor. Of an IPv6 address, its /48 counts. */
  known_client_registration: { points: 1000, seconds: 600, withoutLimiter: true },
}

/** A client registered itself (RFC 7591). */
export interface ClientRegistered {
  readonly type: 'client_registered'
  readonly clientId: string
  readonly clientName?: string | undefined
  /** The id of the client to which its redirect URIs belong. */
  readonly known?: string | undefined
  /** The id of the initial access token that it presented, and the label of the token. */
  readonly initialAccessToken?: string | undefined
  readonly label?: string | undefined
}

/** Who may register, such as a client with an initial access token. @throws OAuthError, before the metadata is read */
export type AdmitRegistration = (request: HttpRequest) => Promise<Admission>

interface Admission {
  /** The members of `client_registered` that say why. */
  readonly event: Partial<ClientRegistered>
  /** The scopes that the client may ever request. Absent: every scope. */
  readonly scopeLimit: readonly string[] | undefined
  /** @throws OAuthError `invalid_client_metadata` */
  readonly withinLimit: (metadata: ClientMembers) => ClientMembers
  /** Called once the client is known to be valid. What it throws, stores nothing. */
  readonly beforeInsert: () => Promise<void>
}

const DAY = 24 * 60 * 60

/** Ten times what clients send, and little enough for strangers to store. */
const MAX_METADATA_BYTES = 4096

/** The client registration endpoint (RFC 7591 3), open to every client whose redirect URIs the policy accepts, unless it is switched off. */
export function registration(
  server: Kernel & { readonly limiter: Limiter },
  options: RegistrationOptions,
  registrable: Registrable,
  admit?: AdmitRegistration,
): { endpoints: Endpoint[] } {
  const unusedClient = lifetime('unusedClient', options.lifetimes?.unusedClient, DAY)
  const redirectUriPolicy = redirectUriPolicyOf(options)
  const message = clientMetadata(registrable)
  const register: Endpoint = {
    path: endpointPath('register', options.paths?.register, '/api/oauth/register'),
    metadataName: 'registration_endpoint',
    summary: 'Register a client (RFC 7591)',
    message,
    methods: ['POST'],
    cors: true,
    async answer(request) {
      const admission = admit && (await admit(request))
      const sent = readMessage(message, withoutEmpty(jsonBody(request)), errorOf)
      const metadata = camelCased(sent)
      const parameters = { redirect_uri: metadata.redirectUris }
      server.observer?.report({ fact: 'request_read', parameters }, request)
      const verdict = redirectUriPolicy(metadata.redirectUris)
      if ('refused' in verdict)
        throw refusalOf(verdict, REDIRECT_URI_ERRORS.redirect_uri_refused, { detail: verdict.refused })
      refuseResponseParameters(verdict.accepted)
      // Nothing longer is kept than was sent: most requests need no closer look.
      if (Buffer.byteLength(request.body) > MAX_METADATA_BYTES)
        limitMetadata({ ...sent, redirect_uris: verdict.accepted })
      // Last: invalid metadata does not count.
      await limitRegistrations(server.limiter, request, verdict)
      const knownClient = verdict.owner?.id
      const terms = {
        origin: 'registered',
        redirectUris: verdict.accepted,
        knownClient,
        scopeLimit: admission?.scopeLimit,
        featureMetadata: featureMetadata(metadata, registrable),
        expiresAt: server.now() + unusedClient,
      } as const
      const within = admission?.withinLimit(metadata) ?? metadata
      const registered = await addClient(server, within, terms, registrable, admission?.beforeInsert)
      const { clientId, clientName } = registered.client
      const event = {
        type: 'client_registered',
        clientId,
        clientName: clientName && withoutSecrets(clientName),
        ...(knownClient && { known: knownClient }),
        ...admission?.event,
      } satisfies ClientRegistered
      server.emit(event, request)
      return json(201, clientInformation(registered, server))
    },
  }
  return { endpoints: options.registration === false ? [] : [register] }
}

/** What a stranger stores is bounded. The scopes are not counted: they are names of this server. */
function limitMetadata({ scope: _, ...metadata }: Readonly<Record<string, unknown>>): void {
  const bytes = Buffer.byteLength(JSON.stringify(metadata))
  if (bytes > MAX_METADATA_BYTES)
    throw invalidMetadata(
      `The client metadata is too long: ${bytes} bytes without the scope. Send at most ${MAX_METADATA_BYTES}`,
    )
}

/**
 * Every limit counts for the caller: one that all users of a client shared would be used up by a single caller. With only hosted addresses of
 * one owner, a caller has more registrations, and above these the same as any other.
 */
async function limitRegistrations(
  limiter: Limiter,
  request: HttpRequest,
  { accepted, owner }: Extract<RedirectUriVerdict, { accepted: unknown }>,
): Promise<void> {
  const hosted = owner !== undefined && !accepted.some(isLoopback)
  const [network, , site = network] = networksOf(request.remoteAddress ?? '')
  if (hosted && (await limiter.take('known_client_registration', site)) === 0) return
  await limiter.limitCaller('registration', request, REGISTRATION_ERRORS.too_many_registrations)
}

/** Malformed redirect URIs have their own error code (RFC 7591 3.2.2). */
function errorOf(member: string): ErrorDefinition {
  return member === 'redirect_uris'
    ? REDIRECT_URI_ERRORS.redirect_uri_refused
    : METADATA_ERRORS.client_metadata_invalid
}
