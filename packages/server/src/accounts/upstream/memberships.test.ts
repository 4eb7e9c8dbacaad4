import { describe, expect, it } from 'vitest'
import { PROVIDER } from '../../../test/partner.ts'
import type { Provider } from '../../config/providers.ts'
import type { Claims } from './address.ts'
import {
  type Belonging,
  isComplete,
  lacksOf,
  lacksToSignIn,
  membershipsIn,
  type RolesSaid,
  rolesIn,
} from './memberships.ts'

const ISSUER = 'https://idp.example'
const TENANT = '6babcaad-604b-40ac-a9d7-9fd97c0b779f'
const ENTRA = `https://login.microsoftonline.com/${TENANT}/v2.0`
const GOOGLE = 'https://accounts.google.com'
const email = 'alice@corp.example'

describe('UserInfo', () => {
  const complete = { email, email_verified: true }

  it.each<[boolean, string, Partial<Provider>, Claims]>([
    [false, 'everything', {}, complete],
    [false, 'that the address is not verified', {}, { email, email_verified: false }],
    [false, 'that Microsoft verified it', {}, { iss: ENTRA, email, xms_edov: '1' }],
    [true, 'no address', {}, { email_verified: true }],
    [true, 'no verification', {}, { email }],
    [true, 'no groups, which a rule needs', { require: { groups: ['a'] } }, complete],
    [true, 'no organizations, which a rule needs', { signUp: { organizations: ['a'] } }, complete],
    [false, 'groups, which a rule needs', { require: { groups: ['a'] } }, { ...complete, groups: [] }],
    [false, 'that there are too many', { require: { groups: ['a'] } }, { ...complete, hasgroups: true }],
  ])('is asked: %s, where the ID token says %s', (asked, _, provider, claims) => {
    expect(!isComplete({ ...PROVIDER, ...provider }, { iss: ISSUER, ...claims })).toBe(asked)
  })
})

describe('where a user belongs', () => {
  it.each<[string, Claims, Partial<Belonging>]>([
    ['the tenant of Entra', { iss: ENTRA, tid: TENANT }, { tenant: TENANT }],
    ['no tenant that the issuer does not have', { iss: ENTRA, tid: 'other' }, { tenant: undefined }],
    ['no tenant of another issuer', { tid: TENANT, hd: 'corp.example' }, { tenant: undefined }],
    ['the organization of Google', { iss: GOOGLE, hd: 'Corp.example' }, { tenant: 'corp.example' }],
    ['the team of Slack', { 'https://slack.com/team_id': 'T01' }, { tenant: 't01' }],
    ['the groups of GitLab', { groups_direct: ['a/b'] }, { groups: ['a/b'] }],
    ['the groups of Cognito', { 'cognito:groups': ['a'] }, { groups: ['a'] }],
    ['texts alone', { groups: ['a', 1, '', 'x'.repeat(10_000)] }, { groups: ['a'] }],
    [
      'that there are too many',
      { _claim_names: { groups: 'src1' } },
      { groups: undefined, groupsOverage: true },
    ],
    ['the organizations', { organizations: 'notes' }, { organizations: ['notes'] }],
  ])('is %s', (_, claims, belonging) => {
    expect(membershipsIn({ iss: ISSUER, ...claims })).toMatchObject(belonging)
  })

  const user: Belonging = {
    email,
    standing: 'verified',
    tenant: 't1',
    groups: ['a', 'b'],
    organizations: ['o'],
  }
  it.each<[string | undefined, Parameters<typeof lacksOf>[0], Belonging]>([
    [
      undefined,
      { emailDomains: ['corp.example'], tenants: ['T1'], groups: ['b', 'c'], organizations: ['o'] },
      user,
    ],
    ['tenant_not_allowed', { emailDomains: ['corp.example'], tenants: ['t2'] }, user],
    ['domain_not_allowed', { emailDomains: ['orp.example'] }, user],
    ['domain_not_allowed', { emailDomains: ['corp.example'] }, { ...user, email: 'a@evilcorp.example' }],
    ['domain_not_allowed', { emailDomains: ['corp.example'] }, { ...user, email: 'a@corp.example.evil' }],
    ['domain_not_allowed', { emailDomains: ['corp.example'] }, { ...user, isRelay: true }],
    ['email_unverified', { emailDomains: ['corp.example'] }, { ...user, standing: 'verified_once' }],
    ['email_unverified', { emailDomains: ['corp.example'] }, { standing: 'email_unverified' }],
    [
      'email_unverified',
      { emailDomains: ['corp.example'] },
      { standing: 'email_unverified', domain: 'corp.example' },
    ],
    [
      'domain_not_allowed',
      { emailDomains: ['corp.example'] },
      { standing: 'email_unverified', domain: 'other.example' },
    ],
    ['email_missing', { emailDomains: ['corp.example'] }, { standing: 'email_missing' }],
    ['group_missing', { groups: ['A'] }, user],
    ['group_missing', { organizations: ['a'] }, user],
    ['groups_overage', { groups: ['a'] }, { groupsOverage: true }],
  ])('lacks %s of the rule %j', (reason, rule, belonging) => {
    expect(lacksOf(rule, belonging)).toBe(reason)
  })

  it('is asked at every sign-in where the provider has tenants or requirements', () => {
    const lacks = (provider: Partial<Provider>, belonging: Belonging) =>
      lacksToSignIn({ ...PROVIDER, ...provider }, belonging)
    expect(lacks({}, {})).toBeUndefined()
    expect([lacks({ tenants: ['t1'] }, user), lacks({ tenants: ['t2'] }, user)]).toEqual([
      undefined,
      'tenant_not_allowed',
    ])
    expect([lacks({ tenants: 'any' }, user), lacks({ tenants: 'any' }, {})]).toEqual([
      undefined,
      'tenant_not_allowed',
    ])
    expect(lacks({ tenants: ['t1'], require: { groups: ['c'] } }, user)).toBe('group_missing')
  })
})

describe('the roles that a provider gives', () => {
  const roles = { claim: 'groups', map: { staff: ['editor'], leads: ['editor', 'reviewer'] } }
  it.each<[RolesSaid | undefined, Claims]>([
    [['editor', 'reviewer'], { groups: ['leads', 'staff', 'other'] }],
    [['editor'], { groups: 'staff' }],
    [['editor'], { groups: { staff: { '1': 'org.example' } } }],
    [[], { groups: ['Staff', 'staff ', 'toString'] }],
    ['claim_missing', { groups: ['staff', 'x'.repeat(10_000)] }],
    ['claim_missing', { groups: ['staff', 1] }],
    ['claim_missing', {}],
    ['groups_overage', { hasgroups: true }],
    ['groups_overage', { _claim_names: { groups: 'src1' } }],
  ])('are %j by %j', (given, claims) => {
    expect(rolesIn({ roles }, claims)).toEqual(given)
  })

  it('are none where no claim is named', () => {
    expect(rolesIn({}, { groups: ['staff'] })).toBeUndefined()
  })
})
