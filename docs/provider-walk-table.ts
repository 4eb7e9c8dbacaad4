import { PROVIDER_WALKS } from '../apps/reference/test/provider-walks.ts'

/** What a test walks with each provider, for server/providers.md: a cell that is not true fails there. */
export function providerWalkTable(): string {
  const head = [
    'Provider',
    'Sign-up by `emailDomains`',
    'Second sign-in',
    'Connect on the account page',
    'Sign in again',
    'Two tabs',
    'Denial, with its trace',
  ]
  const rows = PROVIDER_WALKS.map(({ name, needs, proves }) => [
    name,
    needs === undefined ? 'yes' : `with ${needs}`,
    'yes',
    'yes',
    proves ? 'proven' : 'not proven',
    'yes',
    'yes',
  ])
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
