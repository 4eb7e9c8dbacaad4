import { refusals } from '../kernel/oauth-error.ts'

export const KEY_REFUSALS = refusals({
  keys_unavailable: [
    'temporarily_unavailable',
    'The keys of the authorization server cannot be read; try again',
  ],
})
