import * as z from 'zod'
import type { ServerContext } from '../../feature.ts'
import { withinDeadline } from '../../grants/operator-claims.ts'
import { type Decided, type RequestTerm, TERM_ERRORS } from '../../grants/request-terms.ts'
import { text } from '../../http/message.ts'
import { displayText } from '../../kernel/display-text.ts'
import { defineErrors, OAuthError } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import { familyOf, valueIn } from '../../kernel/resource-indicator.ts'

/** An organization of a user. */
export interface Organization {
  /** Stable: it becomes the claim. 1 to 200 characters. */
  readonly id: string
  /** As users know it. What is beyond 200 characters is cut. */
  readonly name: string
  /** The https address of its logo, for pages of your own. */
  readonly logo?: string | undefined
}

/** The organization of a grant. */
export interface GrantedOrganization {
  readonly id: string
  /** When the user decided. Absent for a client without a user. */
  readonly name?: string | undefined
}

/** `ConsentView.terms.organization`. */
export interface OrganizationView {
  /**
   * One of them is the value of the field `organization` of the form. Name a single one, with a hidden field: without it the answer
   * does not count. Of several the user chooses, and none is chosen beforehand. None: the user has none, and needs none.
   */
  readonly organizations: readonly Organization[]
}

declare module '../../kernel/records.ts' {
  interface Terms {
    readonly organization?: GrantedOrganization | undefined
  }
  interface TermViews {
    readonly organization?: OrganizationView | undefined
  }
}

/** The user is no longer a member: the grant has ended. `grant_ended` comes with it. */
export interface OrganizationLeft {
  readonly type: 'organization_left'
  readonly grantId: string
  readonly clientId: string
  readonly subject: string
  readonly organization: string
}

export const ORGANIZATION_ERRORS = defineErrors({
  organization_not_member: ['access_denied', 'The user is not a member of this organization'],
  organization_missing: ['access_denied', 'The user is not a member of any organization'],
  organization_differs: [
    'invalid_target',
    'The grant is for another organization. The user must authorize this one',
  ],
  organization_left: [
    'invalid_grant',
    'The user is no longer a member of the organization, so its tokens are revoked. Discard them',
  ],
  organizations_unavailable: [
    'temporarily_unavailable',
    'The server cannot look up the organizations of the user at the moment. Try again',
  ],
})

export interface OrganizationsOptions {
  /**
   * The organizations of a user, at most 200, in the order of the page. Called when a user is asked and decides, and before each
   * token is issued. An error, or no answer within two seconds, is a 503, and nothing is used up. Return `[]` for a user who is
   * gone.
   */
  of(subject: string, signal: AbortSignal): readonly Organization[] | Promise<readonly Organization[]>
  /** The parameter by which a request names one. Default `organization`. */
  readonly parameter?: string | undefined
  /** The claim of tokens and of introspection with its id. Default `org_id`. */
  readonly claim?: string | undefined
  /** What happens to a user without an organization: `refuse`: `access_denied`. Default `allow`: tokens without the claim. */
  readonly none?: 'allow' | 'refuse' | undefined
}

/** The name of the term, of the field of the form, and of the client metadata. */
export const ORGANIZATION = 'organization'
const MAX_ID_LENGTH = 200
export const OrganizationId = text(MAX_ID_LENGTH)
const MAX_ORGANIZATIONS = 200
/** Characters of a name: it is a part of each grant. */
const MAX_NAME_LENGTH = 200

interface Asked {
  /** The one that the request names. */
  readonly id?: string | undefined
}

type Chosen = Decided<GrantedOrganization>

