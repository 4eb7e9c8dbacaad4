import { type Check, orSkipped, skippedWithout } from './check.ts'
import { documentOf, type Evidence, headerOf } from './evidence.ts'

/** Proofs that anybody could have made, since no key of the client is in them. */
const WEAK = /^(none|HS)/

export const DPOP_CHECK: Check = {
  id: 'dpop',
  causes: 'dpop_proof_missing',
  title: 'Clients can bind their tokens to keys, scripts too (RFC 9449 5.1, 7.1, 8)',
  fix: 'Let the headers DPoP, DPoP-Nonce and WWW-Authenticate pass, and OPTIONS reach the service.',
  examine: skippedWithout(
    orSkipped(algorithmsOf, 'the server takes no proofs'),
    (algorithms, { answers }) => {
      const weak = algorithms.find((name) => WEAK.test(name))
      if (weak !== undefined) return `dpop_signing_alg_values_supported has ${weak}`
      const { tokenPreflight, badBearer } = answers
      const allowed = headerOf(tokenPreflight, 'access-control-allow-headers')
      if (!/\bdpop\b/i.test(allowed)) return `a preflight allows the headers "${allowed}"`
      const exposed = headerOf(tokenPreflight, 'access-control-expose-headers')
      if (!/\bdpop-nonce\b/i.test(exposed)) return `a script may read the headers "${exposed}"`
      const challenge = headerOf(badBearer, 'www-authenticate')
      const offered = badBearer === undefined || /\bDPoP .*\balgs="/.test(challenge)
      return offered ? undefined : `WWW-Authenticate is "${challenge}"`
    },
  ),
}

function algorithmsOf({ answers }: Evidence): readonly string[] | undefined {
  const listed = documentOf(answers.serverMetadata)?.dpop_signing_alg_values_supported
  return Array.isArray(listed) ? listed.map(String) : undefined
}
