import type { Feature, Interaction, ScopeDefinition, ServerSecret } from '@grantkit/core'
import { backchannelAuthentication, type UserHint } from '@grantkit/core/backchannel-authentication'
import { clientAssertion } from '@grantkit/core/client-assertion'
import { clientCredentials } from '@grantkit/core/client-credentials'
import { clientDocuments } from '@grantkit/core/client-documents'
import { device } from '@grantkit/core/device'
import { type DpopOptions, dpop, dpopProofs } from '@grantkit/core/dpop'
import { FAPI2_PROOF_ALGORITHMS, fapi2 } from '@grantkit/core/fapi2'
import { formPost } from '@grantkit/core/form-post'
import { type ForwardAuthOptions, forwardAuth } from '@grantkit/core/forward-auth'
import type { Profile } from '@grantkit/core/internal'
import { jwtAccessTokens, revocationFeed } from '@grantkit/core/jwt-access-tokens'
import { jwtBearer, type SubjectOf } from '@grantkit/core/jwt-bearer'
import { type LogoutInteraction, logout } from '@grantkit/core/logout'
import { type Organization, organizations } from '@grantkit/core/organizations'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import type { PersonalTokens } from '@grantkit/core/personal-tokens'
import { requestObjects } from '@grantkit/core/request-objects'
import { signedResponses } from '@grantkit/core/signed-responses'
import { tokenExchange } from '@grantkit/core/token-exchange'
import { type KnownClients, knownClients } from '@grantkit/known-clients'
import { backChannelLogout } from '@grantkit/notifications'
import * as z from 'zod'
import { type Accounts, addressOf, type StoredAccount } from '../accounts/accounts.ts'
import { linkByAddress } from '../accounts/upstream/identities.ts'
import type { Config } from '../config/config.ts'
import { takesAssertions } from '../config/jwt-bearer.ts'
import { ConfigError, contentOf, jsonOf } from '../config/text-file.ts'
import type { SignInMethodChanged } from '../events.ts'
import { outboundFetch, outboundPost } from '../http/outbound.ts'
import type { Site } from '../http/page.ts'
import type { Sessions } from '../sign-in/session.ts'
import type { WaysToSignIn } from '../sign-in/ways-to-sign-in.ts'

/** The features of core that are configured, in the order of the metadata. @param delivers whether this process delivers messages */
export async function optionalFeatures(
  config: Config,
  authentication: Authentication,
  delivers: boolean,
): Promise<Feature[]> {
  const { features } = config
  const documents = await clientDocumentsOf(config)
  // A profile mounts the authentication by key, DPoP, PAR and signed messages itself.
  const isOwn = features.profile === undefined
  const byKey = isOwn && features.clientAuthentication.includes('private_key_jwt')
  const messages = { sessionLifetime: authentication.sessions.lifetime, timers: delivers }
  return [
    ...signedAccessTokens(config),
    ...(documents === undefined ? [] : [clientDocuments(documents)]),
    ...(byKey ? [clientAssertion({ ...features.clientAssertion, fetch: await outboundFetch(config) })] : []),
    ...(features.clientCredentials ? [clientCredentials()] : []),
    ...(isOwn && features.dpop.mode !== 'off' ? [dpop(dpopOf(features))] : []),
    ...(features.forwardAuth.enabled ? [forwardAuth(forwardAuthOf(features))] : []),
    ...(features.tokenExchange ? [tokenExchange()] : []),
    ...(takesAssertions(features) ? [await jwtBearerOf(config, authentication)] : []),
    ...(isOwn && features.par !== 'off'
      ? [pushedAuthorizationRequests({ required: features.par === 'required' })]
      : []),
    ...(features.formPost ? [formPost(authentication.site.ui.formPost)] : []),
    ...(isOwn && features.requestObjects !== 'off'
      ? [requestObjects({ required: features.requestObjects === 'required' })]
      : []),
    ...(isOwn && features.signedResponses !== 'off'
      ? [signedResponses({ required: features.signedResponses === 'required' })]
      : []),
    ...organizationsOf(config, authentication),
    ...(features.logout ? [logout(authentication.logout)] : []),
    // The receivers are clients of the operator, at public addresses.
    ...(features.backChannelLogout
      ? [backChannelLogout({ ...messages, post: await outboundPost(config) })]
      : []),
    ...(features.device === 'off'
      ? []
      : [device(authentication.site.ui.device, { selfRegistered: features.device === 'all' })]),
    ...(features.backchannelAuthentication ? [backchannelOf(authentication)] : []),
    ...(authentication.personalTokens === undefined ? [] : [authentication.personalTokens]),
  ]
}

