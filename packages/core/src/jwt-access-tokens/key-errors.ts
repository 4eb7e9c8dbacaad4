import { defineErrors } from '../kernel/oauth-error.ts'

export const KEY_ERRORS = defineErrors({
  keys_unavailable: [
    'temporarily_unavailable',
    'The keys of the authorization server cannot be read; try again',
  ],
})