export function organizationTerm(
  server: ServerContext,
  { of, parameter = ORGANIZATION, claim = ID_CLAIM, none = 'allow' }: OrganizationsOptions,
): RequestTerm<Asked, GrantedOrganization> {
  const membersOf = (subject: string) => organizationsOf(server, of, subject)
  const oneOf = (organizations: readonly Organization[], id: string): Organization => {
    const found = organizations.find((organization) => organization.id === id)
    // One that does not exist looks the same.
    if (found === undefined) throw new OAuthError(ORGANIZATION_ERRORS.organization_not_member)
    return found
  }
  const withNone = (): Chosen => {
    if (none === 'refuse') throw new OAuthError(ORGANIZATION_ERRORS.organization_missing)
    return { value: undefined }
  }
  const families = server.resources.flatMap((resource) => familyOf(resource) ?? [])
  const own = families.filter(({ variable }) => variable === ORGANIZATION)
  const memberOf = (resource: string) =>
    own.map((family) => valueIn(family, resource)).find((id) => id !== undefined)
  const named = (requested: Readonly<Record<string, unknown>>) => requested[parameter] as string | undefined
  return {
    name: ORGANIZATION,
    parameters: z.object({ [parameter]: OrganizationId.optional() }),
    claims: [claim, NAME_CLAIM],
    read(requested, { resources }) {
      const ids = [named(requested), ...resources.map(memberOf)].filter((id) => id !== undefined)
      if (ids.some((id) => id !== ids[0])) throw new OAuthError(ORGANIZATION_ERRORS.organization_differs)
      return { id: ids[0] }
    },
    async view({ id }, { subject }) {
      const all = await membersOf(subject)
      const organizations = id === undefined ? all : [oneOf(all, id)]
      const [only, second] = organizations
      if (only === undefined) return { shown: { organizations }, decided: withNone() }
      return { shown: { organizations }, decided: second === undefined ? granted(only) : 'open' }
    },
    async decide({ id }, form, { subject }) {
      const all = await membersOf(subject)
      const field = form[ORGANIZATION] || undefined
      if (field === undefined) {
        if (id === undefined && all.length > 1) return 'open'
        if (id === undefined && all.length === 0) return withNone()
        // There was nothing to choose, so the page does not know the field. It would be shown for ever.
        throw new OAuthError(TERM_ERRORS.user_decision_missing)
      }
      // The form has no other one than the request names.
      if (typeof field !== 'string' || (id ?? field) !== field)
        throw new OAuthError(ORGANIZATION_ERRORS.organization_not_member)
      return granted(oneOf(all, field))
    },
    async narrow(value, { requested, grant: { id: grantId, clientId, subject } }) {
      if ((named(requested) ?? value.id) !== value.id)
        throw new OAuthError(ORGANIZATION_ERRORS.organization_differs)
      if (subject === undefined) return { value }
      const all = await membersOf(subject)
      if (all.some(({ id }) => id === value.id)) return { value }
      const left = { grantId, clientId, subject, organization: value.id }
      const event = { type: 'organization_left', ...left } as const
      return { ended: ORGANIZATION_ERRORS.organization_left, event: event satisfies OrganizationLeft }
    },
    absent(requested) {
      if (named(requested) !== undefined) throw new OAuthError(ORGANIZATION_ERRORS.organization_differs)
    },
    ofClient: ({ featureMetadata }: Client) => {
      const id = OrganizationId.safeParse(featureMetadata?.[ORGANIZATION]).data
      return id === undefined ? undefined : { id }
    },
    claimsOf: claimsOfOrganization(claim),
  }
}

export const NAME_CLAIM = 'org_name'
export const ID_CLAIM = 'org_id'

/** The claims of the organization of a grant: its name only for clients that sign users in. */
export function claimsOfOrganization(claim: string): RequestTerm<Asked, GrantedOrganization>['claimsOf'] {
  return ({ id, name }, { use }) => {
    if (use === 'token_response' || use === 'userinfo') return {}
    return use === 'id_token' ? { [claim]: id, [NAME_CLAIM]: name } : { [claim]: id }
  }
}

function granted({ id, name }: Organization): Chosen {
  return { value: { id, name } }
}

/** @throws OAuthError `temporarily_unavailable` */
async function organizationsOf(
  { time }: ServerContext,
  of: OrganizationsOptions['of'],
  subject: string,
): Promise<readonly Organization[]> {
  try {
    const found = await withinDeadline(time, 'organizations: of', async (signal) => of(subject, signal))
    if (found.length > MAX_ORGANIZATIONS)
      throw new Error(`organizations: of returns ${found.length}, more than ${MAX_ORGANIZATIONS}`)
    return found.map(({ id, name, logo }) => {
      if (id === '' || id.length > MAX_ID_LENGTH)
        throw new Error(`organizations: of returns an id that has not 1 to ${MAX_ID_LENGTH} characters`)
      const shown = [...displayText(name)].slice(0, MAX_NAME_LENGTH).join('')
      return { id, name: shown || id, logo }
    })
  } catch (cause) {
    throw new OAuthError(ORGANIZATION_ERRORS.organizations_unavailable, undefined, { cause })
  }
}
