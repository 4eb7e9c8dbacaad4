/** What a server would show on the page of personal access tokens. */

import type { PersonalTokensView } from '../src/index.ts'

type Page = Pick<PersonalTokensView, 'request' | 'locale' | 'session'>
type Form = NonNullable<PersonalTokensView['form']>

const DAY = 24 * 60 * 60
const NOON = 1_800_014_400
const RESOURCES = ['https://notes.example.com', 'https://mcp.notes.example.com/mcp']
/** Its form is right, and it opens nothing. */
const TEXT = `gkp_ckfoe2lp8z9lm4s1.${'q7Zp3mVn'.repeat(5)}4kQ9Zx`

/** No tokens, and a form for the first one. @param label of a token */
export function noTokensView(page: Page, scopes: Form['scopes']): PersonalTokensView {
  const chosen = { label: '', scopes: [], resources: RESOURCES.slice(0, 1), days: 30 }
  return {
    ...page,
    tokens: [],
    form: {
      ...{ scopes, chosen, days: [7, 30, 60, 90, 180, 365] },
      resources: [
        { resource: RESOURCES[0] ?? '', name: 'Notes' },
        { resource: RESOURCES[1] ?? '', name: 'Notes for models' },
      ],
    },
    actions: { create: '/account/tokens', end: '/account/tokens/end' },
    ...{ ticket: 'ticket', returnTo: '/account/tokens' },
  }
}

/** Three of them: in use, nearly over, and never used. The sign-in is too old for another one. */
export function tokensView(
  page: Page,
  scopes: Form['scopes'],
  label = 'Nightly job on ci-7',
): PersonalTokensView {
  const token = { scopes, resources: RESOURCES, createdAt: NOON - 20 * DAY, expiresSoon: false }
  const used = { lastUsedAt: NOON, lastNetwork: '203.0.113.0/24' }
  return {
    ...noTokensView(page, scopes),
    form: undefined,
    tokens: [
      { ...token, ...used, id: 't1', label, expiresAt: NOON + 345 * DAY },
      { ...token, id: 't2', label: 'Backup', expiresAt: NOON + 2 * DAY, expiresSoon: true, lastUsedAt: NOON },
      { ...token, id: 't3', label: 'Old laptop', scopes: scopes.slice(0, 1) },
    ],
  }
}

/** Right after the form was sent. */
export function madeTokenView(page: Page, scopes: Form['scopes'], label?: string): PersonalTokensView {
  const { form } = noTokensView(page, scopes)
  const view = tokensView(page, scopes, label)
  return { ...view, form, made: { label: view.tokens[0]?.label ?? '', text: TEXT } }
}
