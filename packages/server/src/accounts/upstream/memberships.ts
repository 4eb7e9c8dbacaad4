import { displayText } from '@grantkit/core/internal'
import type { Membership, Provider } from '../../config/providers.ts'
import type { MembershipReason } from '../../events.ts'
import {
  type Address,
  addressIn,
  type Claims,
  type IdTokenClaims,
  isGoogle,
  isMicrosoft,
  isYes,
  verificationIn,
} from './address.ts'

/** Where a user belongs at a provider, and whether that is enough to come in. */

/** Where a user belongs at a provider. A member is absent if the provider does not say. */
export interface Memberships {
  /** Microsoft's `tid`, Google's `hd`, or the team of Slack, in lower case. */
  readonly tenant?: string | undefined
  readonly organizations?: readonly string[] | undefined
  readonly groups?: readonly string[] | undefined
  /** Microsoft's: with the tenant it names the user to every app registration. */
  readonly oid?: string | undefined
  /** There are too many groups for a token, so it has none. */
  readonly groupsOverage?: boolean | undefined
}

const GROUP_CLAIMS = ['groups', 'groups_direct', 'cognito:groups']

export function membershipsIn(claims: IdTokenClaims, userInfo: Claims = {}): Memberships {
  const said: Claims = { ...userInfo, ...claims }
  const groups = GROUP_CLAIMS.flatMap((name) => textsIn(said[name]) ?? [])
  const hasGroups = GROUP_CLAIMS.some((name) => textsIn(said[name]) !== undefined)
  const tenant = tenantIn(claims, said)?.toLowerCase()
  const { oid } = claims
  return {
    tenant,
    ...(isMicrosoft(claims.iss) && tenant && typeof oid === 'string' && oid && { oid: oid.toLowerCase() }),
    organizations: textsIn(said.organizations),
    groups: hasGroups ? groups : undefined,
    groupsOverage: !hasGroups && hasOverage(said, 'groups'),
  }
}

/** Whether the provider left a claim out because it is too long, as Microsoft does with groups. */
function hasOverage({ _claim_names, hasgroups }: Claims, claim: string): boolean {
  return Object.hasOwn(Object(_claim_names), claim) || (claim === 'groups' && isYes(hasgroups))
}

function tenantIn(claims: IdTokenClaims, said: Claims): string | undefined {
  const { iss, tid, hd } = claims
  // Its issuer has the tenant too. If they differ, one of them is not of whoever signed the token.
  if (isMicrosoft(iss)) return typeof tid === 'string' && iss.split('/')[3] === tid ? tid : undefined
  const tenant = isGoogle(iss) ? hd : said['https://slack.com/team_id']
  return typeof tenant === 'string' ? tenant : undefined
}

/** A longer one is no name. */
const MAX_NAME = 1000

function textsIn(value: unknown): readonly string[] | undefined {
  const texts = typeof value === 'string' ? [value] : value
  if (!Array.isArray(texts)) return undefined
  return texts.filter((text) => typeof text === 'string' && text !== '' && text.length <= MAX_NAME)
}

/** What a rule is compared with. */
export interface Belonging extends Memberships, Partial<Address> {}

/** What a user lacks of a rule, of which every list must have one of theirs; `undefined` if nothing. */
export function lacksOf(
  { tenants, emailDomains, organizations, groups }: Membership,
  user: Belonging,
): MembershipReason | undefined {
  if (tenants?.every((tenant) => tenant.toLowerCase() !== user.tenant)) return 'tenant_not_allowed'
  if (emailDomains !== undefined) {
    const { standing = user.email === undefined ? 'email_missing' : 'verified' } = user
    if (standing === 'email_missing') return standing
    // First: to verify an address of another domain would not help.
    const domain = domainOf(user)
    if (user.isRelay || (domain !== undefined && !emailDomains.includes(domain))) return 'domain_not_allowed'
    if (standing === 'email_unverified' || standing === 'verified_once') return 'email_unverified'
  }
  if (organizations?.every((name) => !user.organizations?.includes(name))) return 'group_missing'
  if (groups?.every((name) => !user.groups?.includes(name)))
    return user.groupsOverage ? 'groups_overage' : 'group_missing'
  return undefined
}

/** What keeps a user of a provider out, at every sign-in. */
export function lacksToSignIn({ tenants, require }: Provider, user: Belonging): MembershipReason | undefined {
  const isOutside = tenants === 'any' ? user.tenant === undefined : tenants && lacksOf({ tenants }, user)
  return isOutside ? 'tenant_not_allowed' : require && lacksOf(require, user)
}

/** Of the address, also if that does not count. `undefined` if two differ. */
function domainOf({ domain, email }: Belonging): string | undefined {
  return domain ?? email?.slice(email.lastIndexOf('@') + 1)
}

/** The roles of a user, or why the provider does not say them: nothing changes then. */
export type RolesSaid = readonly string[] | 'groups_overage' | 'claim_missing'

/** @param said the claims of the ID token, and of UserInfo. @returns `undefined` for a provider that gives no roles */
export function rolesIn({ roles }: Pick<Provider, 'roles'>, said: Claims): RolesSaid | undefined {
  if (roles === undefined) return undefined
  const values = valuesIn(said[roles.claim])
  if (values === undefined) return hasOverage(said, roles.claim) ? 'groups_overage' : 'claim_missing'
  return [
    ...new Set(values.flatMap((value) => (Object.hasOwn(roles.map, value) ? (roles.map[value] ?? []) : []))),
  ]
}

/** Zitadel has an object with the roles as its names. */
function valuesIn(value: unknown): readonly string[] | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const values = isObject ? Object.keys(value) : [value].flat()
  const texts = textsIn(values)
  return texts?.length === values.length ? texts : undefined
}

/** What a provider says of a user. */
export interface Profile extends Address, Memberships {
  readonly name?: string | undefined
  readonly roles?: RolesSaid | undefined
}

/** @param userInfo of the same `sub`, if something is missing in the ID token */
export function profileIn(provider: Provider, claims: IdTokenClaims, userInfo?: Claims): Profile {
  const name = claims.name ?? userInfo?.name
  return {
    ...addressIn(provider, claims, userInfo),
    ...membershipsIn(claims, userInfo),
    roles: rolesIn(provider, { ...userInfo, ...claims }),
    name: typeof name === 'string' ? displayText(name.slice(0, 200)) || undefined : undefined,
  }
}

/** Whether the ID token has all that is asked of the provider. */
export function isComplete(provider: Provider, claims: IdTokenClaims): boolean {
  const hasAddress = typeof claims.email === 'string' && verificationIn(claims.iss, claims) !== undefined
  const { organizations, groups, groupsOverage } = membershipsIn(claims)
  const rules = [provider.signUp, provider.require].map((rule) => (typeof rule === 'object' ? rule : {}))
  const hasNamed = rules.every(
    (rule: Membership) =>
      (rule.organizations === undefined || organizations !== undefined) &&
      (rule.groups === undefined || groups !== undefined || groupsOverage === true),
  )
  return hasAddress && hasNamed && rolesIn(provider, claims) !== 'claim_missing'
}