/** A list that cannot be read is a 503: it must not look like no organization. */
const Listed = z.array(
  z.union([
    z.object({ id: z.string(), name: z.string() }),
    z.string().transform((name) => ({ id: name, name })),
  ]),
)

/** The organizations of a user, from a claim. A user who is gone has none. */
function organizationsOf(
  { features: { organizations: configured } }: Pick<Config, 'features'>,
  { accounts }: Pick<Authentication, 'accounts'>,
): Feature[] {
  const { from, ...options } = configured
  if (from === undefined) return []
  const of = async (subject: string): Promise<readonly Organization[]> =>
    Listed.parse((await accounts.claims(subject))?.[from] ?? [])
  return [organizations({ ...options, of })]
}

/** Users are told by mail, and by webhooks, which hear the event. */
function backchannelOf({ site, accounts }: Authentication): Feature {
  const userOf = async ({ name, value }: UserHint) => {
    // An id can be an address too, such as one of a directory.
    const named = await accounts.find(value)
    if (named !== undefined || name !== 'login_hint') return named?.id
    return (await accounts.find((await accounts.idOf(value)) ?? addressOf(value)))?.id
  }
  return backchannelAuthentication({ pages: site.ui.requests, userOf })
}

/** The configured profile. @throws ConfigError when a configured file cannot be used */
export async function profileOf(config: Config): Promise<Profile | undefined> {
  if (config.features.profile === undefined) return undefined
  const { clientAssertion, dpop, requestObjects: requests, signedResponses: responses } = config.features
  const replay = dpop.replay === 'strict' ? 'strict' : undefined
  const { maxLifetime } = clientAssertion
  return fapi2({
    clientAssertion: { maxLifetime, fetch: await outboundFetch(config) },
    dpop: { replay },
    messageSigning: { requests: requests !== 'off', responses: responses !== 'off' },
  })
}

/** JWT access tokens for the resources that get them, and their revocation feed. */
function signedAccessTokens({ baseUrl, resources, features: { jwtAccessTokens: usual } }: Config): Feature[] {
  const isSigned = (format: 'jwt' | 'opaque' | undefined) =>
    format === undefined ? usual.enabled : format === 'jwt'
  const signed = Object.entries({ [baseUrl]: {}, ...resources } as Config['resources'])
    .filter(([, { accessTokens }]) => isSigned(accessTokens))
    .map(([resource, { lifetime = usual.lifetime }]) => [resource, { lifetime }] as const)
  return signed.length === 0
    ? []
    : [jwtAccessTokens({ resources: Object.fromEntries(signed) }), revocationFeed()]
}

/** DPoP-bound tokens are accepted if the origin of the gateway is configured. */
function forwardAuthOf({
  forwardAuth: { clientCredentials, origin },
  dpop: { mode },
}: Config['features']): ForwardAuthOptions {
  return { clientCredentials, origin: mode === 'off' ? undefined : origin }
}

