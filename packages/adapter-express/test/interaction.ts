import type { Interaction } from '@grantkit/core'

const page = (status: number, body: string) => ({ status, headers: { 'content-type': 'text/html' }, body })

/** Everybody is Alice. */
export const interaction: Interaction = {
  session: async () => ({ id: 'session-1', subject: 'alice', authTime: 1_700_000_000 }),
  signIn: () => page(200, 'Sign in'),
  consentPage: ({ ticket }) => page(200, ticket),
  errorPage: ({ status, description }) => page(status, description),
}
