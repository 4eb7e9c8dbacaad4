import { DEVELOPER_ONLY, type VerdictTexts } from './verdict-text.ts'

const LOST_HEADER = 'Look for a proxy or a web application firewall that removes or changes the header.'
const CLOCK = 'Compare the clocks of the server and of the app. The doctor measures that of the server.'
const PUBLIC_URL =
  'Check that `baseUrl` (`BASE_URL`) and the resource of the guard are the addresses that apps use.'

/** DPoP proofs. */
export const DPOP_VERDICTS = {
  dpop_proof_malformed: {
    by: 'app',
    sentence: 'The `DPoP` header is not one signed JWT.',
    fix: LOST_HEADER,
    toDeveloper: 'Send one `DPoP` header with one JWT in compact form of at most 4096 characters.',
    doctorCheck: 'dpop',
  },
  dpop_proof_type: {
    by: 'app',
    sentence: 'The DPoP proof has another `typ` than `dpop+jwt`.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Set `typ` of the DPoP proof to `dpop+jwt`.',
  },
  dpop_proof_algorithm: {
    by: 'app',
    sentence: 'The DPoP proof is signed with an algorithm that this server does not support.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Sign the DPoP proof with an algorithm of `dpop_signing_alg_values_supported`.',
  },
  dpop_proof_key: {
    by: 'app',
    sentence: 'The DPoP proof does not have a public key for its algorithm.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Put the public key into `jwk` of the DPoP proof, and never the private one.',
  },
  dpop_proof_claims: {
    by: 'app',
    sentence: 'The DPoP proof lacks a claim.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Give the DPoP proof `jti`, `htm`, `htu` and `iat`.',
  },
  dpop_proof_method: {
    by: 'app',
    sentence: 'The DPoP proof is for another method than the request.',
    fix: 'If the app sends the right one, a proxy redirects or changes the method.',
    toDeveloper: 'Set `htm` of the DPoP proof to the method of the request.',
  },
  dpop_proof_uri: {
    by: 'app',
    sentence: 'The `htu` of the DPoP proof is not the URL of the request, as this server knows it.',
    fix: PUBLIC_URL,
    toDeveloper: 'Set `htu` of the DPoP proof to the address of the request, without query and fragment.',
    doctorCheck: 'endpoints',
  },
  dpop_proof_expired: {
    by: 'app',
    sentence: 'The DPoP proof is not valid at this time.',
    fix: CLOCK,
    toDeveloper: 'Make a new DPoP proof for each request, and check the clock of your computer.',
    doctorCheck: 'clock',
  },
  dpop_proof_token: {
    by: 'app',
    sentence: 'The DPoP proof is for another access token.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Set `ath` of the DPoP proof to the SHA-256 hash of the access token of this call.',
  },
  dpop_proof_signature: {
    by: 'app',
    sentence: 'The signature of the DPoP proof does not match its key.',
    fix: DEVELOPER_ONLY,
    toDeveloper: 'Sign the DPoP proof with the private key that belongs to its `jwk`.',
  },
  dpop_nonce_needed: {
    by: 'app',
    sentence: 'The app sent a DPoP proof without the nonce of the server, and did not repeat it with one.',
    fix: 'Check that the header `DPoP-Nonce` reaches the app.',
    toDeveloper: 'After `use_dpop_nonce`, repeat the request with the `nonce` of the `DPoP-Nonce` header.',
    doctorCheck: 'dpop',
  },
  dpop_proof_missing: {
    by: 'app',
    sentence: 'The client must prove a key, and sent no DPoP proof.',
    fix: 'Switch DPoP on in the app. If it is on, look for a proxy that removes the header `DPoP`.',
    toDeveloper: 'Send a DPoP proof with this request (RFC 9449 5).',
    doctorCheck: 'dpop',
  },
  dpop_proof_replayed: {
    by: 'app',
    sentence: 'The DPoP proof was used before.',
    fix: 'If the app does not repeat its requests, somebody has a copy of the proof.',
    toDeveloper: 'Make a new DPoP proof with a fresh `jti` for each request, also for a retry.',
  },
} as const satisfies VerdictTexts
