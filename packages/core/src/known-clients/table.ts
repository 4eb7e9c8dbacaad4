import { ASSISTANTS } from './assistants.ts'
import { BUILDERS } from './builders.ts'
import { COMMAND_LINE_AGENTS } from './command-line-agents.ts'
import { DESKTOP_APPS } from './desktop-apps.ts'
import { EDITORS } from './editors.ts'
import type { KnownClient } from './known-client.ts'

/**
 * Clients that many users have, with the exact addresses they use. Addresses with a part for each user, tenant or connector are
 * not in it: register such a client with `clients.add`.
 *
 * @example
 * ```ts
 * import { KNOWN_CLIENTS } from '@grantkit/core/known-clients'
 *
 * for (const { id, redirectUris } of KNOWN_CLIENTS) console.log(id, ...redirectUris)
 * ```
 */
export const KNOWN_CLIENTS: readonly KnownClient[] = [
  ...ASSISTANTS,
  ...EDITORS,
  ...COMMAND_LINE_AGENTS,
  ...DESKTOP_APPS,
  ...BUILDERS,
]
