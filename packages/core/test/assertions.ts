import type { StaticClient } from '@grantkit/core'
import type { DocumentFetchRequest } from '@grantkit/core/client-documents'
import {
  type IdJagTrust,
  JWT_BEARER,
  jwtBearer,
  type SubjectOf,
  type WorkloadRule,
} from '@grantkit/core/jwt-bearer'
import { type JWTHeaderParameters, SignJWT } from 'jose'
import { bodyOf, type ClientAnswer, credentials, requestToken } from './client.ts'
import { ISSUER, openService, type Service } from './service.ts'
import { type Claims, type Key, newKey } from './signed-assertions.ts'

/** Identity providers and platforms that sign assertions, and a service that trusts one of each. */

export const IDP = 'https://acme.okta.com'
export const PLATFORM = 'https://ci.example.com'
export const MCP = `${ISSUER}/mcp`

export const idpKey = { ...(await newKey('RS256')), kid: 'idp-1' }
export const platformKey = { ...(await newKey()), kid: 'ci-1' }

export const jwksOf = (...keys: (Key & { readonly kid?: string })[]) => ({
  keys: keys.map(({ jwk, kid }) => ({ ...jwk, kid })),
})

export const TRUST: IdJagTrust = {
  issuer: IDP,
  jwks: jwksOf(idpKey),
  clients: 'integrations',
  scopes: ['courses:read', 'courses:write'],
  resources: [MCP],
}

/** Like a projected token: reused, without a condition on times. */
export const RULE: WorkloadRule = {
  issuer: PLATFORM,
  jwks: jwksOf(platformKey),
  claims: { sub: 'deploy:main' },
  client: '',
  scopes: ['courses:read', 'courses:write'],
}

const LINKED: Readonly<Record<string, string>> = { U019488227: 'alice' }
const linked: SubjectOf = async ({ subject }) => LINKED[subject]

const ASSISTANT: StaticClient = { clientName: 'Assistant', redirectUris: [], grantTypes: [JWT_BEARER] }
const JOB: StaticClient = { ...ASSISTANT, clientName: 'Deployment', tokenEndpointAuthMethod: 'none' }

type Overrides = Parameters<typeof openService>[0]

interface IdJagSetting {
  readonly trust?: Partial<IdJagTrust>
  readonly trusts?: readonly IdJagTrust[]
  readonly subjectOf?: SubjectOf
  readonly client?: Partial<StaticClient>
  readonly features?: NonNullable<Overrides>['features']
  readonly options?: Overrides
  readonly fetch?: Parameters<typeof jwtBearer>[0]['fetch']
}

/** A service with a trust of `IDP`, and a confidential client. */
export async function openForOrganization({
  trust = {},
  trusts = [{ ...TRUST, ...trust }],
  subjectOf = linked,
  client = {},
  features = [],
  options = {},
  fetch,
}: IdJagSetting = {}) {
  const feature = jwtBearer({ idJag: { trusts, subjectOf }, fetch })
  const service = openService({ features: [feature, ...(features ?? [])], ...options })
  const assistant = await service.server.clients.add({ ...ASSISTANT, ...client })
  return { service, assistant }
}

/** A service with rules for workloads, and the client that they name: it is registered afterwards. */
export async function openForWorkloads(
  changed: Partial<WorkloadRule> | readonly Partial<WorkloadRule>[] = {},
  {
    client = {},
    fetch,
    features = [],
    ...options
  }: NonNullable<Overrides> & Pick<IdJagSetting, 'client' | 'fetch'> = {},
) {
  const workloads = [changed].flat().map((rule) => ({ ...RULE, ...rule }))
  const feature = jwtBearer({ workloads, fetch })
  const service = openService({ ...options, features: [feature, ...features] })
  const job = await service.server.clients.add({ ...JOB, ...client })
  for (const rule of workloads) if (rule.client === '') Object.assign(rule, { client: job.clientId })
  return { service, job }
}

let count = 0

export async function signed(
  { alg, privateKey, kid }: Key & { readonly kid?: string },
  claims: Claims,
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg, ...(kid && { kid }), ...header })
    .sign(privateKey)
}

interface Changes {
  readonly claims?: Claims
  readonly header?: Partial<JWTHeaderParameters>
  readonly key?: Key & { readonly kid?: string }
}

/** As Okta issues it: RS256, five minutes. A claim of `undefined` is left out. */
export function idJag(
  { clock }: Pick<Service, 'clock'>,
  { clientId }: ClientAnswer,
  { claims = {}, header = {}, key = idpKey }: Changes = {},
): Promise<string> {
  const usual = {
    ...{ jti: `jag-${++count}`, iss: IDP, sub: 'U019488227', aud: ISSUER, client_id: clientId },
    ...{ resource: MCP, scope: 'courses:read courses:write', iat: clock.now, exp: clock.now + 300 },
  }
  return signed(key, { ...usual, ...claims }, { typ: 'oauth-id-jag+jwt', ...header })
}

export function workloadToken(
  { clock }: Pick<Service, 'clock'>,
  { claims = {}, header = {}, key = platformKey }: Changes = {},
): Promise<string> {
  const usual = { jti: `run-${++count}`, iss: PLATFORM, sub: 'deploy:main', aud: ISSUER }
  return signed(key, { ...usual, iat: clock.now, exp: clock.now + 600, ...claims }, { typ: 'JWT', ...header })
}

export interface Exchange {
  readonly status: number
  readonly error?: string | undefined
  /** Why it was refused, as the operator sees it. */
  readonly reason?: string | undefined
  readonly body: Record<string, unknown>
  readonly headers: Readonly<Record<string, unknown>>
}

/** Presents an assertion at the token endpoint. */
export async function present(
  service: Service,
  assertion: string,
  client?: ClientAnswer,
  form: Record<string, string> = {},
): Promise<Exchange> {
  const before = service.events.length
  const proof = client === undefined ? {} : credentials(client)
  const answer = await requestToken(service, { grant_type: JWT_BEARER, assertion, ...proof, ...form })
  const body = bodyOf(answer)
  const refused = service.events.slice(before).find(({ type }) => type === 'refused' || type === 'failed')
  return {
    ...{ status: answer.status, body, headers: answer.headers },
    error: body.error as string | undefined,
    reason: (refused as { reason?: string } | undefined)?.reason,
  }
}

/** A host of documents in this process, by URL. `down` makes it unreachable. */
export function documentHost(documents: Record<string, object>) {
  const host = {
    documents,
    down: false,
    silent: false,
    requests: [] as (DocumentFetchRequest & { readonly url: string })[],
  }
  const fetch = async (url: string, request: DocumentFetchRequest) => {
    host.requests.push({ url, ...request })
    await new Promise((answered) => setImmediate(answered))
    if (host.silent) await new Promise(() => {})
    if (host.down) throw Object.assign(new Error('connect to 10.0.0.7'), { code: 'connect' })
    const document = host.documents[url]
    const headers = { 'content-type': 'application/json' }
    return { status: document === undefined ? 404 : 200, headers, body: JSON.stringify(document ?? {}) }
  }
  return { host, fetch }
}
