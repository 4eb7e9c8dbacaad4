import * as z from 'zod'
import { field, text, toggle, whole } from './fields.ts'

const GUIDE = 'server/personal-access-tokens.md'
/** Ten years. */
const MAX_DAYS = 3660

const days = (byDefault: number) => whole('a number of days', 1, MAX_DAYS).default(byDefault)

/** Tokens that users create for their own programs. */
export const PersonalTokens = z.strictObject({
  enabled: field(
    toggle(false),
    'personal access tokens: users create them at `/account/tokens`, for a program that no browser can sign in. They can have the scopes with `personal`',
    { variable: 'PERSONAL_TOKENS', guide: GUIDE },
  ),
  days: field(days(30), 'how many days a personal access token lives if its user chooses nothing else', {
    variable: 'PERSONAL_TOKEN_DAYS',
    guide: GUIDE,
  }),
  maxDays: field(days(366), 'how many days a personal access token may live', {
    variable: 'PERSONAL_TOKEN_MAX_DAYS',
    guide: GUIDE,
  }),
  scannerKeys: field(
    text().refine(isHttps, 'must be an https URL').optional(),
    'the https URL of the public keys of a secret scanner, such as `https://api.github.com/meta/public_keys/secret_scanning`. The scanner reports leaked tokens to `/api/tokens/leaked`, which ends them',
    {
      variable: 'PERSONAL_TOKEN_SCANNER_KEYS',
      otherwise: 'there is no such endpoint',
      guide: `${GUIDE}#leaked-tokens`,
    },
  ),
})

function isHttps(url: string): boolean {
  return URL.canParse(url) && url.startsWith('https://')
}
