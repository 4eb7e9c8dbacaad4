/** The claims of an ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant-04, 3.1). */
import * as z from 'zod'
import { CLOCK_TOLERANCE } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import { parseScope } from '../kernel/scope.ts'
import type { AssertionClaims } from './assertion.ts'
import type { IdJagTrust } from './id-jag-trust.ts'
import { JWT_GRANT_ERRORS } from './jwt-grant-errors.ts'

const name = z.string().min(1).max(512)
const list = z.array(name).max(20)

/** `authorization_details` is refused: authority that is not understood must not be dropped in silence. */
const IdJagClaims = z.looseObject({
  iss: name,
  sub: name,
  client_id: z.string().min(1).max(2048),
  jti: name,
  iat: z.number(),
  resource: z.union([name, list.min(1)]).optional(),
  scope: z.string().optional(),
  authorization_details: z.never().optional(),
  auth_time: z.number().min(0).transform(Math.floor).optional(),
  acr: name.optional(),
  amr: list.optional(),
  email: name.optional(),
  email_verified: z.boolean().optional(),
  tenant: name.optional(),
  aud_tenant: name.optional(),
  aud_sub: name.optional(),
  sub_id: z.record(z.string(), z.unknown()).optional(),
  act: z.looseObject({ sub: name.optional() }).optional(),
  cnf: z.object({ jkt: z.string() }).strict().optional(),
})
export type IdJagClaims = z.output<typeof IdJagClaims>

/** @throws OAuthError `invalid_grant` */
export function readIdJagClaims(claims: AssertionClaims, { tenants }: IdJagTrust, now: number): IdJagClaims {
  const read = IdJagClaims.safeParse(claims).data
  const hasScopes = read?.scope === undefined || parseScope(read.scope) !== undefined
  if (read === undefined || !hasScopes) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_claims)
  // Without it, a user of one organization would be taken for a user of another one (6).
  if (tenants === true && read.tenant === undefined) throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_claims)
  // A time in milliseconds, for example: every demand for a recent sign-in would be met for ever.
  if (read.auth_time !== undefined && read.auth_time > now + CLOCK_TOLERANCE)
    throw new OAuthError(JWT_GRANT_ERRORS.jwt_grant_claims)
  return read
}

/** The user of an ID-JAG, for `subjectOf`. */
export interface AssertedUser {
  readonly issuer: string
  /** Opaque, and unique only at this issuer, and only within `tenant` if that is present. Never an id of this server. */
  readonly subject: string
  /** Present exactly if the trust says `tenants: true`. */
  readonly tenant?: string | undefined
  /**
   * An address that may link an account for the first time: its domain is in `linkByEmail`, and the issuer has verified it.
   * Require that the account has verified it too. Later only the link counts.
   */
  readonly linkableEmail?: string | undefined
  readonly clientId: string
  /** All claims of the ID-JAG, verified. Other members name a user only as the issuer says. */
  readonly claims: Readonly<Record<string, unknown>>
}

export function assertedUser(claims: IdJagClaims, trust: IdJagTrust): AssertedUser {
  const { iss: issuer, sub: subject, tenant, client_id: clientId } = claims
  return {
    ...{ issuer, subject, clientId, claims },
    ...(trust.tenants === true && { tenant }),
    linkableEmail: linkableEmailOf(claims, trust),
  }
}

function linkableEmailOf(
  { email, email_verified }: IdJagClaims,
  { linkByEmail, emailsVerified = false }: IdJagTrust,
): string | undefined {
  // ASCII alone: another letter may only look like one of the domain, or become one in lower case.
  const domain = email?.match(/^[!-?A-~]+@([!-?A-~]+)$/)?.[1]?.toLowerCase()
  const isListed = linkByEmail?.domains.some((listed) => listed.toLowerCase() === domain)
  // An address that the issuer calls unverified is not, whatever the trust says.
  const isVerified = email_verified ?? emailsVerified
  return isListed && isVerified ? email : undefined
}
