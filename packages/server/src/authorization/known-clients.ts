import { type KnownClients, knownClients } from '@grantkit/known-clients'
import type { Config } from '../config/config.ts'

/**
 * Which redirect URIs a client may use that no operator registered: loopback ones, and those of the known clients that are
 * configured. A list with others too is refused: such a client needs an integration.
 */
export function knownClientsOf({ features: { knownClients: only } }: Config): KnownClients {
  return knownClients({ only, mixed: 'refuse', hint: (id) => `add ${id} to KNOWN_CLIENTS` })
}