/** What signs users in, and the pages that they see on the way to a token. */
export interface Authentication {
  readonly site: Site
  readonly secret: ServerSecret
  readonly scopes: Readonly<Record<string, ScopeDefinition>>
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly ways: WaysToSignIn
  /** Present if users may create personal access tokens. */
  readonly personalTokens?: PersonalTokens | undefined
  readonly interaction: Interaction
  readonly logout: LogoutInteraction
  readonly onEvent: (event: SignInMethodChanged) => void
}

/** @throws ConfigError when a file cannot be used, or if no account can be linked to a provider */
async function jwtBearerOf(config: Config, authentication: Authentication): Promise<Feature> {
  const { trusts, workloads } = config.features.jwtBearer
  if (trusts.length > 0 && !authentication.ways.builtIn)
    throw new ConfigError([
      'features.jwtBearer.trusts needs the accounts of the server, so users must not be set',
    ])
  const idJag = trusts.length === 0 ? undefined : { trusts, subjectOf: linkedAccount(authentication) }
  return jwtBearer({ idJag, workloads, fetch: await outboundFetch(config) })
}

/** The active account that is linked to the identity, or that its address links now. */
function linkedAccount({ ways, onEvent }: Authentication): SubjectOf {
  const { identities, accounts } = ways
  const onLinked = ({ id: subject }: StoredAccount, issuer: string) =>
    onEvent({ type: 'identity_linked', subject, issuer })
  return async ({ issuer, subject, linkableEmail: email }) => {
    const known = await identities.find(issuer, subject)
    // From now on only the link counts, whatever address the issuer asserts.
    if (known !== undefined) return (await accounts.find(known.subject))?.id
    const id = email === undefined ? undefined : await accounts.idOf(email)
    const holder = id === undefined ? undefined : await accounts.find(id)
    if (holder === undefined) return undefined
    if (await linkByAddress({ ...ways, onLinked }, { issuer, subject, email }, holder)) return holder.id
    // Another request may have linked it meanwhile.
    return (await identities.find(issuer, subject))?.subject === holder.id ? holder.id : undefined
  }
}

const Documents = z.array(z.record(z.string(), z.unknown()))

/**
 * How the service resolves clients whose id is the URL of a client ID metadata document (CIMD).
 *
 * @returns `undefined` with `CIMD=off`. @throws ConfigError when a file cannot be used
 */
export async function clientDocumentsOf(config: Config) {
  const { enabled, admit, pinned: file } = config.features.clientDocuments
  if (!enabled) return undefined
  const read = jsonOf(Documents, 'list of documents')
  const pinned = file === undefined ? [] : await contentOf('CIMD_PINNED', file, read)
  return {
    pinned,
    fetch: await outboundFetch(config),
    /** Every document is admitted; https redirect URIs only of documents that the operator lists. */
    admit: (clientId: string) => (admit.includes(clientId) ? 'https-callbacks-too' : 'yes'),
    knownDocuments: knownClientsOf(config).knownDocuments,
  }
}

type DpopConfig = Pick<Config['features'], 'dpop' | 'profile'>

/** DPoP for the authorization server and its APIs, which share the nonces of their origin. */
function dpopOf({ dpop: { mode, replay }, profile }: DpopConfig): DpopOptions {
  const algorithms = profile === 'fapi2' ? FAPI2_PROOF_ALGORITHMS : undefined
  return { required: mode === 'required', algorithms, replay: replay === 'strict' ? 'strict' : undefined }
}

/** The proof verification at the APIs of the service; `undefined` without DPoP. */
export function proofsOf(features: DpopConfig, secret: ServerSecret) {
  return features.dpop.mode === 'off' ? undefined : dpopProofs({ ...dpopOf(features), secret })
}

/**
 * Which redirect URIs a client may use that no operator registered: loopback ones, and those of the known clients that are
 * configured. A list with others too is refused: such a client needs an integration.
 */
export function knownClientsOf({ features: { knownClients: only } }: Config): KnownClients {
  return knownClients({ only, mixed: 'refuse', hint: (id) => `add ${id} to KNOWN_CLIENTS` })
}
