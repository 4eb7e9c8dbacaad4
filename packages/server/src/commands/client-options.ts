import type { Config } from '../config/config.ts'
import { UsageError, wholeNumber } from './command-line.ts'

/** What `clients add` and `clients update` have in common. */

/** How a client hears of the end of sessions. */
export const SESSION_ARGS = {
  'backchannel-logout-uri': {
    type: 'string',
    valueHint: 'https URI',
    description: 'where the server tells it that a session has ended, with BACK_CHANNEL_LOGOUT=on',
  },
  'backchannel-logout-session-required': {
    type: 'boolean',
    description: 'each of these messages must name the session',
  },
  'session-bound': {
    type: 'boolean',
    description: 'its grants end with the session, except those with offline_access',
  },
} as const

/** The limits of a client. */
export const LIMIT_ARGS = {
  'tokens-per-minute': {
    type: 'string',
    valueHint: 'number',
    description: 'how many tokens it may get in a minute; default: no limit',
  },
  'grants-per-hour': {
    type: 'string',
    valueHint: 'number',
    description: 'how many new grants it may get tokens for in an hour; default: no limit',
  },
} as const

type LimitOptions = { readonly [Option in keyof typeof LIMIT_ARGS]?: string | undefined }

/** @throws UsageError */
export function limitsOf(options: LimitOptions) {
  const number = (option: keyof LimitOptions) => {
    const text = options[option]
    return text === undefined ? undefined : wholeNumber(`--${option}`, text)
  }
  return { tokensPerMinute: number('tokens-per-minute'), grantsPerHour: number('grants-per-hour') }
}

/** Options that count only where a feature is on. */
interface FeatureOptions {
  readonly 'post-logout-redirect-uri'?: string | undefined
  readonly 'backchannel-logout-uri'?: string | undefined
  readonly 'backchannel-logout-session-required'?: boolean | undefined
  readonly 'session-bound'?: boolean | undefined
  readonly push?: string | undefined
  readonly dpop?: boolean | undefined
}

/** @throws UsageError that names the variable of the feature that is off */
export function requireFeatures(
  options: FeatureOptions,
  { logout, backChannelLogout, par, dpop }: Config['features'],
): void {
  if (options['post-logout-redirect-uri'] !== undefined && !logout)
    throw new UsageError('--post-logout-redirect-uri needs LOGOUT=on.')
  const ofBackChannel = [
    ...[options['backchannel-logout-uri'], options['backchannel-logout-session-required']],
    options['session-bound'],
  ]
  if (ofBackChannel.some((value) => value !== undefined) && !backChannelLogout)
    throw new UsageError('--backchannel-logout-uri and --session-bound need BACK_CHANNEL_LOGOUT=on.')
  if (options.push === 'required' && par === 'off') throw new UsageError('--push needs PAR=on.')
  if (options.dpop && dpop.mode === 'off') throw new UsageError('--dpop needs DPOP=on.')
}
