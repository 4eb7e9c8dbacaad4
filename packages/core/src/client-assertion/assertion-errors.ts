import { defineErrors } from '../kernel/oauth-error.ts'

/** One text for all faults: whoever guesses learns nothing, and the operator has the reason. */
const NOT_VALID = 'The client assertion is not valid'

export const ASSERTION_ERRORS = defineErrors({
  assertion_malformed: ['invalid_client', NOT_VALID],
  assertion_algorithm: ['invalid_client', NOT_VALID],
  assertion_typ: ['invalid_client', NOT_VALID],
  assertion_issuer: ['invalid_client', NOT_VALID],
  assertion_audience: ['invalid_client', NOT_VALID],
  assertion_expired: ['invalid_client', NOT_VALID],
  assertion_too_long: ['invalid_client', NOT_VALID],
  assertion_early: ['invalid_client', NOT_VALID],
  assertion_jti: ['invalid_client', NOT_VALID],
  assertion_signature: ['invalid_client', NOT_VALID],
  assertion_replayed: ['invalid_client', NOT_VALID],
  client_keys_unreachable: [
    'temporarily_unavailable',
    'The address of the keys of this client cannot be read at the moment; try again later',
  ],
})
