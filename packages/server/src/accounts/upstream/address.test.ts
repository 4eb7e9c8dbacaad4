import { describe, expect, it } from 'vitest'
import type { Provider } from '../../config/providers.ts'
import { type AddressStanding, addressIn, type Claims } from './address.ts'

const ISSUER = 'https://idp.example'
const TENANT = '6babcaad-604b-40ac-a9d7-9fd97c0b779f'
const ENTRA = `https://login.microsoftonline.com/${TENANT}/v2.0`
const GOOGLE = 'https://accounts.google.com'
const email = 'alice@corp.example'

type Vouched = Provider['emailsVerified']
const CORP: Vouched = { domains: ['corp.example'] }
const CORP_EVEN_IF_FALSE: Vouched = { ...CORP, evenIfFalse: true }

describe('the address of a user at a provider', () => {
  it.each<[AddressStanding, string, Claims, Claims?, Vouched?]>([
    // Only two values say that it is verified, and no other one does.
    ['verified', 'with email_verified', { email, email_verified: true }],
    ['verified', 'with its text', { email, email_verified: 'true' }],
    ['email_unverified', 'without it', { email }],
    ...[false, 'false', 0, [], 'TRUE', 1, null, {}].map(
      (email_verified): [AddressStanding, string, Claims] => [
        'email_unverified',
        `with ${JSON.stringify(email_verified)}`,
        { email, email_verified },
      ],
    ),
    // Microsoft's claim.
    ...[true, 'true', 1, '1'].map((xms_edov): [AddressStanding, string, Claims] => [
      'verified',
      `of Entra with xms_edov ${JSON.stringify(xms_edov)}`,
      { iss: ENTRA, email, xms_edov },
    ]),
    ['email_unverified', 'of Entra, unproven', { iss: ENTRA, email, xms_edov: false }],
    ['email_unverified', 'of Entra, in another name', { iss: ENTRA, preferred_username: email, email }],
    ['email_missing', 'of Entra as a name alone', { iss: ENTRA, preferred_username: email, upn: email }],
    [
      'email_unverified',
      'of Entra that says no as well',
      { iss: ENTRA, email, xms_edov: true, email_verified: false },
    ],
    ['email_unverified', 'of another issuer with xms_edov', { email, xms_edov: true }],
    ...['.evil.example', '@evil.example', ':8443'].map((more): [AddressStanding, string, Claims] => [
      'email_unverified',
      `of an issuer like Entra with ${more}`,
      { iss: `https://login.microsoftonline.com${more}/${TENANT}/v2.0`, email, xms_edov: true },
    ]),
    [
      'email_unverified',
      'of an issuer in other letters',
      { iss: ENTRA.toUpperCase(), email, xms_edov: true },
    ],
    // Google.
    ['verified_once', 'of Google', { iss: GOOGLE, email, email_verified: true }],
    [
      'verified',
      'of a Google organization',
      { iss: GOOGLE, email, email_verified: true, hd: 'corp.example' },
    ],
    ['verified', 'of Gmail', { iss: GOOGLE, email: 'a@gmail.com', email_verified: true }],
    // UserInfo: the address and its verification are of one document.
    ['verified', 'of UserInfo alone', {}, { email, email_verified: 'true' }],
    ['verified', 'that UserInfo verifies', { email }, { email: email.toUpperCase(), email_verified: true }],
    ['email_unverified', 'that UserInfo verifies without naming it', { email }, { email_verified: true }],
    [
      'email_unverified',
      'that differs in UserInfo',
      { email },
      { email: 'b@corp.example', email_verified: true },
    ],
    ['email_unverified', 'that UserInfo denies', { email }, { email, email_verified: false }],
    // The operator vouches for a domain.
    ['vouched', 'of a domain', { email }, {}, CORP],
    ['vouched', 'of a domain, in other letters', { email: 'A@CORP.example' }, {}, CORP],
    ['email_unverified', 'of another domain', { email: 'a@evil.example' }, {}, CORP],
    ['email_unverified', 'of a part of the domain', { email: 'a@sub.corp.example' }, {}, CORP],
    ['email_unverified', 'of a domain, with a no', { email, email_verified: false }, {}, CORP],
    [
      'vouched_although_false',
      'of a domain, in spite of a no',
      { email, email_verified: 'false' },
      {},
      CORP_EVEN_IF_FALSE,
    ],
    ['email_unverified', 'that Entra denies', { iss: ENTRA, email, xms_edov: 0 }, {}, CORP],
    ['vouched', 'of a domain at Entra', { iss: ENTRA, email }, {}, CORP],
    ['vouched', 'of a domain at Google', { iss: GOOGLE, email, email_verified: true }, {}, CORP],
    [
      'verified_once',
      'of another domain at Google',
      { iss: GOOGLE, email: 'a@evil.example', email_verified: true },
      {},
      CORP,
    ],
    ['email_unverified', 'that Apple made up', { email, is_private_email: 'true' }, {}, CORP],
    ['verified', 'that is verified anyway', { email, email_verified: true }, {}, CORP],
    // What is no address.
    ['email_missing', 'of none', { email_verified: true }],
    ['email_missing', 'without a form', { email: 'nonsense', email_verified: true }],
    ['email_missing', 'of two domains', { email: 'a@corp.example@evil', email_verified: true }],
    ['email_missing', 'with a path', { email: 'a@corp.example/evil.example', email_verified: true }],
    [
      'email_missing',
      'with letters that only look alike',
      { email: '\u212aim@corp.example', email_verified: true },
    ],
  ])('is %s %s', (standing, _, claims, userInfo, emailsVerified) => {
    const address = addressIn({ emailsVerified }, { iss: ISSUER, ...claims }, userInfo)
    expect(address.standing).toBe(standing)
    expect(address.email === undefined, 'only an address that counts is kept').toBe(
      standing.startsWith('email_'),
    )
  })

  it('has its domain in ASCII, also if it does not count', () => {
    const claims = { iss: ISSUER, email: 'a@MÜNCHEN.example' }
    expect(addressIn({}, claims)).toEqual({ standing: 'email_unverified', domain: 'xn--mnchen-3ya.example' })
  })
})
