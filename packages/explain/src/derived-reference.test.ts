import { expect, it } from 'vitest'
import { derivation } from './reference.ts'

const SECRET = 'a secret of the tests, long enough to pass'
/** The example of RFC 7636, appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const STATE = 'af0ifjsldkj'

/** Replicas of two releases answer the requests of one attempt. The references were computed without this code. */
it.each([
  ['the challenge', { clientId: 'app', challenge: CHALLENGE, state: STATE }, '53PMYQ1D'],
  ['the verifier of that challenge', { clientId: 'app', verifier: VERIFIER }, '53PMYQ1D'],
  ['the state, without a challenge', { clientId: 'app', state: STATE }, 'D1CMXXDK'],
  ['the state of an unnamed client', { state: STATE }, '9R7B0CDN'],
  ['the client alone', { clientId: 'app' }, undefined],
])('every release derives the same reference from %s', (_, identity, reference) => {
  expect(derivation(SECRET)(identity)).toBe(reference)
})
