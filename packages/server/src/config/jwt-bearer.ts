import * as z from 'zod'
import { choice, field, isSafeUrl, text, toggle, whole } from './fields.ts'

/** Who may bring assertions in place of a consent, and what they give. Core checks what belongs together. */

const issuer = text().refine(isSafeUrl, 'must be https, except on localhost')
/** Fetched with the checks for addresses from outside, which allow no loopback. */
const address = text().refine(isHttps, 'must be an https address')
const names = () => z.array(text()).min(1, 'must not be empty')
const lifetime = () => whole('a number of seconds', 1, 3600).optional()

const keys = {
  jwks: z.strictObject({ keys: z.array(z.record(z.string(), z.unknown())) }).optional(),
  jwksUri: address.optional(),
  algorithms: z.array(choice(['ES256', 'RS256', 'EdDSA', 'Ed25519', 'PS256'])).optional(),
  maxAssertionLifetime: lifetime(),
  lifetime: lifetime(),
}

/** Where the keys of an issuer come from. */
interface KeySource {
  readonly issuer?: string | undefined
  readonly jwks?: unknown
  readonly jwksUri?: string | undefined
}

/** Without keys, the Discovery document of the issuer is fetched. */
function hasReachableKeys({ issuer, jwks, jwksUri }: KeySource): boolean {
  return issuer === undefined || jwks !== undefined || jwksUri !== undefined || isHttps(issuer)
}
const REACHABLE = {
  path: ['issuer'],
  error: 'must be https, because its keys are fetched: name them by `jwks` or an https `jwksUri` otherwise',
}

const Trust = z.strictObject({
  ...{ issuer, scopes: names(), ...keys },
  clients: z
    .union([z.literal('integrations'), names()], { error: "must be 'integrations' or a list of client ids" })
    .default('integrations'),
  resources: names().optional(),
  replay: choice(['once', 'until-exp']).default('once'),
  publicClients: toggle(false),
  linkByEmail: z.strictObject({ domains: names() }).optional(),
  emailsVerified: toggle(false),
  trustAcr: toggle(false),
})

const Workload = z.strictObject({
  ...{ issuer: issuer.optional(), scopes: names(), ...keys },
  trustDomain: text().optional(),
  claims: z.record(text(), z.union([text(), names()], { error: 'must be a text or a list of texts' })),
  client: text(),
  audiences: names().optional(),
  manyAudiences: toggle(false),
  resources: names().optional(),
  replay: choice(['once', 'window']).default('once'),
  shared: z.boolean().optional(),
})

export const JwtBearer = z.strictObject({
  trusts: field(
    z.array(Trust.refine(hasReachableKeys, REACHABLE)).default([]),
    'identity providers whose ID-JAGs give tokens without a consent page: `{ issuer, scopes }`, and `clients`, `resources`, `jwks`, `jwksUri`, `algorithms`, `lifetime`, `maxAssertionLifetime`, `replay`, `publicClients`, `linkByEmail`, `emailsVerified`, `trustAcr`. A user must have linked an account by a sign-in with a provider of this issuer, unless `linkByEmail: { domains }` lets a verified address link it',
    { otherwise: 'none', guide: 'how-to/enterprise-managed-authorization.md' },
  ),
  workloads: field(
    z.array(Workload.refine(hasReachableKeys, REACHABLE)).default([]),
    'tokens of platforms that give tokens to programs: `{ issuer, claims, client, scopes }`, and `trustDomain`, `audiences`, `resources`, `jwks`, `jwksUri`, `algorithms`, `lifetime`, `maxAssertionLifetime`, `replay`, `shared`, `manyAudiences`',
    { otherwise: 'none', guide: 'how-to/workload-identity.md' },
  ),
})

/** Whether assertions give tokens. */
export function takesAssertions(features: { readonly jwtBearer: z.output<typeof JwtBearer> }): boolean {
  return features.jwtBearer.trusts.length > 0 || features.jwtBearer.workloads.length > 0
}

function isHttps(url: string): boolean {
  return URL.canParse(url) && url.startsWith('https://')
}
