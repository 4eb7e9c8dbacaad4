import { type ClientRemoval, removeClient } from './client-removal.ts'
import { authorize } from './endpoints/authorize.ts'
import { consent } from './endpoints/consent.ts'
import { introspect } from './endpoints/introspect.ts'
import { jwks } from './endpoints/jwks.ts'
import { register } from './endpoints/register.ts'
import { resourceMetadata } from './endpoints/resource-metadata.ts'
import { revoke } from './endpoints/revoke.ts'
import { serverMetadata } from './endpoints/server-metadata.ts'
import { token } from './endpoints/token.ts'
import { userinfo } from './endpoints/userinfo.ts'
import { type HttpResponse, type Route, securePage } from './http.ts'
import {
  addIntegration,
  type Integration,
  type IntegrationInformation,
  listIntegrations,
} from './integrations.ts'
import type { OAuthError } from './oauth-error.ts'
import { type AuthorizationServerOptions, checkOptions } from './options.ts'
import { basePathOf, wellKnownPath } from './paths.ts'
import { countedFailure } from './rate-limits.ts'
import { type Endpoint, route } from './route.ts'
import type { ServerContext } from './server-context.ts'
import { listUserGrants, revokeUserGrant, type UserGrant } from './user-grants.ts'

/** The authorization server, ready to be mounted: `routes` is all that an adapter needs. */
export interface AuthorizationServer {
  readonly issuer: string
  readonly routes: readonly Route[]
  readonly clients: {
    /** Adds an integration: a client with fixed redirect URIs, which cannot register itself. */
    add(integration: Integration): Promise<IntegrationInformation>
    /** The integrations, without their secrets. Looks at every client. */
    list(): Promise<IntegrationInformation[]>
    /**
     * Removes a client, an integration or one that registered itself, and ends its grants with all their tokens.
     * Looks at every grant; one that broke off is finished by the next.
     */
    remove(clientId: string): Promise<ClientRemoval>
  }
  /** What users allowed. Both ask whose grants they are about, so a page can only touch those of its own user. */
  readonly grants: {
    /** The live grants of a user, the one that fetched tokens last first. */
    list(subject: string): Promise<UserGrant[]>
    /**
     * Ends a grant of this user: consent and tokens, at once and together. `false`, and nothing changes, when there
     * is no such grant or it is somebody else's, which look the same.
     */
    revoke(subject: string, grantId: string): Promise<boolean>
  }
}

/** @throws Error that names the option at fault */
export function createAuthorizationServer<Scope extends string>(
  options: AuthorizationServerOptions<Scope>,
): AuthorizationServer {
  const server = checkOptions(options)
  const endpoints = [...pages(server), ...protocolEndpoints(server), ...documents(server)]
  return {
    issuer: server.issuer,
    routes: endpoints.map((endpoint) => route(endpoint, server.onEvent)),
    clients: {
      add: (integration) => addIntegration(server, integration),
      list: () => listIntegrations(server),
      remove: (clientId) => removeClient(server, clientId),
    },
    grants: {
      list: (subject) => listUserGrants(server, subject),
      revoke: (subject, grantId) => revokeUserGrant(server, subject, grantId),
    },
  }
}

/** Where a person's browser goes. No script of another origin may read these. */
function pages(server: ServerContext): Endpoint[] {
  const { paths } = server
  const refusal = (error: OAuthError) => errorPage(server, error)
  const at = (path: string) => ({ path: basePathOf(server.issuer) + path, cors: false, refusal })
  return [
    { ...at(paths.authorize), methods: ['GET', 'POST'], answer: (request) => authorize(server, request) },
    { ...at(paths.consent), methods: ['POST'], answer: (request) => consent(server, request) },
  ]
}

/** Where clients and resource servers go. */
function protocolEndpoints(server: ServerContext): Endpoint[] {
  const { paths } = server
  const at = (path: string) => ({ path: basePathOf(server.issuer) + path, cors: true })
  const counted: Endpoint['counted'] = (thrown, request) => countedFailure(server, request, thrown)
  const openId = Object.hasOwn(server.scopes, 'openid')
  return [
    { ...at(paths.token), methods: ['POST'], counted, answer: (request) => token(server, request) },
    { ...at(paths.register), methods: ['POST'], answer: (request) => register(server, request) },
    { ...at(paths.revoke), methods: ['POST'], counted, answer: (request) => revoke(server, request) },
    { ...at(paths.introspect), methods: ['POST'], counted, answer: (request) => introspect(server, request) },
    { ...at(paths.jwks), methods: ['GET'], answer: jwks(server) },
    ...(openId
      ? [
          {
            ...at(paths.userinfo),
            methods: ['GET', 'POST'],
            answer: (request) => userinfo(server, request),
          } satisfies Endpoint,
        ]
      : []),
  ]
}

/** What tells clients where everything is. OpenID Connect Discovery 4 wants its document below the issuer's path. */
function documents(server: ServerContext): Endpoint[] {
  const metadata = serverMetadata(server)
  const { issuer } = server
  const metadataPaths = new Set([
    wellKnownPath('oauth-authorization-server', issuer),
    wellKnownPath('openid-configuration', issuer),
    `${basePathOf(issuer)}/.well-known/openid-configuration`,
  ])
  const describe = (path: string, answer: Endpoint['answer']): Endpoint => ({
    path,
    cors: true,
    methods: ['GET'],
    answer,
  })
  return [
    ...[...metadataPaths].map((path) => describe(path, metadata)),
    ...server.resources.map((resource) =>
      describe(wellKnownPath('oauth-protected-resource', resource), resourceMetadata(server, resource)),
    ),
  ]
}

async function errorPage(server: ServerContext, error: OAuthError): Promise<HttpResponse> {
  const { error: code, message: description, reason } = error
  // 401 would make a browser look for a challenge; a person can only be told.
  const status = error.status === 401 ? 400 : error.status
  return securePage(await server.interaction.errorPage({ error: code, description, reason, status }))
}
