import * as z from 'zod'
import { DAY_SECONDS } from '../time-units.ts'
import { field, seconds } from './fields.ts'

/** How long codes, tokens and grants live, in seconds. */
export const Lifetimes = z.strictObject({
  code: field(seconds(60), 'seconds', { variable: 'CODE_LIFETIME' }),
  accessToken: field(seconds(3600), 'seconds', { variable: 'ACCESS_TOKEN_LIFETIME' }),
  refreshToken: field(seconds(30 * DAY_SECONDS), 'seconds without use', {
    variable: 'REFRESH_TOKEN_LIFETIME',
    otherwise: '30 days',
  }),
  grant: field(seconds(180 * DAY_SECONDS), 'seconds, with or without refreshes', {
    variable: 'GRANT_LIFETIME',
    otherwise: '180 days',
  }),
  unusedClient: field(
    seconds(DAY_SECONDS),
    'seconds after which a client that registered itself is deleted, if no user approved it',
    { variable: 'UNUSED_CLIENT_LIFETIME', otherwise: '1 day' },
  ),
  refreshRetryWindow: field(
    seconds(60, 0, 900),
    'seconds in which a repeated refresh gets the same tokens again; 0 is strict, maximum 900',
    { variable: 'REFRESH_RETRY_WINDOW' },
  ),
  refreshLateRetry: field(
    seconds(900, 0, 900),
    'seconds in which it still gets them if the new refresh token is unused; 0 ends that with the window, maximum 900',
    { variable: 'REFRESH_LATE_RETRY' },
  ),
})
