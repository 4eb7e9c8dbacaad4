import { type Addresses, at } from './installations.ts'

/**
 * What the suite's browser does at our pages, in the words of its configuration: its pages work without JavaScript.
 * A pattern of an address has `*` for any text.
 */

export type Command = readonly [string, string, string, ...(string | number)[]]

export interface Task {
  readonly task: string
  readonly match: string
  readonly optional?: boolean
  readonly commands?: readonly Command[]
}

/** For an address that a module visits. */
export interface Visit {
  readonly match: string
  /** So often; the next visit with the same pattern is for the times after that. */
  readonly 'match-limit'?: number
  readonly tasks: readonly Task[]
}

/** The demo account: these are no secrets. */
const [EMAIL, PASSWORD] = ['demo@example.com', 'demo']

/** The page is kept for the reviewer of the module, which expects it. */
const kept = (text: string, optional = false): Command => [
  ...(['wait', 'xpath', '//body', 10, text] as const),
  optional ? 'update-image-placeholder-optional' : 'update-image-placeholder',
]

const authorize = (issuer: string) => `${issuer}/oauth/authorize*`
const logout = (issuer: string) => `${issuer}/oauth/logout*`

function signIn(to: Addresses, decision = 'allow', before: readonly Command[] = []): Visit {
  const { issuer } = to
  return {
    match: authorize(issuer),
    tasks: [
      {
        task: 'Sign in',
        match: `${issuer}/login*`,
        optional: true,
        commands: [
          ...before,
          ['text', 'name', 'email', EMAIL],
          ['text', 'name', 'password', PASSWORD],
          ['click', 'css', 'form[action="/login"] button.primary'],
        ],
      },
      {
        task: 'Consent',
        match: authorize(issuer),
        optional: true,
        commands: [['click', 'css', `button[name="decision"][value="${decision}"]`]],
      },
      {
        task: 'Return to the suite',
        match: `${at(to, 'callback')}*`,
        commands: [['wait', 'id', 'submission_complete', 10]],
      },
    ],
  }
}

function signOut(to: Addresses): Visit {
  const { issuer } = to
  return {
    match: logout(issuer),
    tasks: [
      { ...confirmation(issuer), optional: true },
      { task: 'Return to the suite', match: `${at(to, 'post_logout_redirect')}*` },
    ],
  }
}

const confirmation = (issuer: string): Task => ({
  task: 'Confirm the sign-out',
  match: logout(issuer),
  commands: [['click', 'css', 'form[method="post"] button.primary', 'optional']],
})

/** @param pattern of addresses that lead to one page and no further */
const page = (match: string, text: string, first: readonly Task[] = []): Visit => ({
  match,
  tasks: [...first, { task: text, match, commands: [kept(text)] }],
})

const INVALID = 'This request cannot be answered'
const SIGNED_OUT = 'You are signed out'
const SIGN_IN = 'Sign in'

/** The steps of most modules. */
export const browserSteps = (to: Addresses): readonly Visit[] => [signIn(to), signOut(to)]

/** Modules that expect a page of ours where others return to the suite. */
export function stepsOfModules(to: Addresses): Record<string, { browser: readonly Visit[] }> {
  const { issuer } = to
  const again = [signIn(to, 'allow', [kept(SIGN_IN, true)])]
  const refused = [page(authorize(issuer), INVALID)]
  const invalid = [signIn(to), page(logout(issuer), INVALID)]
  const once = { 'match-limit': 1 }
  const looked = { match: authorize(issuer), ...once, tasks: [{ task: 'Look', match: `${issuer}/login*` }] }
  const fapi = 'fapi2-security-profile-final-'
  const ended = [signIn(to), page(logout(issuer), SIGNED_OUT, [confirmation(issuer)])]
  const steps = {
    'oidcc-prompt-login': again,
    'oidcc-max-age-1': again,
    'oidcc-ensure-registered-redirect-uri': refused,
    'oidcc-ensure-request-object-with-redirect-uri': refused,
    'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri': invalid,
    'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri': invalid,
    'oidcc-rp-initiated-logout-modified-id-token-hint': invalid,
    'oidcc-rp-initiated-logout-bad-id-token-hint': invalid,
    'oidcc-rp-initiated-logout-no-id-token-hint': invalid,
    'oidcc-rp-initiated-logout-no-params': ended,
    'oidcc-rp-initiated-logout-no-post-logout-redirect-uri': ended,
    'oidcc-rp-initiated-logout-only-state': ended,
    [`${fapi}user-rejects-authentication`]: [signIn(to, 'deny')],
    [`${fapi}par-ensure-reused-request-uri-prior-to-auth-completion-succeeds`]: [looked, signIn(to)],
    [`${fapi}par-attempt-reuse-request_uri`]: [{ ...signIn(to), ...once }, ...refused],
    [`${fapi}par-attempt-to-use-expired-request_uri`]: refused,
    [`${fapi}par-attempt-to-use-request_uri-for-different-client`]: refused,
  }
  return Object.fromEntries(Object.entries(steps).map(([module, browser]) => [module, { browser }]))
}
